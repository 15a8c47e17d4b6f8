// start(em, 'refund', id): the workflow starts if, and only if, the caller's transaction commits.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ProcessKind } from '../../rules/processes.ts'
import { arrayOf, newId } from './ids.ts'

export type Start = { id: string; kind: ProcessKind; row_id: string; tenant_id: string | null; summary: string | null; again: boolean }

const awaited = new WeakMap<EntityManager, Start[]>()

export type StartOptions = {
  tenant_id: string | null
  /** A request waits for it: where no relay starts it soon, the API does (api/kit/answer.ts). */
  awaited?: boolean
  /** The process probably runs: it is signalled at once instead of started. A wrong guess costs one more call. */
  again?: boolean
  /** For Temporal's UI, where kind and id say too little; no more than 200 bytes, nothing secret. */
  summary?: string
}

export async function start(em: EntityManager, kind: ProcessKind, rowId: string, o: StartOptions): Promise<void> {
  const row: Start = { id: newId(), kind, row_id: rowId, tenant_id: o.tenant_id, summary: o.summary ?? null, again: o.again ?? false }
  await em.execute(
    `insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked, summary, again)
     values (?, ?, ?, ?, clock_timestamp(), 0, false, ?, ?)`,
    [row.id, row.tenant_id, row.kind, row.row_id, row.summary, row.again],
  )
  if (o.awaited) awaited.set(em, [...(awaited.get(em) ?? []), row])
}

/** One statement, however many rows of a kind. */
export async function startAll(em: EntityManager, kind: ProcessKind, rowIds: readonly string[], o: Omit<StartOptions, 'summary' | 'again'>): Promise<void> {
  if (rowIds.length === 0) return
  const rows = rowIds.map((row_id): Start => ({ id: newId(), kind, row_id, tenant_id: o.tenant_id, summary: null, again: false }))
  await em.execute(
    `insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked)
     select id, ?, ?, row_id, clock_timestamp(), 0, false from jsonb_to_recordset(?::jsonb) as x(id uuid, row_id uuid)`,
    [o.tenant_id, kind, JSON.stringify(rows.map(({ id, row_id }) => ({ id, row_id })))],
  )
  if (o.awaited) awaited.set(em, [...(awaited.get(em) ?? []), ...rows])
}

/** What a request waits for, now that it is committed. */
export function takeAwaited(em: EntityManager): Start[] {
  const starts = awaited.get(em) ?? []
  awaited.delete(em)
  return starts
}

/** Those of `kinds` of which some tenant has a row that may be leased now. */
export async function waitingKinds(em: EntityManager, kinds: readonly ProcessKind[]): Promise<ProcessKind[]> {
  const rows: { kind: ProcessKind }[] = await em.execute(
    `select kind from unnest(?::text[]) as k(kind) where exists (select 1 from outbox o where o.kind = k.kind and not o.parked and o.not_before <= statement_timestamp()
       and (o.lease_until is null or o.lease_until < statement_timestamp()))`,
    [arrayOf(kinds)],
  )
  return rows.map(({ kind }) => kind)
}

/** Rows of one tenant and kind in one lease: more of them wait for the next, so that a lease is short. */
export const LEASE_EACH = 25

/**
 * Takes up to `limit` rows of these kinds whose time has come for `leaseS` seconds, in turns by tenant: the first rows of every tenant that has some, however
 * many rows another one has. The lease is committed before anything is started: no lock is held across a call, and a worker that dies with a lease loses it.
 */
export async function lease(em: EntityManager, kinds: readonly ProcessKind[], limit: number, leaseS: number): Promise<(Start & { tries: number })[]> {
  // Tenants are found one after the other in the index: what each has before it is not read.
  return em.execute(
    `with recursive kinds as materialized (select unnest(?::text[]) as kind),
     heads as (
       select k.kind, (select o.tenant_id from outbox o where o.kind = k.kind and not o.parked and o.tenant_id is not null order by o.tenant_id limit 1) as tenant_id from kinds k
       union all
       select h.kind, (select o.tenant_id from outbox o where o.kind = h.kind and not o.parked and o.tenant_id > h.tenant_id order by o.tenant_id limit 1)
       from heads h where h.tenant_id is not null),
     owners as materialized (select kind, tenant_id from heads where tenant_id is not null order by random() limit ?),
     owned as materialized (select o.id from owners h cross join lateral (
       select id from outbox o where o.kind = h.kind and o.tenant_id = h.tenant_id and not o.parked and o.not_before <= statement_timestamp()
         and (o.lease_until is null or o.lease_until < statement_timestamp())
       order by o.not_before limit greatest(1, least(${LEASE_EACH}, ? / (select count(*) from owners))) for update skip locked) o),
     ownerless as materialized (select o.id from kinds k cross join lateral (
       select id from outbox o where o.kind = k.kind and o.tenant_id is null and not o.parked and o.not_before <= statement_timestamp()
         and (o.lease_until is null or o.lease_until < statement_timestamp()) order by o.not_before limit ${LEASE_EACH} for update skip locked) o)
     update outbox set lease_until = clock_timestamp() + make_interval(secs => ?), tries = tries + 1
     where id = any (array(select id from owned union all select id from ownerless)) returning id, kind, row_id, tenant_id, tries, summary, again`,
    [arrayOf(kinds), limit, limit, leaseS],
  )
}

/** Those of these ids that no relay has started. */
export async function stillThere(em: EntityManager, ids: readonly string[]): Promise<Set<string>> {
  const rows: { id: string }[] = await em.execute('select id from outbox where id = any (?::uuid[])', [arrayOf(ids)])
  return new Set(rows.map(({ id }) => id))
}

export const remove = (em: EntityManager, ids: readonly string[]) =>
  ids.length === 0 ? Promise.resolve() : em.execute(`delete from outbox where id in (${ids.map(() => '?').join(',')})`, [...ids])

/** Tried again with a growing pause; after 20 tries (about an hour) it is parked, and shown in the metrics until somebody looks. */
export const postpone = (em: EntityManager, id: string, tries: number, error: string) =>
  em.execute('update outbox set lease_until = null, not_before = clock_timestamp() + make_interval(secs => ?), parked = ?, error = ? where id = ?', [
    Math.min(300, 0.5 * 2 ** Math.min(tries, 10)),
    tries >= 20,
    error.slice(0, 500),
    id,
  ])

/** The engine is away: the row waits a second, and this try does not count. */
export const putBack = (em: EntityManager, id: string) =>
  em.execute(`update outbox set lease_until = null, tries = tries - 1, not_before = clock_timestamp() + interval '1 s' where id = ?`, [id])

/** For all tenants: how many starts wait, and how many were tried too often. */
export async function countOutbox(em: EntityManager): Promise<{ parked: number; waiting: number }> {
  const [row]: { parked: number; waiting: number }[] = await em.execute(
    'select count(*) filter (where parked)::int as parked, count(*) filter (where not parked)::int as waiting from outbox',
  )
  return row ?? { parked: 0, waiting: 0 }
}
