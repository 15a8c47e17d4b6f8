// How an effect's row changes: claimed, stamped, settled. Every change is one conditional update, so that of two
// concurrent ones the second changes nothing.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type EffectName, type EffectStatus, effects, type OwnProcess } from '../../rules/effects.ts'
import { storable } from '../../rules/input/storable.ts'
import { lateAnswer, saysOf } from '../../rules/resolutions.ts'
import { assignments, column, json as jsonb, nothing, type Sql, sql } from './database/sql.ts'
import type { EffectError, Evidence } from './effect-columns.ts'
import { encrypt } from './encrypted.ts'
import { type Late, type LatePart, type LateRow, partBy, partOf } from './late-rows.ts'
import { answerAssignment, replacedAssignment } from './replaced.ts'
import { laterAssignment } from './resolutions.ts'

export type Settlement = {
  status: 'succeeded' | 'rejected' | 'unknown' | 'processing'
  evidence: Evidence
  error?: EffectError | undefined
  /** A person said so: the request was not answered by it. */
  resolved?: true | undefined
  /** Further columns of the row, as they stand in the table (secrets encrypted already). */
  columns?: Record<string, string | number | null> | undefined
}

/** What is particular to an effect's rows. Conditions are SQL, in which `e` is the row. */
type RowRules = {
  /** What must still hold when it is sent. */
  precondition: Sql
  /** Rows that the reconciler does not start. */
  waits?: Sql
  /**
   * Rows in `processing` that have their answer and wait for the provider's event without a deadline; by default those
   * with `answered_at`.
   */
  answered?: Sql
  /** Locks the rows that are locked before the effect's own in the order of all transactions. */
  lock?: (em: EntityManager, id: string) => Promise<void>
  /** What else changes in the transaction that changes the row's status. */
  afterStatusChange?: (em: EntityManager, id: string) => Promise<void>
  /** Rows that are retried without limit: their attempts are never used up. */
  persistent?: Sql
  /** Failed rows for which nothing was ever sent: they were refused when they were written, or have nothing to send. */
  refused?: Sql
  /** Uses an answer that came after the row was settled; `columns` are the settlement's. */
  late?: (em: EntityManager, id: string, columns: NonNullable<Settlement['columns']>) => Promise<void>
  /** Rows with a `due_at`: no attempt begins before it. */
  deferrable?: true
}
/**
 * `processId`: the id of the row that the host's workflow is named after. `ofProcesses`: the rows of some such ids, an
 * array, where `processId` has no index.
 */
type HostRow = { processId: Sql; ofProcesses?: (ids: Sql) => Sql }

export type EffectRow<N extends EffectName = EffectName> = RowRules & HostRow & { name: N; table: string }

/** The row side of an effect, beside its entity. */
export const effectRow = <N extends EffectName>(
  name: N,
  rules: RowRules & (N extends OwnProcess ? object : HostRow),
): EffectRow<N> => ({
  name,
  table: effects[name].table,
  processId: sql`id`,
  ...rules,
})

/** Lists are sorted by the time of the last change. */
const touched = sql`updated_at = extract(epoch from clock_timestamp())::bigint`

/**
 * A provider's answer may be nested deeper than PostgreSQL stores: without this, writing it would fail and its outcome
 * would be unknown.
 */
const json = (value: unknown): Sql => jsonb(value === undefined ? null : storable(value))

const answeredSql = ({ answered }: EffectRow): Sql => sql`(${answered ?? sql`e.answered_at is not null`})`

/** The settlement's further columns, as a part of an update. */
const further = ({ columns = {} }: Settlement): Sql =>
  Object.keys(columns).length > 0 ? sql`, ${assignments(columns)}` : nothing

export type Claimed = { attempt: number; request: string | null }

/**
 * requested → processing, for one token. Without `claimed` the row could not be claimed: `status` says why, and
 * `wait_ms` in how many milliseconds a deferred row is due. The id is ours and names one tenant's row.
 */
export async function claim(
  em: EntityManager,
  { table, deferrable }: EffectRow,
  id: string,
  token: string,
): Promise<{ claimed?: Claimed; status: EffectStatus | null; wait_ms: number }> {
  const due = deferrable ? sql`coalesce(due_at, clock_timestamp()) <= clock_timestamp()` : sql`true`
  const rows: Claimed[] = await em.execute(sql`
    update ${column(table)}
    set status = 'processing', attempt = attempt + 1, token = ${token}, claimed_at = clock_timestamp(), sent_at = null,
      deadline_at = null, error = null, ${touched}
    where id = ${id} and status = 'requested' and ${due}
    returning attempt, request
  `)
  if (rows[0]) return { claimed: rows[0], status: 'processing', wait_ms: 0 }
  const wait = deferrable ? sql`ceil(extract(epoch from due_at - clock_timestamp()) * 1000)::float8` : sql`null`
  const [found]: { status: EffectStatus; wait_ms: number | null }[] = await em.execute(
    sql`select status, ${wait} as wait_ms from ${column(table)} where id = ${id}`,
  )
  return { status: found?.status ?? null, wait_ms: found?.status === 'requested' ? Math.max(0, found.wait_ms ?? 0) : 0 }
}

