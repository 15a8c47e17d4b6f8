// An erasure begins in one transaction. From its commit on, no credential of the tenant is accepted. The workflow
// then ends pending work at the providers and deletes the rows.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  type Continued,
  type ErasureStatus,
  LATE_REQUESTS_S,
  LOOKS_EVERY_S,
  type OpenOutcomes,
} from '../../rules/erasure/erasures.ts'
import type { ProblemCode } from '../../rules/problems.ts'
import { conflict, notFound } from '../../rules/refusal.ts'
import { pauseCampaignsOf } from '../campaigns/states.ts'
import { json, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { lateRows } from '../kit/late-rows.ts'
import { start } from '../kit/outbox.ts'
import { newPublishableKey } from '../stores/new-tenant.ts'
import { lockTeam } from '../stores/team-members.ts'
import { Tenant } from '../stores/tenant.ts'
import { Erasure } from './erasure.ts'

type Obstacle = {
  code: ProblemCode<409>
  detail: string
  select: (em: EntityManager, tenantId: string) => Promise<unknown[]>
}

/**
 * Outcomes that an operator has to resolve before an erasure begins: afterwards no record tells what may have been
 * sent. The first that a tenant has is the refusal: their order is part of the API.
 */
const obstacles: readonly Obstacle[] = [
  {
    code: 'refund_unknown',
    detail: 'The outcome of a refund is unknown. Resolve it first.',
    select: (em, tenantId) =>
      em.execute(sql`select 1 from refunds where tenant_id = ${tenantId} and status = 'unknown' limit 1`),
  },
  {
    code: 'payment_must_be_refunded',
    detail: 'Money of a cancelled order, or of a second subscription, has to go back and did not. Refund it first.',
    select: (em, tenantId) =>
      em.execute(sql`
        select 1
        from payments
        where tenant_id = ${tenantId} and error ->> 'code' in ('refund_due', 'refund_conflict')
        limit 1
      `),
  },
  {
    code: 'capture_unknown',
    detail: 'It cannot be proved whether the payment of a booking was captured. Find out at the provider first.',
    select: (em, tenantId) =>
      em.execute(sql`
        select 1
        from authorization_ends
        where tenant_id = ${tenantId} and kind = 'capture' and status = 'unknown'
        limit 1
      `),
  },
]

/**
 * Begins the erasure of a tenant; returns its id. From the commit on, members, sessions, invitations, the publishable
 * key, and the secrets of workflows and mailboxes are refused, and no event is published. 404 for a caller who is no
 * longer its `super`, 409 for an outcome that has to be resolved first. `now` in Unix seconds.
 */
export async function beginErasure(
  em: EntityManager,
  tenantId: string,
  accountId: string,
  now: number,
): Promise<string> {
  await lockTeam(em, tenantId)
  const supers: unknown[] = await em.execute(sql`
    select 1
    from team_members
    where tenant_id = ${tenantId} and account_id = ${accountId} and role = 'super'
  `)
  if (supers.length === 0) throw notFound('business')
  for (const { code, detail, select } of obstacles)
    if ((await select(em, tenantId)).length > 0) throw conflict(code, detail)
  const tenant = await em.findOneOrFail(Tenant, { id: tenantId })
  em.assign(tenant, { erasing_at: now, status: 'ARCHIVED', publishable_key: newPublishableKey(), updated_at: now })
  const { id } = em.create(Erasure, {
    ...{
      id: newId(),
      created_at: now,
      updated_at: now,
      erased_id: tenantId,
      key: tenant.key,
      requested_by: accountId,
      status: 'settling',
    },
    ...{ progress: null, message: 'Not begun yet.' },
  })
  await em.flush()
  await em.execute(sql`delete from team_members where tenant_id = ${tenantId}`)
  await em.execute(sql`delete from invitations where tenant_id = ${tenantId}`)
  await em.execute(sql`delete from account_sessions where tenant_id = ${tenantId}`)
  await em.execute(sql`
    update webhooks
    set enabled = false, updated_at = ${now}
    where tenant_id = ${tenantId} and enabled
  `)
  await em.execute(sql`
    update workflows
    set status = 'archived', updated_at = ${now}
    where tenant_id = ${tenantId} and status <> 'archived'
  `)
  await pauseCampaignsOf(em, tenantId, { code: 'store_archived', message: 'The business is being deleted.' }, now)
  // A checkout locks this row last: one that was admitted before has created its order, which the erasure cancels, or
  // creates none.
  await em.execute(sql`delete from counters where tenant_id = ${tenantId} and name = 'order'`)
  // The outbox row has no tenant: the erasure deletes those of the tenant.
  await start(em, 'erasure', id, { tenant_id: null, awaited: true, signal: false })
  return id
}

export type OpenErasure = {
  id: string
  erased_id: string
  status: ErasureStatus
  progress: unknown
  deleted_at: number | null
  created_at: number
  continued: Continued | null
  open: OpenOutcomes | null
}

/**
 * Reads an erasure that has not ended. Undefined if it has, or if it waits for requests that may still run. `lock`:
 * until the transaction ends, so that two workers of the same erasure take turns. `now` in Unix seconds.
 */
export async function openErasure(
  em: EntityManager,
  id: string,
  now: number,
  lock = false,
): Promise<OpenErasure | undefined> {
  const [erasure]: OpenErasure[] = await em.execute(sql`
    select id, erased_id, status, progress, deleted_at, created_at, continued, open
    from erasures
    where id = ${id}
      and status <> 'succeeded'
      and (deleted_at is null or deleted_at <= ${now - LATE_REQUESTS_S}) ${lock ? sql`for update` : sql``}
  `)
  return erasure
}

/** `open`: copies of open outcomes, which no other row has after the deletion; undefined keeps those of the row. */
export type MovedErasure = {
  status: ErasureStatus
  progress: unknown
  message: string | null
  needs_attention?: boolean
  open?: OpenOutcomes
}

/** Records the progress, unless another worker has recorded a later state. `message` null keeps the one of the row. */
export const moveErasure = (em: EntityManager, { id, status, continued }: OpenErasure, to: MovedErasure, now: number) =>
  em.execute(sql`
    update erasures
    set status = ${to.status}, progress = ${json(to.progress)}, message = coalesce(${to.message}, message),
      updated_at = ${now},
      needs_attention = ${to.needs_attention ?? false}
        and coalesce(continued, 'null') = coalesce(${json(continued)}, 'null'),
      open = coalesce(${json(to.open ?? null)}, open),
      deleted_at = ${to.status === 'deleted' ? sql`coalesce(deleted_at, ${now})` : sql`deleted_at`}
    where id = ${id} and status = ${status}
  `)

/** Deletes the row of the tenant, after all others. From then on another tenant can use its key. */
export const removeTenant = (em: EntityManager, { erased_id }: OpenErasure) =>
  em.execute(sql`delete from tenants where id = ${erased_id}`)

/** Erasures whose workflow should have continued `idleS` seconds ago, and those whose second pass is due. */
export const lateErasures = lateRows({
  from: sql`erasures x`,
  at: 'x.updated_at',
  type: 'bigint',
  tenant: sql`null::uuid`,
  where: ({ idleS, now }) => sql`
    x.status <> 'succeeded'
    and x.updated_at < case when x.needs_attention then ${now - LOOKS_EVERY_S} else ${now - idleS} end
    and (x.deleted_at is null or x.deleted_at <= ${now - LATE_REQUESTS_S})
  `,
})

/** Reads an erasure for the account that requested it or a platform administrator. 404. `lock`: until the commit. */
export async function erasureFor(
  em: EntityManager,
  id: string,
  by: { account_id: string; platform: boolean },
  lock = false,
): Promise<Erasure> {
  const own = by.platform ? {} : { requested_by: by.account_id }
  const erasure = await em.findOne(Erasure, { id, ...own }, lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {})
  if (!erasure) throw notFound('erasure')
  return erasure
}

/** Makes the workflow check at once what the erasure waits for; a check that runs at this moment is repeated. */
export const wakeErasure = (em: EntityManager, { id }: { id: string }, now: number) =>
  Promise.all([
    em.execute(sql`update erasures set needs_attention = false, updated_at = ${now} where id = ${id}`),
    start(em, 'erasure', id, { tenant_id: null, signal: true }),
  ])

/** Whether the rows of the tenant still exist. After their deletion no outcome can be recorded. */
export const hasRows = ({ status }: { status: ErasureStatus }): boolean =>
  status === 'settling' || status === 'deleting'

/**
 * Continues an erasure that needs attention although outcomes are open: its row keeps copies of them. Does nothing if
 * that was recorded before. `plans`: also without the outcomes of what the platform charges for plans, for platform
 * administrators. 409 erasure_over, erasure_goes_on. `now` in Unix seconds.
 */
export async function continueErasure(
  em: EntityManager,
  erasure: Erasure,
  { account_id, note, plans }: Required<Omit<Continued, 'at'>>,
  now: number,
): Promise<void> {
  if (!hasRows(erasure)) throw conflict('erasure_over', 'The rows of the business are deleted.')
  if (erasure.continued && (erasure.continued.plans || !plans)) return
  if (!erasure.needs_attention)
    throw conflict(
      'erasure_goes_on',
      'The deletion goes on by itself: it ends what is pending at the provider. It needs no person.',
    )
  em.assign(erasure, { continued: { account_id, note, plans, at: now } })
  await em.flush()
  await wakeErasure(em, erasure, now)
}
