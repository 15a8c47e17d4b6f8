// What is over and no promise needs any more goes when its time has come, a small batch at a time; what is not settled, or not known, stays.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../config.ts'
import { sweptTables } from '../rules/effects.ts'
import { sweepMedia } from './content/media-rows.ts'
import { arrayOf, firstIdAt } from './kit/ids.ts'

type Keep = typeof config.keep
/** Moments in Unix seconds; `floor`: every id that was made before `before` is smaller. */
type At = { now: number; before: number; floor: string }
type Job = { name: string; keep: keyof Keep | null; sweep(em: EntityManager, at: At): Promise<number> }

const day = 86_400
const batch = 1_000
// Of one statement that removes executions with their runs: one of them may have a hundred thousand, and goes alone.
const runsMax = 5_000

const count = async (em: EntityManager, sql: string, values: readonly unknown[]): Promise<number> =>
  (await em.execute<{ affectedRows: number }>(sql, [...values], 'run')).affectedRows

/** Whoever holds a row needs it, or sweeps as well: it is passed over. As an array, so that the rows are fetched by their keys, however many there are. */
const goes = (table: string, condition: string, order: string) =>
  `delete from ${table} where id = any (array(select id from ${table} where ${condition} order by ${order} limit ${batch} for update skip locked))`

const old = (table: string, condition: string, order: string, values: (at: At) => unknown[]): Job['sweep'] => {
  const statement = goes(table, condition, order)
  return (em, at) => count(em, statement, values(at))
}

/** Ids are made in the order of time: what is settled by now was begun before, and is found without an index of its own. */
const settled = (table: string, condition = `status <> 'unknown'`) =>
  old(table, `id < ? and settled_at < to_timestamp(?) and ${condition}`, 'id', ({ floor, before }) => [floor, before])

// In a condition of its own, which the planner makes no join of: it is asked for those rows that are looked at, and no others.
const none = (query: string) => `not exists (select 1 from ${query} offset 0)`

/**
 * As a whole, with what its nodes gave. One whose outcome is not known is never forgotten. Then the graphs that they were the last to use: each sweeper looks
 * after its own commit, so that the last of several sees that nobody is left.
 */
async function sweepExecutions(em: EntityManager, { before, floor }: At): Promise<number> {
  const gone: { graph_id: string }[] = await em.execute(
    `with ended as materialized (select x.id, x.runs from executions x where x.id < ? and x.finished_at < ? and x.status in ('completed', 'failed', 'cancelled')
       and ${none(`node_runs r where r.execution_id = x.id and r.status in ('processing', 'unknown')`)} order by x.id limit ${batch} for update skip locked),
     few as (select id from (select id, sum(runs) over (order by id) - runs as runs_before from ended) s where runs_before < ${runsMax})
     delete from executions x using few where x.id = few.id returning x.graph_id`,
    [floor, before],
  )
  if (gone.length > 0)
    await em.execute(
      `delete from graphs g where g.id = any (?::uuid[]) and ${none('executions x where x.graph_id = g.id')}
       and not exists (select 1 from workflows w where w.id = g.workflow_id and w.graph_id = g.id)`,
      [arrayOf(new Set(gone.map(({ graph_id }) => graph_id)))],
    )
  return gone.length
}

const idArray = (rows: readonly { id: string }[]) => arrayOf(rows.map(({ id }) => id))

// Most contacts stay, so that no index says which go: each round looks at the next thousand, and begins anew behind the last. After a start anywhere.
let looked: string | null = null

/** A visitor who never said who she is, whose cart nobody touched, and whom nothing else names: the cart goes, then she and her session. */
async function sweepVisitors(em: EntityManager, { now, before, floor }: At): Promise<number> {
  looked ??= firstIdAt(before - Math.random() * (now - before))
  const seen: { id: string }[] = await em.execute('select id from contacts where id > ? and id < ? order by id limit ?', [looked, floor, batch])
  looked = seen.length < batch ? firstIdAt(0) : (seen.at(-1)?.id ?? null)
  if (seen.length === 0) return 0
  const ids = idArray(seen)
  const named = `${none('contact_channels h where h.contact_id = c.id')} and ${none('orders o where o.tenant_id = c.tenant_id and o.contact_id = c.id')}
    and ${none('form_submissions f where f.contact_id = c.id')} and c.taxonomies = '[]'`
  const active = `carts k where k.contact_id = c.id and (k.status <> 'open' or k.updated_at >= ?)`
  // Whoever is about to say who she is has a code in her mail.
  const asked = 'select s.contact_id from challenges h join contact_sessions s on s.id = h.contact_session_id where h.expires_at > ?'
  const seemed: { id: string }[] = await em.execute(
    `select c.id from contacts c where c.id = any (?::uuid[]) and ${named} and ${none(active)} and c.id not in (${asked})`,
    [ids, before, now],
  )
  if (seemed.length === 0) return 0
  const candidates = idArray(seemed)
  return em.transactional(async (at) => {
    // Sessions before contacts, as everybody holds them: who is in the middle of something keeps hers, and whoever comes after finds none.
    const sessions: { id: string }[] = await at.execute(
      'select id from contact_sessions where contact_id = any (?::uuid[]) order by id for update skip locked',
      [candidates],
    )
    const idle: { id: string }[] = await at.execute(
      `select c.id from contacts c where c.id = any (?::uuid[]) and ${named} and ${none(active)}
         and ${none('contact_sessions s where s.contact_id = c.id and s.id <> all (?::uuid[])')} order by c.id for update skip locked`,
      [candidates, before, idArray(sessions)],
    )
    if (idle.length === 0) return 0
    const theirs = idArray(idle)
    await at.execute(`delete from carts where contact_id = any (?::uuid[]) and status = 'open' and updated_at < ?`, [theirs, before])
    // A statement of its own: what was done until they were held is seen.
    return count(at, `delete from contacts c where c.id = any (?::uuid[]) and ${named} and ${none('carts k where k.contact_id = c.id')}`, [theirs])
  })
}

