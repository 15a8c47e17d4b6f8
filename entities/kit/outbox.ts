// Starts of workflows, written in the caller's transaction: start(em, 'refund', id) starts the workflow if, and only
// if, the transaction commits.
import type { EntityManager } from '@mikro-orm/postgresql'
import { cut } from '../../rules/excerpts.ts'
import type { ProcessKind, SignalledKind } from '../../rules/processes.ts'
import { insertions, insertRow, insertSelect } from './database/insert.ts'
import { type Sql, sql } from './database/sql.ts'
import { arrayOf, newId, newIdSql, uuids } from './ids.ts'
import { OutboxRow } from './outbox-row.ts'

export type Start = {
  id: string
  kind: ProcessKind
  row_id: string
  tenant_id: string | null
  summary: string | null
  again: boolean
}

const awaited = new WeakMap<EntityManager, Start[]>()

export type StartOptions = {
  tenant_id: string | null
  /**
   * A request waits for the workflow: if no relay starts it within a second, the API does (api/kit/answer/answer.ts).
   */
  awaited?: boolean
  /**
   * The process may run already: it is signalled to look at its rows again. Without it, the start of a running process
   * is lost.
   */
  signal?: boolean
  /** Shown in Temporal's UI beside kind and id; at most 200 bytes, nothing secret. */
  summary?: string
}

/** Kinds that are signalled only by a start that asks for it: every start of them says whether it does. */
type Says<K extends ProcessKind, O> = O & (K extends SignalledKind ? { signal: boolean } : unknown)

export async function start<K extends ProcessKind>(
  em: EntityManager,
  kind: K,
  rowId: string,
  o: Says<K, StartOptions>,
): Promise<void> {
  const row: Start = {
    id: newId(),
    kind,
    row_id: rowId,
    tenant_id: o.tenant_id,
    summary: o.summary ?? null,
    again: o.signal ?? false,
  }
  await insertRow(em, OutboxRow, row)
  if (o.awaited) awaited.set(em, [...(awaited.get(em) ?? []), row])
}

type Rows = readonly Pick<Start, 'id' | 'row_id'>[]
const insertStarts = (
  em: EntityManager,
  kind: ProcessKind,
  rows: Rows,
  { tenant_id, signal = false }: Pick<StartOptions, 'tenant_id' | 'signal'>,
): Sql => insertions(em, OutboxRow, { tenant_id, kind, again: signal }, rows)

/** The starts of some rows, at least one, as a part of a statement that is sent anyway. */
export const starting = (em: EntityManager, kind: ProcessKind, rowIds: readonly string[], tenant_id: string): Sql =>
  insertStarts(
    em,
    kind,
    rowIds.map((row_id) => ({ id: newId(), row_id })),
    { tenant_id },
  )

/** Starts the workflows of several rows. One statement, however many rows of a kind. */
export async function startAll<K extends ProcessKind>(
  em: EntityManager,
  kind: K,
  rowIds: readonly string[],
  o: Says<K, Omit<StartOptions, 'summary'>>,
): Promise<void> {
  if (rowIds.length === 0) return
  const { signal = false } = o
  const rows = rowIds.map(
    (row_id): Start => ({ id: newId(), kind, row_id, tenant_id: o.tenant_id, summary: null, again: signal }),
  )
  await em.execute(
    insertStarts(
      em,
      kind,
      rows.map(({ id, row_id }) => ({ id, row_id })),
      o,
    ),
  )
  if (o.awaited) awaited.set(em, [...(awaited.get(em) ?? []), ...rows])
}

/**
 * Starts the workflows of the rows whose `id` and `tenant_id` a statement returns, with it: a row's change and its
 * start are one.
 */
export async function startFound<K extends ProcessKind>(
  em: EntityManager,
  kind: K,
  found: Sql,
  o: Says<K, Pick<StartOptions, 'awaited' | 'signal'>>,
): Promise<Start[]> {
  const same = { kind, again: o.signal ?? false }
  const row = insertSelect(em, OutboxRow, {
    ...same,
    id: newIdSql,
    tenant_id: sql`found_rows.tenant_id`,
    row_id: sql`found_rows.id`,
  })
  const rows: Pick<Start, 'id' | 'row_id' | 'tenant_id'>[] = await em.execute(
    sql`with found_rows as (${found}) ${row} from found_rows returning id, row_id, tenant_id`,
  )
  const starts = rows.map((one): Start => ({ ...one, ...same, summary: null }))
  if (o.awaited) awaited.set(em, [...(awaited.get(em) ?? []), ...starts])
  return starts
}

/** Returns the starts that the request waits for, and forgets them. To be called after the commit. */
export function takeAwaited(em: EntityManager): Start[] {
  const starts = awaited.get(em) ?? []
  awaited.delete(em)
  return starts
}

