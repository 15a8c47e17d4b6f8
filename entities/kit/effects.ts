// How an effect's row moves: claimed, stamped, settled. Every move is one conditional update, so that whoever comes second changes nothing.
import type { EntityManager } from '@mikro-orm/postgresql'
import { storable } from '../../rules/input/storable.ts'
import type { EffectStatus } from '../../rules/shapes.ts'
import { foundLate } from '../orders/payment-sessions.ts'
import { countRefunds, lockPaymentOfRefund } from '../orders/refund-amounts.ts'
import { freeSlot, lockCountsOfSlot } from '../platform/task-slots.ts'
import type { EffectError, Evidence } from './effect-columns.ts'
import { encrypt } from './encrypted.ts'

export type { EffectStatus }
export const terminal = (status: EffectStatus): boolean => status !== 'requested' && status !== 'processing'

type Rules = {
  /** The process kind that carries it on. */
  process: 'refund' | 'checkout' | 'connect' | 'onboarding_link' | 'mail' | 'webhook_test' | 'execution'
  /** How a row of it leads to the row its workflow is named after. */
  processId: string
  /** What must still hold when it is sent; `e` is the row. */
  precondition: string
  /** Rows that nobody has to carry on by themselves. */
  waits?: string
  /** When a row that is `processing` has its answer, and waits for the provider's event without a deadline; `answered_at` is set where nothing else is said. */
  answered?: string
  /** Rows that the house's order locks before the effect's own. */
  lock?: (em: EntityManager, id: string) => Promise<void>
  /** What else changes in the same transaction when the row's status has changed. */
  moved?: (em: EntityManager, id: string) => Promise<void>
  /** Rows that are tried for as long as it takes: their attempts are never used up. */
  persistent?: string
  /** Failed rows that nothing was ever sent for: they were refused as they were written, or have nothing to send. */
  refused?: string
  /** What an answer is still good for that came after the row was settled; `columns` are the settlement's. */
  late?: (em: EntityManager, id: string, columns: NonNullable<Settlement['columns']>) => Promise<void>
  /** Rows with a `due_at`: no attempt begins before it. */
  deferrable?: true
}

export const effectTables = {
  refunds: {
    process: 'refund',
    processId: 'id',
    precondition: 'true',
    // An answer that does not name the refund proves nothing: its event comes before the deadline, or the outcome is unknown.
    answered: 'e.answered_at is not null and e.provider_refund_id is not null',
    lock: lockPaymentOfRefund,
    moved: countRefunds,
    // No caller would ask for it again: the buyer paid too late, and no operator knows.
    persistent: `e.origin = 'system'`,
    refused: `e.attempt = 0 and e.error ->> 'code' = 'amount_exceeds_refundable'`,
  },
  payment_sessions: {
    process: 'checkout',
    processId: 'order_id',
    precondition: `exists (select 1 from orders o where o.id = e.order_id and o.tenant_id = e.tenant_id and o.status = 'pending' and not o.cancel_requested and o.hold_until > clock_timestamp())`,
    late: foundLate,
  },
  session_expiries: {
    process: 'checkout',
    processId: '(select order_id from payment_sessions s where s.id = e.payment_session_id and s.tenant_id = e.tenant_id)',
    // A page that is over has nothing left to close.
    precondition: `exists (select 1 from payment_sessions s where s.id = e.payment_session_id and s.tenant_id = e.tenant_id and coalesce(s.state, 'open') = 'open')`,
  },
  payment_providers: { process: 'connect', processId: 'id', precondition: 'true' },
  onboarding_links: { process: 'onboarding_link', processId: 'id', precondition: 'true' },
  mails: {
    process: 'mail',
    processId: 'id',
    precondition: '(e.not_after is null or e.not_after > extract(epoch from clock_timestamp()))',
    waits: 'e.due_at > clock_timestamp()',
    deferrable: true,
  },
  webhook_tests: {
    process: 'webhook_test',
    processId: 'id',
    precondition: 'exists (select 1 from webhooks w where w.id = e.webhook_id and w.tenant_id = e.tenant_id and w.enabled)',
    // It is started when it is granted a slot.
    waits: 'exists (select 1 from task_slots s where s.id = e.id and s.tenant_id = e.tenant_id and not s.granted)',
    lock: lockCountsOfSlot,
    moved: freeSlot,
  },
  node_runs: {
    process: 'execution',
    processId: 'execution_id',
    precondition: 'exists (select 1 from executions x where x.id = e.execution_id and x.tenant_id = e.tenant_id and not x.cancel_requested)',
    // What was not sent is looked after with its execution.
    waits: 'e.sent_at is null',
    deferrable: true,
    // A node that only computes.
    refused: 'e.request is null and e.params is null',
  },
} satisfies Record<string, Rules>