export async function statusOf(em: EntityManager, { table }: EffectRow, id: string): Promise<EffectStatus | null> {
  const rows: { status: EffectStatus }[] = await em.execute(sql`select status from ${column(table)} where id = ${id}`)
  return rows[0]?.status ?? null
}

/** Stores the exact request of the first prepare; a later attempt sends the same bytes. */
export async function freeze(
  em: EntityManager,
  { table }: EffectRow,
  id: string,
  token: string,
  request: string,
): Promise<void> {
  await em.execute(sql`
    update ${column(table)}
    set request = ${encrypt(request)}
    where id = ${id} and status = 'processing' and token = ${token} and request is null
  `)
}

/** The deadline of a send that may take `limitMs`, by the database's clock: before it the row is never `unknown`. */
export const deadlineIn = (limitMs: number): Sql =>
  sql`clock_timestamp() + make_interval(secs => ${limitMs / 1000 + 3})`

/**
 * The last step before sending: `fenced` if the claim is no longer ours or older than 20 s, `gone` if the precondition
 * no longer holds.
 */
export async function stamp(
  em: EntityManager,
  row: EffectRow,
  id: string,
  token: string,
  limitMs: number,
): Promise<'stamped' | 'fenced' | 'gone'> {
  const holds = row.precondition
  const rows: { holds: boolean }[] = await em.execute(sql`
    update ${column(row.table)} e
    set sent_at = case when ${holds} then clock_timestamp() end,
      deadline_at = case when ${holds} then ${deadlineIn(limitMs)} end
    where id = ${id}
      and status = 'processing'
      and token = ${token}
      and sent_at is null
      and claimed_at > clock_timestamp() - interval '20 s'
    returning sent_at is not null as holds
  `)
  if (!rows[0]) return 'fenced'
  return rows[0].holds ? 'stamped' : 'gone'
}

/**
 * Nothing was sent: the attempt is given back. Where the row was settled as unknown before, the proof that nothing left
 * is stored in late_evidence, for the operator who resolves it. `againMs`: the next attempt is due then, of tables with
 * a `due_at`. False: the claim was lost.
 */
export async function giveBack(
  em: EntityManager,
  { table }: EffectRow,
  id: string,
  token: string,
  error: EffectError,
  againMs?: number,
): Promise<boolean> {
  const due =
    againMs === undefined ? nothing : sql`, due_at = clock_timestamp() + make_interval(secs => ${againMs / 1000})`
  const rows: unknown[] = await em.execute(sql`
    update ${column(table)}
    set status = 'requested', sent_at = null, deadline_at = null, error = ${json(error)}, ${touched}${due}
    where id = ${id} and status = 'processing' and token = ${token}
    returning id
  `)
  if (rows.length > 0) return true
  const evidence = json({ status: 'not_sent', ...error })
  await em.execute(sql`
    update ${column(table)} e
    set ${laterAssignment('e', sql`answer.next`)}
    from (select ${evidence} as next) answer
    where e.id = ${id} and e.status = 'unknown' and e.token = ${token}
  `)
  return false
}

/**
 * Writes the provider's answer under the token that sent the request. `processing` means answered and pending: a signed
 * event follows.
 * False: the row was settled before and keeps its status; an answer that proves something is stored in late_evidence.
 */
export async function settle(
  em: EntityManager,
  row: EffectRow,
  id: string,
  token: string,
  s: Settlement,
): Promise<boolean> {
  const { table, lock, afterStatusChange, late } = row
  await lock?.(em, id)
  const rows: unknown[] = await em.execute(sql`
    update ${column(table)}
    set status = ${s.status}, evidence = ${json(s.evidence)}, error = ${json(s.error)}, answered_at = clock_timestamp(),
      settled_at = ${s.status === 'processing' ? null : sql`clock_timestamp()`}, ${touched}${further(s)}
    where id = ${id} and status = 'processing' and token = ${token}
    returning id
  `)
  if (rows.length === 0) {
    const answer = lateAnswer(s.status, s.evidence)
    // The same answer once more is not late: the settle step is repeated when its own answer is lost. One that proves
    // nothing is no evidence.
    if (!(await keepAnswer(em, table, id, token, s)) && saysOf([answer]) !== null)
      await em.execute(sql`
        update ${column(table)} e
        set ${laterAssignment('e', sql`answer.next`)}
        from (select ${json(answer)} as next) answer
        where e.id = ${id}
          and (e.status, e.token, e.evidence) is distinct from (${s.status}, ${token}, ${json(s.evidence)})
      `)
    await late?.(em, id, s.columns ?? {})
    return false
  }
  if (s.status !== 'processing') await afterStatusChange?.(em, id)
  return true
}