/** Those of `kinds` that have a row that may be leased now. */
export async function waitingKinds(em: EntityManager, kinds: readonly ProcessKind[]): Promise<ProcessKind[]> {
  const rows: { kind: ProcessKind }[] = await em.execute(sql`
    select kind
    from unnest(${arrayOf(kinds)}::text[]) as k(kind)
    where exists (
      select 1
      from outbox o
      where o.kind = k.kind
        and not o.parked
        and o.not_before <= statement_timestamp()
        and (o.lease_until is null or o.lease_until < statement_timestamp())
    )
  `)
  return rows.map(({ kind }) => kind)
}

/** The most rows of one tenant and kind in one lease: its starts take less time than the lease. */
export const LEASE_EACH = 25

/**
 * Leases up to `limit` due rows of these kinds for `leaseS` seconds, in turns by tenant: the oldest rows of each tenant
 * that has any. The caller commits the lease before it starts workflows, so that no lock is held across a call. The
 * rows of a worker that dies can be leased again when its lease ends.
 */
export async function lease(
  em: EntityManager,
  kinds: readonly ProcessKind[],
  limit: number,
  leaseS: number,
): Promise<(Start & { tries: number })[]> {
  // The index is searched for one tenant after the other: the rows of a tenant with many are not all read.
  return em.execute(sql`
    with recursive kinds as materialized (select unnest(${arrayOf(kinds)}::text[]) as kind),
    heads as (
      select k.kind,
        (
          select o.tenant_id
          from outbox o
          where o.kind = k.kind and not o.parked and o.tenant_id is not null
          order by o.tenant_id
          limit 1
        ) as tenant_id
      from kinds k
      union all
      select h.kind,
        (
          select o.tenant_id
          from outbox o
          where o.kind = h.kind and not o.parked and o.tenant_id > h.tenant_id
          order by o.tenant_id
          limit 1
        )
      from heads h
      where h.tenant_id is not null
    ),
    owners as materialized (
      select kind, tenant_id
      from heads
      where tenant_id is not null
      order by random()
      limit ${limit}
    ),
    tenant_rows as materialized (
      select o.id
      from owners h
      cross join lateral (
        select id
        from outbox o
        where o.kind = h.kind
          and o.tenant_id = h.tenant_id
          and not o.parked
          and o.not_before <= statement_timestamp()
          and (o.lease_until is null or o.lease_until < statement_timestamp())
        order by o.not_before
        limit greatest(1, least(${LEASE_EACH}, ${limit} / (select count(*) from owners)))
        for update skip locked
      ) o
    ),
    global_rows as materialized (
      select o.id
      from kinds k
      cross join lateral (
        select id
        from outbox o
        where o.kind = k.kind
          and o.tenant_id is null
          and not o.parked
          and o.not_before <= statement_timestamp()
          and (o.lease_until is null or o.lease_until < statement_timestamp())
        order by o.not_before
        limit ${LEASE_EACH}
        for update skip locked
      ) o
    )
    update outbox
    set lease_until = clock_timestamp() + make_interval(secs => ${leaseS}), tries = tries + 1
    where id = any (array(select id from tenant_rows union all select id from global_rows))
    returning id, kind, row_id, tenant_id, tries, summary, again
  `)
}

/** Those of these rows that no relay has started. */
export async function stillThere(em: EntityManager, ids: readonly string[]): Promise<Set<string>> {
  const rows: { id: string }[] = await em.execute(sql`select id from outbox where id = any (${uuids(ids)})`)
  return new Set(rows.map(({ id }) => id))
}

export const remove = (em: EntityManager, ids: readonly string[]) =>
  ids.length === 0 ? Promise.resolve() : em.execute(sql`delete from outbox where id = any (${uuids(ids)})`)

/**
 * Tries again after a growing pause, of at most five minutes. After 20 tries (about an hour) the row is parked, and
 * counted in the metrics until an operator acts. `isTemporals`: Temporal refuses this start while it starts others; the
 * pause is half a minute at most, and the row is never parked, as the same start succeeds once Temporal works for it.
 */
export const postpone = (em: EntityManager, id: string, tries: number, error: string, isTemporals = false) => {
  const pauseS = Math.min(isTemporals ? 30 : 300, 0.5 * 2 ** Math.min(tries, 10))
  return em.execute(sql`
    update outbox
    set lease_until = null, not_before = clock_timestamp() + make_interval(secs => ${pauseS}),
      parked = ${!isTemporals && tries >= 20}, error = ${cut(error, 500)}
    where id = ${id}
  `)
}

/** Puts rows back during an outage of Temporal: they are due again in a second, and the try does not count. */
export const putBack = (em: EntityManager, ids: readonly string[]) =>
  ids.length === 0
    ? Promise.resolve()
    : em.execute(sql`
        update outbox
        set lease_until = null, tries = tries - 1, not_before = clock_timestamp() + interval '1 s'
        where id = any (${uuids(ids)})
      `)

/** Counts the starts of all tenants. */
export async function countOutbox(em: EntityManager): Promise<{ parked: number; waiting: number }> {
  const [row]: { parked: number; waiting: number }[] = await em.execute(sql`
    select count(*) filter (where parked)::int as parked, count(*) filter (where not parked)::int as waiting
    from outbox
  `)
  return row ?? { parked: 0, waiting: 0 }
}
