// Deletes expired rows in small batches. Rows that are not settled, or whose outcome is unknown, are never deleted.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../config.ts'
import { sweptTables } from '../rules/effects.ts'
import { sweepChats, sweepDeletedAgents } from './agents/expiring.ts'
import { sweepCampaigns } from './campaigns/expiring.ts'
import { sweepOrphans, sweepRemoved } from './community/sweeping.ts'
import { moveLeft, noteDeleted } from './community/unnoted.ts'
import { sweepMedia } from './content/media-rows.ts'
import { firstIdAt, uuids } from './kit/ids.ts'
import { column, type Sql, sql, text } from './kit/sql.ts'
import { sweepComments } from './social/unseen-comments.ts'

type Keep = typeof config.keep
/** Unix seconds; `floor`: every id that was made before `before` is smaller. */
type At = { now: number; before: number; floor: string }
type Job = { name: string; keep: keyof Keep | null; sweep(em: EntityManager, at: At): Promise<number> }

const day = 86_400
const batch = 1_000
// Runs of the executions that one statement deletes: an execution may have a hundred thousand, and is then deleted alone.
const runsMax = 5_000

const count = async (em: EntityManager, statement: Sql): Promise<number> =>
  (await em.execute<{ affectedRows: number }>(statement, [], 'run')).affectedRows

/** Locked rows are skipped: another transaction uses or deletes them. As an array, so that the rows are fetched by their keys, whatever the planner estimates. */
const deletion = (table: string, condition: Sql, order: string): Sql =>
  sql`delete from ${column(table)} where id = any (array(select id from ${column(table)} where ${condition} order by ${text(order)} limit ${batch} for update skip locked))`

const old =
  (table: string, order: string, condition: (at: At) => Sql): Job['sweep'] =>
  (em, at) =>
    count(em, deletion(table, condition(at), order))

/** Ids are ordered by time, and a row is made before it is settled: the primary key finds the rows without another index. */
const settled = (table: string, condition = sql`status <> 'unknown'`) =>
  old(
    table,
    'id',
    ({ floor, before }) =>
      sql`id < ${floor} and (settled_at < to_timestamp(${before}) and ${condition} or ${unused[table] ?? sql`false`})`,
  )

/** Rows that wait for a visitor who never came back: nothing will be sent. */
const unused: Readonly<Record<string, Sql>> = { social_authorizations: sql`code_digest is null` }

// `offset 0` keeps the planner from making a join of it: evaluated only for the rows that are read.
const none = (query: Sql): Sql => sql`not exists (select 1 from ${query} offset 0)`

/**
 * Executions with their runs, unless the outcome of a run is unknown. Then the graphs that no execution uses any more: in a statement of its own, after the
 * commit, so that the last of several concurrent sweepers finds them unused.
 */
async function sweepExecutions(em: EntityManager, { before, floor }: At): Promise<number> {
  const unproved = none(sql`node_runs r where r.execution_id = x.id and r.status in ('processing', 'unknown')`)
  const deleted: { graph_id: string }[] = await em.execute(
    sql`with ended as materialized (select x.id, x.runs from executions x where x.id < ${floor} and x.finished_at < ${before}
       and x.status in ('completed', 'failed', 'cancelled') and ${unproved} order by x.id limit ${batch} for update skip locked),
     few as (select id from (select id, sum(runs) over (order by id) - runs as runs_before from ended) s where runs_before < ${runsMax})
     delete from executions x using few where x.id = few.id returning x.graph_id`,
  )
  if (deleted.length > 0)
    await em.execute(
      sql`delete from graphs g where g.id = any (${uuids(new Set(deleted.map(({ graph_id }) => graph_id)))}) and ${none(sql`executions x where x.graph_id = g.id`)}
       and not exists (select 1 from workflows w where w.id = g.workflow_id and w.graph_id = g.id)`,
    )
  return deleted.length
}

const idArray = (rows: readonly { id: string }[]): Sql => uuids(rows.map(({ id }) => id))

// No index finds the few contacts that expire: each round reads the next thousand by id, from a random one after a start, and wraps around.
let cursor: string | null = null