/** Every move of a row is a change that lists are sorted by. */
const touched = 'updated_at = extract(epoch from clock_timestamp())::bigint'

/** A provider says what it likes: an answer that PostgreSQL cannot keep would be no answer, and what it decided would be unknown. */
const kept = (said: unknown): string => JSON.stringify(storable(said))

export type EffectTable = keyof typeof effectTables
const rulesOf = (table: EffectTable): Rules => effectTables[table]
const answered = (table: EffectTable): string => `(${rulesOf(table).answered ?? 'e.answered_at is not null'})`
export const effectTableNames = Object.keys(effectTables) as EffectTable[]

export type Claimed = { attempt: number; request: string | null }

/**
 * requested → processing, for one token. Without `claimed` the row could not be claimed: `status` says why, and `wait_ms` in how many milliseconds a deferred
 * row is due. The id is ours and names one tenant's row.
 */
export async function claim(
  em: EntityManager,
  table: EffectTable,
  id: string,
  token: string,
): Promise<{ claimed?: Claimed; status: EffectStatus | null; wait_ms: number }> {
  const due = rulesOf(table).deferrable ? 'coalesce(due_at, clock_timestamp()) <= clock_timestamp()' : 'true'
  const rows: Claimed[] = await em.execute(
    `update ${table} set status = 'processing', attempt = attempt + 1, token = ?, claimed_at = clock_timestamp(), sent_at = null, deadline_at = null, error = null, ${touched}
     where id = ? and status = 'requested' and ${due} returning attempt, request`,
    [token, id],
  )
  if (rows[0]) return { claimed: rows[0], status: 'processing', wait_ms: 0 }
  const wait = rulesOf(table).deferrable ? 'ceil(extract(epoch from due_at - clock_timestamp()) * 1000)::float8' : 'null'
  const [found]: { status: EffectStatus; wait_ms: number | null }[] = await em.execute(`select status, ${wait} as wait_ms from ${table} where id = ?`, [id])
  return { status: found?.status ?? null, wait_ms: found?.status === 'requested' ? Math.max(0, found.wait_ms ?? 0) : 0 }
}

export async function statusOf(em: EntityManager, table: EffectTable, id: string): Promise<EffectStatus | null> {
  const rows: { status: EffectStatus }[] = await em.execute(`select status from ${table} where id = ?`, [id])
  return rows[0]?.status ?? null
}

/** Keeps the exact request of the first prepare; a later attempt sends the same bytes. */
export async function freeze(em: EntityManager, table: EffectTable, id: string, token: string, request: string): Promise<void> {
  await em.execute(`update ${table} set request = ? where id = ? and status = 'processing' and token = ? and request is null`, [encrypt(request), id, token])
}

/**
 * The last thing before sending: `fenced` if the claim is no longer ours or older than 20 s, `gone` if what made it right no longer holds.
 * The deadline is the database's: nobody calls it unknown before.
 */
export async function stamp(em: EntityManager, table: EffectTable, id: string, token: string, limitMs: number): Promise<'stamped' | 'fenced' | 'gone'> {
  const rows: { holds: boolean }[] = await em.execute(
    `update ${table} e set sent_at = case when ${rulesOf(table).precondition} then clock_timestamp() end,
       deadline_at = case when ${rulesOf(table).precondition} then clock_timestamp() + make_interval(secs => ?) end
     where id = ? and status = 'processing' and token = ? and sent_at is null and claimed_at > clock_timestamp() - interval '20 s'
     returning sent_at is not null as holds`,
    [limitMs / 1000 + 3, id, token],
  )
  if (!rows[0]) return 'fenced'
  return rows[0].holds ? 'stamped' : 'gone'
}

/**
 * Nothing was sent: the attempt is given back. Where somebody settled it before, the proof that nothing left is kept in late_evidence, for the
 * person who has to judge an unknown. `againMs`: the next attempt is due then, of tables with a `due_at`.
 */
