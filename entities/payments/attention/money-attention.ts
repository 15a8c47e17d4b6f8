// Money in the list of everything that a person has to do: the texts of its items, and how their outcomes are recorded.
import type { AttentionKind, AttentionStatus } from '../../../rules/attention.ts'
import { attentionKindOf, MoneyKind, moneyText } from '../../../rules/payments/attention.ts'
import type { AttentionOwner, AttentionPart, AttentionScope, Resolver } from '../../kit/attention.ts'
import { join, type Sql, sql } from '../../kit/database/sql.ts'
import { outcomeNotPossible } from '../../kit/resolution.ts'
import { tenantNames } from '../../stores/tenant-names.ts'
import { resolveRequest } from '../resolve-request.ts'
import type { MoneyScope } from './money-columns.ts'
import { itemsOf, recordedRows } from './money-items.ts'
import {
  changes,
  ends,
  expiries,
  type MoneyRows,
  memberships,
  payments,
  refunds,
  sessions,
  stuckEnds,
} from './money-rows.ts'

const scopeOf = (scope: AttentionScope): MoneyScope | null => {
  if (scope === 'platform') return 'plans'
  return scope.tenants.admin && { tenants: scope.tenants.admin }
}

/** The kind in the list of everything, as `moneyText` says it: of a refund that is due no outcome can be recorded. */
const kind = sql`
  case
    when m.kind = 'refund' and m.status <> 'unknown' and m.resolution is null then 'refund_due'
    ${join(
      MoneyKind.options.map((money) => sql`when m.kind = ${money} then ${attentionKindOf[money]}`),
      ' ',
    )}
  end
`

const resolveMoney: Resolver['resolve'] = async (em, tenantId, id, { outcome, ...found }, now) => {
  if (outcome === 'start_again') throw outcomeNotPossible(['succeeded', 'rejected', 'accepted'])
  await resolveRequest(em, tenantId as string, id, { ...found, outcome }, now)
}

/** The rows of these parts, as the list of everything reads them. */
function rowsOf(some: readonly MoneyRows[], owner: AttentionOwner, status: AttentionStatus): Sql | null {
  if (owner !== 'platform' && !('tenant' in owner)) return null
  const money = owner === 'platform' ? 'plans' : owner
  return sql`
    select m.id, m.tenant_id, ${kind} as kind, m.since, m.at
    from (${join(
      some.map((part) => part(money, status)),
      ' union all ',
    )}) m
  `
}

/** Parts of the list of money in the list of everything. `table`: whose rows are resolved by their own ids. */
function attending(some: readonly MoneyRows[], ofKinds: readonly AttentionKind[], table?: string): AttentionPart {
  const recorded = some.filter((part) => recordedRows.includes(part))
  return {
    kinds: ofKinds,
    may: 'admin',
    open: (owner) => rowsOf(some, owner, 'open'),
    ...(recorded.length > 0 ? { resolved: (owner: AttentionOwner) => rowsOf(recorded, owner, 'resolved') } : {}),
    async texts(em, ids, scope, status) {
      const money = scopeOf(scope)
      const own = status === 'open' ? some : recorded
      const items = money ? await itemsOf(em, own, money, { status, limit: own.length * ids.length, ids }) : []
      const names = await tenantNames(
        em,
        items.map(({ tenant_id }) => tenant_id),
      )
      const named = (id: string) => ({ store: names.get(id)?.key ?? null, tenant_kind: names.get(id)?.kind ?? null })
      const about = { of_plan: scope === 'platform', is_resolved: status === 'resolved' }
      return new Map(items.map((item) => [item.id, moneyText(item, named(item.tenant_id), about)]))
    },
    ...(table === undefined ? {} : { resolver: { table, resolve: resolveMoney } }),
  }
}

/** What needs attention, by the effect or the record that it is about. */
export const moneyParts = {
  refund: attending([refunds], ['refund', 'refund_due'], 'refunds'),
  authorization_end: attending([ends, stuckEnds], ['authorization_end'], 'authorization_ends'),
  payment_session: attending([sessions], ['payment_session'], 'payment_sessions'),
  session_expiry: attending([expiries], ['session_expiry'], 'session_expiries'),
  subscription_change: attending([changes], ['subscription_change'], 'subscription_changes'),
  payment: attending([payments], ['payment'], 'payments'),
  subscription: attending([memberships], ['subscription']),
}