/** Visitors without a channel, an order, a submission, a review or comment, or a recent cart: deletes their carts, then the contacts and their sessions. */
async function sweepVisitors(em: EntityManager, { now, before, floor }: At): Promise<number> {
  cursor ??= firstIdAt(before - Math.random() * (now - before))
  const seen: { id: string }[] = await em.execute(
    sql`select id from contacts where id > ${cursor} and id < ${floor} order by id limit ${batch}`,
  )
  cursor = seen.length < batch ? firstIdAt(0) : (seen.at(-1)?.id ?? null)
  if (seen.length === 0) return 0
  const ids = idArray(seen)
  const named = sql`${none(sql`contact_channels h where h.contact_id = c.id`)} and ${none(sql`orders o where o.tenant_id = c.tenant_id and o.contact_id = c.id`)}
    and ${none(sql`form_submissions f where f.contact_id = c.id`)} and ${none(sql`audience_members m where m.contact_id = c.id`)}
    and ${none(sql`enrollments n where n.contact_id = c.id`)} and ${none(sql`chats t where t.contact_id = c.id`)}
    and ${none(sql`reactions x where x.tenant_id = c.tenant_id and x.author_id = c.id and x.slot is not null and x.has_content`)} and c.taxonomies = '[]'`
  const inactive = none(sql`carts k where k.contact_id = c.id and (k.status <> 'open' or k.updated_at >= ${before})`)
  // Visitors with a valid code are about to identify themselves.
  const identifying = sql`select s.contact_id from challenges h join contact_sessions s on s.id = h.contact_session_id where h.expires_at > ${now}`
  const expired: { id: string }[] = await em.execute(
    sql`select c.id from contacts c where c.id = any (${ids}) and ${named} and ${inactive} and c.id not in (${identifying})`,
  )
  if (expired.length === 0) return 0
  const candidates = idArray(expired)
  return em.transactional(async (at) => {
    // Sessions are locked before contacts, the order of every request: a visitor with a running request keeps their session, and a later request finds none.
    const sessions: { id: string }[] = await at.execute(
      sql`select id from contact_sessions where contact_id = any (${candidates}) order by id for update skip locked`,
    )
    const idle: { id: string }[] = await at.execute(
      sql`select c.id from contacts c where c.id = any (${candidates}) and ${named} and ${inactive}
         and ${none(sql`contact_sessions s where s.contact_id = c.id and s.id <> all (${idArray(sessions)})`)} order by c.id for update skip locked`,
    )
    if (idle.length === 0) return 0
    const theirs = idArray(idle)
    await at.execute(
      sql`delete from carts where contact_id = any (${theirs}) and status = 'open' and updated_at < ${before}`,
    )
    // A statement of its own sees what was committed before the locks.
    return count(
      at,
      sql`delete from contacts c where c.id = any (${theirs}) and ${named} and ${none(sql`carts k where k.contact_id = c.id`)}`,
    )
  })
}