/**
 * Stores the answer of the attempt whose outcome an event reported first, where both say the same: within the deadline,
 * it is not late. False: it is no such answer.
 */
async function keepAnswer(
  em: EntityManager,
  table: string,
  id: string,
  token: string,
  { status, evidence, error }: Settlement,
): Promise<boolean> {
  if (status !== 'succeeded' && status !== 'rejected') return false
  const rows: unknown[] = await em.execute(sql`
    update ${column(table)} e
    set ${answerAssignment('e', { evidence: json(evidence), error: json(error) })}
    where id = ${id}
      and status = ${status}
      and token = ${token}
      and resolution is null
      and deadline_at > clock_timestamp()
      and evidence is distinct from ${json(evidence)}
    returning id
  `)
  return rows.length > 0
}

/** States whose outcome is not proved. */
export const unsettled = ['requested', 'processing', 'unknown'] as const

/**
 * Settles a row by a signed event of the provider, or by a read that proves its outcome, from one of the states `from`.
 * False: the row is in another state.
 */
export async function settleByProof(
  em: EntityManager,
  { table, lock, afterStatusChange }: EffectRow,
  id: string,
  s: Settlement & { status: 'succeeded' | 'rejected' },
  from: readonly EffectStatus[] = ['requested', 'processing'],
): Promise<boolean> {
  await lock?.(em, id)
  // Locked: the row cannot be claimed between this select and the update.
  const found: { status: EffectStatus }[] = await em.execute(
    sql`select status from ${column(table)} where id = ${id} for update`,
  )
  const before = found[0]?.status
  if (!before || !from.includes(before)) return false
  // One reading of the clock: of a row that was settled by what answered it, both times are the same.
  const answered = s.resolved ? sql`answered_at` : sql`coalesce(answered_at, proof.at)`
  await em.execute(sql`
    update ${column(table)} e
    set ${replacedAssignment('e')}, status = ${s.status}, evidence = ${json(s.evidence)}, error = ${json(s.error)},
      answered_at = ${answered}, settled_at = proof.at, ${touched}${further(s)}
    from (select clock_timestamp() as at) proof
    where id = ${id} and status = ${before}
  `)
  await afterStatusChange?.(em, id)
  return true
}

/**
 * Its attempts are used up and none was sent: failed, which is reached from `requested` alone. A persistent row stays
 * requested, unless no other attempt would have another result (`hopeless`).
 */
export async function giveUp(
  em: EntityManager,
  row: EffectRow,
  id: string,
  hopeless = false,
): Promise<EffectStatus | null> {
  const { table, lock, afterStatusChange, persistent = sql`false` } = row
  await lock?.(em, id)
  const rows: unknown[] = await em.execute(sql`
    update ${column(table)} e
    set status = 'failed', settled_at = clock_timestamp(), ${touched}
    where id = ${id} and status = 'requested' and (${hopeless} or not (${persistent}))
    returning id
  `)
  const status = rows.length > 0 ? 'failed' : await statusOf(em, row, id)
  // A row that stays requested has become late.
  if (rows.length > 0 || status === 'requested') await afterStatusChange?.(em, id)
  return status
}

const outcomeUnknown = json({
  code: 'outcome_unknown',
  message: 'It was sent, and no answer proves how it ended: it may or may not have happened.',
})

/**
 * The provider answered, and neither the answer nor a read proves how it ended: unknown. False: the row is in another
 * state.
 */
export async function doubt(
  em: EntityManager,
  { table, lock, afterStatusChange }: EffectRow,
  id: string,
): Promise<boolean> {
  await lock?.(em, id)
  const rows: unknown[] = await em.execute(sql`
    update ${column(table)} e
    set ${replacedAssignment('e')}, status = 'unknown', settled_at = clock_timestamp(),
      error = coalesce(error, ${outcomeUnknown}), ${touched}
    where id = ${id} and status = 'processing' and answered_at is not null
    returning id
  `)
  if (rows.length > 0) await afterStatusChange?.(em, id)
  return rows.length > 0
}