export async function giveBack(em: EntityManager, table: EffectTable, id: string, token: string, error: EffectError, againMs?: number): Promise<void> {
  const due = againMs === undefined ? '' : ', due_at = clock_timestamp() + make_interval(secs => ?)'
  const rows: unknown[] = await em.execute(
    `update ${table} set status = 'requested', sent_at = null, deadline_at = null, error = ?, ${touched}${due} where id = ? and status = 'processing' and token = ? returning id`,
    [kept(error), ...(againMs === undefined ? [] : [againMs / 1000]), id, token],
  )
  if (rows.length > 0) return
  await em.execute(`update ${table} set late_evidence = ? where id = ? and status = 'unknown' and token = ?`, [
    kept({ status: 'not_sent', ...error }),
    id,
    token,
  ])
}

export type Settlement = {
  status: 'succeeded' | 'rejected' | 'unknown' | 'processing'
  evidence: Evidence
  error?: EffectError | undefined
  /** Further columns of the row, as they stand in the table (secrets encrypted already). */
  columns?: Record<string, string | number | null> | undefined
}

/**
 * What the provider said, under the token that sent it. `processing` means answered and pending: a signed event will say more.
 * False: somebody settled it before; the answer is kept in late_evidence and the status stays.
 */
export async function settle(em: EntityManager, table: EffectTable, id: string, token: string, s: Settlement): Promise<boolean> {
  const { lock, moved, late } = rulesOf(table)
  await lock?.(em, id)
  const columns = Object.entries(s.columns ?? {})
  const rows: unknown[] = await em.execute(
    `update ${table} set status = ?, evidence = ?, error = ?, answered_at = clock_timestamp(), settled_at = case when ? then null else clock_timestamp() end, ${touched}
       ${columns.map(([name]) => `, ${name} = ?`).join('')}
     where id = ? and status = 'processing' and token = ? returning id`,
    [s.status, kept(s.evidence), s.error ? kept(s.error) : null, s.status === 'processing', ...columns.map(([, value]) => value), id, token],
  )
  if (rows.length === 0) {
    // The same answer once more (the settle step is repeated when its own answer is lost) is no late one. What failed at the provider, by its event, stays so.
    const evidence = kept(s.evidence)
    // Nor is one without evidence: the connection was lost after an event had settled the row.
    const silent = s.status === 'unknown' && Object.keys(s.evidence).length === 0
    if (!silent)
      await em.execute(
        `update ${table} set late_evidence = ? where id = ? and (status, token, evidence) is distinct from (?, ?, ?::jsonb)
         and coalesce(late_evidence ->> 'status', '') not in ('failed', 'canceled')`,
        [...[kept({ status: s.status, ...s.evidence }), id], ...[s.status, token, evidence]],
      )
    await late?.(em, id, s.columns ?? {})
    return false
  }
  if (s.status !== 'processing') await moved?.(em, id)
  return true
}

/** A signed event of the provider said how it went: from requested and processing to the end. False: it was at its end already. */
export async function settleByEvent(
  em: EntityManager,
  table: EffectTable,
  id: string,
  s: Settlement & { status: 'succeeded' | 'rejected' },
  from: readonly EffectStatus[] = ['requested', 'processing'],
): Promise<boolean> {
  const { lock, moved } = rulesOf(table)
  await lock?.(em, id)
  // Locked: nobody may claim it between the look and the update.
  const found: { status: EffectStatus }[] = await em.execute(`select status from ${table} where id = ? for update`, [id])
  const before = found[0]?.status
  if (!before || !from.includes(before)) return false
  const columns = Object.entries(s.columns ?? {})
  await em.execute(
    `update ${table} set status = ?, evidence = ?, error = ?, answered_at = coalesce(answered_at, clock_timestamp()), settled_at = clock_timestamp(), ${touched}
       ${columns.map(([name]) => `, ${name} = ?`).join('')} where id = ? and status = ?`,
    [s.status, kept(s.evidence), s.error ? kept(s.error) : null, ...columns.map(([, value]) => value), id, before],
  )
  await moved?.(em, id)
  return true
}

/**
 * Its attempts are used up and none was sent: failed, which is reached from `requested` alone. A persistent one stays requested, unless no other
 * attempt would fare better (`hopeless`).
 */
export async function giveUp(em: EntityManager, table: EffectTable, id: string, hopeless = false): Promise<EffectStatus | null> {
  const { lock, moved, persistent = 'false' } = rulesOf(table)
  await lock?.(em, id)
  const rows: unknown[] = await em.execute(
    `update ${table} e set status = 'failed', settled_at = clock_timestamp(), ${touched} where id = ? and status = 'requested' and (? or not (${persistent})) returning id`,
    [id, hopeless],
  )
  const status = rows.length > 0 ? 'failed' : await statusOf(em, table, id)
  // One that stays requested is late by now.
  if (rows.length > 0 || status === 'requested') await moved?.(em, id)
  return status
}

