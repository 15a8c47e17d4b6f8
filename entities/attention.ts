// Everything that a person has to do, by the register of processes: each kind declares its part (kit/attention.ts). A
// part that belongs to no process is added here.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type AttentionKind, type AttentionRole, groupOf, type ItemText } from '../rules/attention.ts'
import { type EffectName, effects } from '../rules/effects.ts'
import { notFound } from '../rules/refusal.ts'
import { atLeast, StoreRole } from '../rules/stores/roles.ts'
import type { AttentionPart, AttentionScope, OpenRow } from './kit/attention.ts'
import { column, join, list, nothing, type Sql, sql } from './kit/database/sql.ts'
import { arrayOf, uuids } from './kit/ids.ts'
import type { FoundOut } from './kit/resolving.ts'
import { startAttention } from './platform/attention.ts'
import { registered } from './processes.ts'
import { type TenantName, tenantNames } from './stores/tenant-names.ts'

const parts: readonly AttentionPart[] = [
  ...registered.flatMap(([, { attention }]) => Object.values(attention).flat() as AttentionPart[]),
  startAttention,
]

/** `tenant` null: of the installation. */
export type AttentionItem = Omit<OpenRow, 'tenant_id'> &
  ItemText & { tenant: TenantName | null; group: ReturnType<typeof groupOf> }

export type AttentionPage = {
  limit: number
  /** The last item of the page before. */
  after?: { since: number; id: string } | null
  kinds?: readonly AttentionKind[] | undefined
  /** The item of this id alone. */
  id?: string
}

/** Parts that are numbered, as the rows of a page name theirs. */
type Row = OpenRow & { part: number }

/**
 * The oldest rows of each part are read by an index of its own (`…_attention`), and the oldest of these by their order:
 * the page does not cost more where few parts have many rows.
 */
function openRows(scope: AttentionScope, { limit, after, kinds, id }: AttentionPage): Sql | null {
  const beyond = after ? sql`and (x.since, x.id) > (${after.since}::float8, ${after.id}::uuid)` : nothing
  const ofKinds = kinds ? sql`and x.kind = any (${arrayOf(kinds)}::text[])` : nothing
  const one = id === undefined ? nothing : sql`and x.id = ${id}`
  const selected = parts.flatMap((part, n) => {
    const rows = kinds && !part.kinds.some((kind) => kinds.includes(kind)) ? null : part.open(scope)
    return rows
      ? [
          sql`
            (
              select x.id, x.tenant_id, x.kind, x.since, ${n}::int as part
              from (${rows}) x
              where true ${beyond} ${ofKinds} ${one}
              order by x.since, x.id
              limit ${limit}
            )
          `,
        ]
      : []
  })
  return selected.length === 0 ? null : join(selected, ' union all ')
}

/**
 * At most `limit` items, the oldest first, and whether there are more. A statement for all rows, and one or two for
 * each kind of the page; what was resolved between them is left out.
 */
export async function attentionItems(
  em: EntityManager,
  scope: AttentionScope,
  page: AttentionPage,
): Promise<{ items: AttentionItem[]; last: OpenRow | null; more: boolean }> {
  const all = openRows(scope, { ...page, limit: page.limit + 1 })
  if (!all) return { items: [], last: null, more: false }
  const found: Row[] = await em.execute(sql`
    select a.id, a.tenant_id, a.kind, a.since, a.part
    from (${all}) a
    order by a.since, a.id
    limit ${page.limit + 1}
  `)
  const rows = found.slice(0, page.limit)
  const names = await tenantNames(
    em,
    rows.flatMap(({ tenant_id }) => tenant_id ?? []),
  )
  const texts = new Map<Row, ItemText>()
  for (const [part, same] of Map.groupBy(rows, (row) => row.part)) {
    const said = await (parts[part] as AttentionPart).texts(
      em,
      same.map(({ id }) => id),
      scope,
    )
    for (const row of same) {
      const text = said.get(row.id)
      if (text) texts.set(row, text)
    }
  }
  const items = rows.flatMap((row) => {
    const text = texts.get(row)
    const { part: _, tenant_id, ...open } = row
    if (!text) return []
    return [{ ...open, ...text, tenant: (tenant_id && names.get(tenant_id)) || null, group: groupOf(row.kind) }]
  })
  return { items, last: rows.at(-1) ?? null, more: found.length > page.limit }
}

/** Which of these rows of an effect are open, in the list of their tenant or of the installation. Two statements. */
export async function stillOpen(em: EntityManager, effect: EffectName, ids: readonly string[]): Promise<Set<string>> {
  const table = column(effects[effect].table)
  const owners: { tenant_id: string | null }[] = await em.execute(
    sql`select distinct tenant_id from ${table} where id = any (${uuids(ids)})`,
  )
  const tenants = uuids(owners.flatMap(({ tenant_id }) => tenant_id ?? []))
  const scopes: AttentionScope[] = [{ tenants: { admin: tenants, owner: tenants }, account_id: null }, 'platform']
  const selected = parts
    .filter(({ kinds }) => kinds.includes(effect))
    .flatMap((part) => scopes.flatMap((scope) => part.open(scope) ?? []))
    .map((rows) => sql`select x.id from (${rows}) x where x.id = any (${uuids(ids)})`)
  if (selected.length === 0) return new Set()
  const found: { id: string }[] = await em.execute(join(selected, ' union all '))
  return new Set(found.map(({ id }) => id))
}

/** The tenants of an account, by the least role that it has in them; of these ids alone, if there are any. */
export function scopeOfAccount(accountId: string, ids: readonly string[] | undefined): AttentionScope {
  const having = (needed: AttentionRole) => sql`
    array(
      select tenant_id
      from team_members
      where account_id = ${accountId}
        and role in (${list(StoreRole.options.filter((role) => atLeast(role, needed)))})
        ${ids ? sql`and tenant_id = any (${uuids(ids)})` : nothing}
    )
  `
  return { tenants: { admin: having('admin'), owner: having('owner') }, account_id: ids ? null : accountId }
}

/** What a member of a tenant sees of it. */
export const scopeOfMember = (tenantId: string, role: StoreRole): AttentionScope => ({
  tenants: { admin: uuids([tenantId]), owner: atLeast(role, 'owner') ? uuids([tenantId]) : null },
  account_id: null,
})

const resolvers = parts.flatMap(({ resolver }) => resolver ?? [])
const byTable = new Map(resolvers.map((one) => [one.table, one]))

/** The row that an item is about: its table and its tenant; null if there is none. One statement. */
export async function rowOfItem(
  em: EntityManager,
  id: string,
): Promise<{ table: string; tenant_id: string | null } | null> {
  const some = [...byTable.keys()].map(
    (table) => sql`select ${table}::text as "table", tenant_id from ${column(table)} where id = ${id}`,
  )
  const [row]: { table: string; tenant_id: string | null }[] = await em.execute(join(some, ' union all '))
  return row ?? null
}

/**
 * Records what a person found out about an item by its id. 404; 409 request_not_unknown, contradicts_evidence,
 * resolved_otherwise, resolved_too_often, decision_made, payment_captured; 422 outcome_not_possible, required. `now` in
 * Unix seconds.
 */
export async function resolveItem(
  em: EntityManager,
  { table, tenant_id }: { table: string; tenant_id: string | null },
  id: string,
  found: FoundOut,
  now: number,
): Promise<void> {
  const resolver = byTable.get(table)
  if (!resolver) throw notFound('item')
  await resolver.resolve(em, tenant_id, id, found, now)
}