/**
 * After an attempt without a written verdict: unsent and ours (or a claim 70 s old) → requested; sent and past its
 * deadline → unknown; otherwise `waitMs` says when to decide again. Never earlier than the deadline: an answer may
 * still arrive.
 */
export async function decide(
  em: EntityManager,
  row: EffectRow,
  id: string,
  token: string | null,
): Promise<{ status: EffectStatus | null; waitMs: number; answered: boolean }> {
  const { table, lock, afterStatusChange } = row
  await lock?.(em, id)
  await em.execute(sql`
    update ${column(table)}
    set status = 'requested', ${touched}
    where id = ${id}
      and status = 'processing'
      and sent_at is null
      and answered_at is null
      and (token = ${token ?? ''} or claimed_at < clock_timestamp() - interval '70 s')
  `)
  const lost: unknown[] = await em.execute(sql`
    update ${column(table)} e
    set status = 'unknown', settled_at = clock_timestamp(), error = ${outcomeUnknown}, ${touched}
    where id = ${id}
      and status = 'processing'
      and sent_at is not null
      and not ${answeredSql(row)}
      and deadline_at < clock_timestamp()
    returning id
  `)
  if (lost.length > 0) await afterStatusChange?.(em, id)
  const rows: { status: EffectStatus; answered: boolean; left_ms: number }[] = await em.execute(sql`
    select status, ${answeredSql(row)} as answered,
      (
        extract(epoch from coalesce(deadline_at, claimed_at + interval '70 s') - clock_timestamp()) * 1000
      )::float8 as left_ms
    from ${column(table)} e
    where id = ${id}
  `)
  const found = rows[0]
  if (!found) return { status: null, waitMs: 0, answered: false }
  const waiting = found.status === 'processing' && !found.answered
  return {
    status: found.status,
    waitMs: waiting ? Math.min(3_000, Math.max(200, Math.ceil(found.left_ms) + 50)) : 0,
    answered: found.answered,
  }
}

export type Unfinished = LateRow & { process_id: string; overdue: boolean }

/**
 * Rows for the reconciler: not settled, and untouched for `idleS` seconds. For all tenants: each row comes with its
 * tenant.
 */
export async function unfinished(
  em: EntityManager,
  row: EffectRow,
  { idleS, ...part }: Omit<LatePart, 'now'>,
): Promise<Late<Unfinished>> {
  const { key, beyond, order } = partBy('e.created_at', 'bigint', part, 'e.id')
  const found: (Unfinished & { at: string; row_id: string })[] = await em.execute(sql`
    select e.id, e.tenant_id, ${row.processId} as process_id,
      (e.sent_at is not null and e.deadline_at < clock_timestamp()) as overdue, ${key}
    from ${column(row.table)} e
    where e.status in ('requested', 'processing')
      and not ${answeredSql(row)}
      and not coalesce(${row.waits ?? sql`false`}, false)
      and e.created_at < extract(epoch from clock_timestamp()) - ${idleS}::int
      and (
        e.claimed_at is null
        or e.claimed_at < clock_timestamp() - make_interval(secs => ${idleS})
        or e.deadline_at < clock_timestamp()
      ) ${beyond} ${order}
  `)
  return partOf(found, part.limit)
}

/** The condition of `quarantine`. */
const quarantined = ({ refused = sql`false` }: EffectRow, since: number): Sql => sql`
  (
    e.status in ('requested', 'processing')
    or e.status = 'failed' and e.settled_at > to_timestamp(${since}) and not coalesce(${refused}, false)
  )
`

/** The rows that `quarantine` changes, of all tenants. */
export async function toQuarantine(em: EntityManager, row: EffectRow, since: number): Promise<string[]> {
  const rows: { id: string }[] = await em.execute(
    sql`select e.id from ${column(row.table)} e where ${quarantined(row, since)} order by e.id`,
  )
  return rows.map(({ id }) => id)
}

/**
 * After a failover or a restore, commits may be lost: a row that was not settled at `since` (Unix seconds), or failed
 * after it, may have been sent. It becomes unknown and is never sent again. False: an event has settled it meanwhile.
 */
export async function quarantine(em: EntityManager, row: EffectRow, id: string, since: number): Promise<boolean> {
  const { table, lock, afterStatusChange } = row
  await lock?.(em, id)
  const rows: unknown[] = await em.execute(sql`
    update ${column(table)} e
    set ${replacedAssignment('e')}, status = 'unknown', settled_at = clock_timestamp(), ${touched},
      error = ${json({ code: 'quarantined', message: 'Commits may have been lost: it may or may not have happened.' })}
    where e.id = ${id} and ${quarantined(row, since)}
    returning e.id
  `)
  if (rows.length > 0) await afterStatusChange?.(em, id)
  return rows.length > 0
}