/** In the order of foreign keys; a table that grows by itself has a job, or says elsewhere why it needs none. */
const jobs: Job[] = [
  { name: 'media', keep: null, sweep: (em, { now }) => sweepMedia(em, now) },
  {
    name: 'rate_windows',
    keep: null,
    sweep: (em, { now }) =>
      count(
        em,
        `delete from rate_windows where ctid = any (array(select ctid from rate_windows where expires_at < ? order by expires_at limit ${batch} for update skip locked))`,
        [now],
      ),
  },
  {
    name: 'rotated_pairs',
    keep: null,
    sweep: (em) =>
      count(
        em,
        `update account_sessions set rotated_pair = null where id = any (array(select id from account_sessions
         where rotated_pair is not null and rotated_at < clock_timestamp() - interval '1 minute' order by rotated_at limit ${batch} for update skip locked))`,
        [],
      ),
  },
  { name: 'deliveries', keep: 'events', sweep: settled('deliveries', `status <> 'pending'`) },
  {
    name: 'events',
    keep: 'events',
    sweep: old('events', `id < ? and created_at < ? and ${none('deliveries d where d.event_id = events.id')}`, 'id', ({ floor, before }) => [floor, before]),
  },
  { name: 'executions', keep: 'executions', sweep: sweepExecutions },
  ...sweptTables.map((name): Job => ({ name, keep: name, sweep: settled(name) })),
  { name: 'provider_events', keep: 'provider_events', sweep: old('provider_events', 'received_at < ?', 'received_at', ({ before }) => [before]) },
  { name: 'challenges', keep: 'challenges', sweep: old('challenges', 'expires_at < ?', 'expires_at', ({ before }) => [before]) },
  {
    name: 'account_sessions',
    keep: 'sessions',
    sweep: old('account_sessions', 'least(refresh_expires_at, revoked_at) < ?', 'least(refresh_expires_at, revoked_at)', ({ before }) => [before]),
  },
  {
    name: 'contact_sessions',
    keep: 'sessions',
    sweep: old('contact_sessions', 'revoked_at < ?', 'revoked_at', ({ before }) => [before]),
  },
  {
    name: 'script_runs',
    keep: 'script_runs',
    sweep: old('script_runs', `id < ? and updated_at < ? and status <> 'running'`, 'id', ({ floor, before }) => [floor, before]),
  },
  { name: 'contacts', keep: 'carts', sweep: sweepVisitors },
]

/**
 * Until nothing is left to go, or `budgetMs` is over: whoever calls has other things to do, and comes again. Every job has its turn before one has its next.
 * How many rows went, by job; a job that fails keeps no other one waiting, and its error is thrown at the end. `now` in Unix seconds.
 */
export async function sweep(em: EntityManager, now: number, keep: Keep = config.keep, budgetMs = 2_000): Promise<Record<string, number>> {
  const end = performance.now() + budgetMs
  const gone: Record<string, number> = {}
  const errors: unknown[] = []
  let left = jobs.filter((job) => job.keep === null || keep[job.keep] > 0)
  do {
    const again: Job[] = []
    for (const job of left) {
      const before = now - (job.keep === null ? 0 : keep[job.keep] * day)
      try {
        const rows = await job.sweep(em, { now, before, floor: firstIdAt(before) })
        gone[job.name] = (gone[job.name] ?? 0) + rows
        if (rows > 0) again.push(job)
      } catch (error) {
        errors.push(error)
      }
    }
    left = again
  } while (left.length > 0 && performance.now() < end)
  if (errors.length > 0) throw errors[0]
  return gone
}