/** In the order of foreign keys. Every table that grows without bound has a job. */
const jobs: Job[] = [
  { name: 'media', keep: null, sweep: (em, { now }) => sweepMedia(em, now) },
  {
    name: 'rate_windows',
    keep: null,
    sweep: (em, { now }) =>
      count(
        em,
        sql`delete from rate_windows where ctid = any (array(select ctid from rate_windows where expires_at < ${now} order by expires_at limit ${batch} for update skip locked))`,
      ),
  },
  {
    name: 'rotated_pairs',
    keep: null,
    sweep: (em) =>
      count(
        em,
        sql`update account_sessions set rotated_pair = null where id = any (array(select id from account_sessions
         where rotated_pair is not null and rotated_at < clock_timestamp() - interval '1 minute' order by rotated_at limit ${batch} for update skip locked))`,
      ),
  },
  { name: 'deliveries', keep: 'events', sweep: settled('deliveries', sql`status <> 'pending'`) },
  {
    name: 'events',
    keep: 'events',
    sweep: old(
      'events',
      'id',
      ({ floor, before }) =>
        sql`id < ${floor} and created_at < ${before} and ${none(sql`deliveries d where d.event_id = events.id`)}`,
    ),
  },
  { name: 'executions', keep: 'executions', sweep: sweepExecutions },
  ...sweptTables.map((name): Job => ({ name, keep: name, sweep: settled(name) })),
  {
    name: 'social_syncs',
    keep: 'social_syncs',
    sweep: old(
      'social_syncs',
      'id',
      ({ floor, before }) => sql`id < ${floor} and finished_at < ${before} and status in ('completed', 'failed')`,
    ),
  },
  {
    name: 'social_labels',
    keep: 'social_classifications',
    sweep: old(
      'social_labels',
      'id',
      ({ floor, before }) => sql`id < ${floor} and updated_at < ${before} and status in ('labelled', 'failed')`,
    ),
  },
  {
    name: 'social_comments',
    keep: 'comments',
    sweep: (em, { before, floor }) => sweepComments(em, { before, floor, batch }),
  },
  { name: 'agents', keep: null, sweep: (em, { now }) => em.transactional((at) => sweepDeletedAgents(at, now, batch)) },
  { name: 'chats', keep: 'chats', sweep: (em, { before }) => sweepChats(em, before, batch) },
  {
    name: 'model_turns',
    keep: 'chats',
    sweep: old(
      'model_turns',
      'id',
      ({ floor }) =>
        sql`id < ${floor} and status <> 'running' and ${none(sql`model_calls f where f.tenant_id = model_turns.tenant_id and f.turn_id = model_turns.id`)}`,
    ),
  },
  {
    name: 'research_sources',
    keep: 'research',
    sweep: old('research_sources', 'id', ({ floor, before }) => sql`id < ${floor} and updated_at < ${before}`),
  },
  {
    name: 'research_runs',
    keep: 'research',
    sweep: old(
      'research_runs',
      'updated_at',
      ({ before }) =>
        sql`updated_at < ${before} and ${none(sql`model_turns t where t.owner_id = research_runs.id and t.status = 'running'`)}`,
    ),
  },
  {
    name: 'provider_events',
    keep: 'provider_events',
    sweep: old('provider_events', 'received_at', ({ before }) => sql`received_at < ${before}`),
  },
  {
    name: 'challenges',
    keep: 'challenges',
    sweep: old('challenges', 'expires_at', ({ before }) => sql`expires_at < ${before}`),
  },
  {
    name: 'invitations',
    keep: 'invitations',
    sweep: old('invitations', 'expires_at', ({ before }) => sql`expires_at < ${before}`),
  },
  {
    name: 'account_sessions',
    keep: 'sessions',
    sweep: old(
      'account_sessions',
      'least(refresh_expires_at, revoked_at)',
      ({ before }) => sql`least(refresh_expires_at, revoked_at) < ${before}`,
    ),
  },
  {
    name: 'contact_sessions',
    keep: 'sessions',
    sweep: old('contact_sessions', 'revoked_at', ({ before }) => sql`revoked_at < ${before}`),
  },
  {
    name: 'script_runs',
    keep: 'script_runs',
    sweep: old(
      'script_runs',
      'id',
      ({ floor, before }) => sql`id < ${floor} and updated_at < ${before} and status <> 'running'`,
    ),
  },
  {
    name: 'erasures',
    keep: 'erasures',
    sweep: old(
      'erasures',
      'id',
      ({ floor, before }) => sql`id < ${floor} and updated_at < ${before} and status = 'succeeded'`,
    ),
  },
  {
    name: 'campaigns',
    keep: 'campaigns',
    sweep: (em, { before, floor }) => sweepCampaigns(em, { before, floor, batch }),
  },
  { name: 'contacts', keep: 'carts', sweep: sweepVisitors },
  {
    name: 'reactions',
    keep: 'removed_reactions',
    sweep: (em, { now, before }) => sweepRemoved(em, { now, before, batch }),
  },
  {
    name: 'reaction_targets',
    keep: null,
    sweep: async (em, { now }) => (await noteDeleted(em, now)) + (await moveLeft(em, now)),
  },
  { name: 'reaction_removals', keep: null, sweep: (em, { now }) => sweepOrphans(em, now, batch) },
]

/**
 * Deletes expired rows until none are left or `budgetMs` have passed; every job runs once before one runs again. Returns how many rows were deleted, by job. A job
 * that fails does not stop the others; the first error is thrown at the end. `now` in Unix seconds.
 */
export async function sweep(
  em: EntityManager,
  now: number,
  keep: Keep = config.keep,
  budgetMs = 2_000,
): Promise<Record<string, number>> {
  const end = performance.now() + budgetMs
  const deleted: Record<string, number> = {}
  const errors: unknown[] = []
  let left = jobs.filter((job) => job.keep === null || keep[job.keep] > 0)
  do {
    const again: Job[] = []
    for (const job of left) {
      const before = now - (job.keep === null ? 0 : keep[job.keep] * day)
      try {
        const rows = await job.sweep(em, { now, before, floor: firstIdAt(before) })
        deleted[job.name] = (deleted[job.name] ?? 0) + rows
        if (rows > 0) again.push(job)
      } catch (error) {
        errors.push(error)
      }
    }
    left = again
  } while (left.length > 0 && performance.now() < end)
  if (errors.length > 0) throw errors[0]
  return deleted
}