/**
 * After an attempt that ended without a word: unsent and ours (or a claim 70 s old) → requested; sent and past its deadline → unknown;
 * otherwise `waitMs` says when to look again. Never earlier than the deadline: a healthy answer may still be on its way.
 */
export async function decide(
  em: EntityManager,
  table: EffectTable,
  id: string,
  token: string | null,
): Promise<{ status: EffectStatus | null; waitMs: number; answered: boolean }> {
  const { lock, moved } = rulesOf(table)
  await lock?.(em, id)
  await em.execute(
    `update ${table} set status = 'requested', ${touched} where id = ? and status = 'processing' and sent_at is null and answered_at is null
       and (token = ? or claimed_at < clock_timestamp() - interval '70 s')`,
    [id, token ?? ''],
  )
  const lost: unknown[] = await em.execute(
    `update ${table} e set status = 'unknown', settled_at = clock_timestamp(), error = ?, ${touched}
     where id = ? and status = 'processing' and sent_at is not null and not ${answered(table)} and deadline_at < clock_timestamp() returning id`,
    [JSON.stringify({ code: 'outcome_unknown', message: 'It was sent, and no answer proves how it ended: it may or may not have happened.' }), id],
  )
  if (lost.length > 0) await moved?.(em, id)
  const rows: { status: EffectStatus; answered: boolean; left_ms: number }[] = await em.execute(
    `select status, ${answered(table)} as answered,
       (extract(epoch from coalesce(deadline_at, claimed_at + interval '70 s') - clock_timestamp()) * 1000)::float8 as left_ms from ${table} e where id = ?`,
    [id],
  )
  const row = rows[0]
  if (!row) return { status: null, waitMs: 0, answered: false }
  const waiting = row.status === 'processing' && !row.answered
  return { status: row.status, waitMs: waiting ? Math.min(3_000, Math.max(200, Math.ceil(row.left_ms) + 50)) : 0, answered: row.answered }
}

/** What the reconciler has to look after: effects that are not at their end, untouched for `idleS` seconds. For all tenants: rows leave with theirs. */
export async function unfinished(
  em: EntityManager,
  table: EffectTable,
  idleS: number,
  limit: number,
): Promise<{ id: string; process_id: string; tenant_id: string | null; overdue: boolean }[]> {
  return em.execute(
    `select e.id, e.tenant_id, ${rulesOf(table).processId} as process_id, (e.sent_at is not null and e.deadline_at < clock_timestamp()) as overdue from ${table} e
     where e.status in ('requested', 'processing') and not ${answered(table)} and not coalesce(${rulesOf(table).waits ?? 'false'}, false) and e.created_at < extract(epoch from clock_timestamp()) - ?
       and (e.claimed_at is null or e.claimed_at < clock_timestamp() - make_interval(secs => ?) or e.deadline_at < clock_timestamp())
     order by e.created_at limit ?`,
    [idleS, idleS, limit],
  )
}

/** What `quarantine` asks of a row, `e`; `since` is its one parameter. */
const quarantined = (table: EffectTable) =>
  `(e.status in ('requested', 'processing') or e.status = 'failed' and e.settled_at > to_timestamp(?) and not coalesce(${rulesOf(table).refused ?? 'false'}, false))`

/** The rows that `quarantine` is for, of all tenants. */
export async function toQuarantine(em: EntityManager, table: EffectTable, since: number): Promise<string[]> {
  const rows: { id: string }[] = await em.execute(`select e.id from ${table} e where ${quarantined(table)} order by e.id`, [since])
  return rows.map(({ id }) => id)
}

/**
 * After commits may have been lost (a failover, a restore): what was not at its end at `since` (Unix seconds), or ended as failed after it,
 * may have been sent all the same. It is unknown, and nothing sends it again. False: an event has settled it meanwhile.
 */
export async function quarantine(em: EntityManager, table: EffectTable, id: string, since: number): Promise<boolean> {
  const { lock, moved } = rulesOf(table)
  await lock?.(em, id)
  const rows: unknown[] = await em.execute(
    `update ${table} e set status = 'unknown', settled_at = clock_timestamp(), error = ?, ${touched} where e.id = ? and ${quarantined(table)} returning e.id`,
    [JSON.stringify({ code: 'quarantined', message: 'Commits may have been lost: it may or may not have happened.' }), id, since],
  )
  if (rows.length > 0) await moved?.(em, id)
  return rows.length > 0
}
