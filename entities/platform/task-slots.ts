// The slots of task queues, shared by tenants: a tenant's work is scheduled only while the tenant and its account hold
// less than their shares of all workers' slots.
// Every change of task_slots locks the tenant's row of task_slot_counts first and changes it in the same statement or
// transaction: the lock makes a tenant's counts exact, and the order prevents deadlocks. The rows of an account's other
// tenants are read unlocked.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ProcessKind } from '../../rules/processes.ts'
import type { SlotPool } from '../../rules/queues.ts'
import { grants, type Holder, type Others, shareOf, shareSql } from '../../rules/shares.ts'
import { insertion } from '../kit/database/insert.ts'
import { join, json, type Sql, sql, text } from '../kit/database/sql.ts'
import { newIdSql, uuids } from '../kit/ids.ts'
import { accountOf } from '../stores/tenant-owner.ts'
import { TaskSlot } from './task-slot.ts'

/** A worker without a heartbeat for so long does not count. Seconds. */
const seenS = 20
const isLive = sql`seen_at > statement_timestamp() - make_interval(secs => ${seenS})`

/** The slots of a queue over all live workers. */
async function capacityOf(em: EntityManager, queue: SlotPool): Promise<number> {
  const [row]: { slots: number }[] = await em.execute(sql`
    select coalesce(sum(slots), 0)::int as slots
    from task_workers
    where queue = ${queue} and ${isLive}
  `)
  return row?.slots ?? 0
}

/** The worker is alive. Workers without a heartbeat for an hour are removed. */
export const recordHeartbeat = (
  em: EntityManager,
  workerId: string,
  slots: Readonly<Partial<Record<SlotPool, number>>>,
) =>
  em.execute(sql`
    with expired_workers as (
      delete from task_workers where seen_at < clock_timestamp() - interval '1 hour'
    )
    insert into task_workers (id, queue, slots, seen_at)
    select ${workerId}, key, value::int, clock_timestamp()
    from jsonb_each_text(${json(slots)})
    on conflict (id, queue) do update
    set slots = excluded.slots, seen_at = excluded.seen_at
  `)

export const removeWorker = (em: EntityManager, workerId: string) =>
  em.execute(sql`delete from task_workers where id = ${workerId}`)

/**
 * What other tenants hold of a queue: those of the same account, and all others. `own` is a row of task_slot_counts.
 */
const heldBeside = (own: Sql) => sql`
  select coalesce(sum(o.held) filter (where o.account_id = ${own}.account_id), 0)::int as by_account,
    coalesce(sum(o.held) filter (where o.account_id is distinct from ${own}.account_id), 0)::int as by_others
  from task_slot_counts o
  where o.queue = ${own}.queue and o.tenant_id <> ${own}.tenant_id
`

type Exchange = {
  /** Ids of rows that need their slot, or their wait for one, no more. */
  frees: readonly string[]
  /** Ids of rows that need a slot, in their order. */
  takes: readonly string[]
}

/**
 * Common table expressions of a statement that has `slot_owner (id, tenant_id)`, at most one row: the slots of
 * `frees` are freed, and `takes` are granted in their order as far as the share reaches, while no older work of the
 * tenant waits; the others wait. `updated_counts.granted` says how many were granted.
 */
export function exchange(queue: SlotPool, kind: ProcessKind, { frees, takes }: Exchange): Sql {
  const slots = text(`(
    select coalesce(sum(k.slots), 0)
    from task_workers k
    where k.queue = '${queue}' and k.seen_at > statement_timestamp() - interval '${seenS} s'
  )`)
  const share = text(shareSql(slots.sql, { byAccount: 'b.by_account', byOthers: 'b.by_others' }))
  return sql`
    locked_counts as materialized (
      select c.tenant_id
      from task_slot_counts c, slot_owner s
      where c.tenant_id = s.tenant_id and c.queue = ${queue}
      for update of c
    ),
    freed_slots as (
      delete from task_slots t
      using locked_counts l
      where t.tenant_id = l.tenant_id and t.id = any (${uuids(frees)})
      returning t.granted
    ),
    owner_account as (
      select s.tenant_id, ${queue}::text as queue, ${accountOf(sql`s.tenant_id`)} as account_id
      from slot_owner s
    ),
    request as (
      select a.tenant_id, a.account_id, ${takes.length}::int as takes,
        (select count(*) from freed_slots where granted) as held,
        (select count(*) from freed_slots where not granted) as waiting, ${share} as share
      from owner_account a
      cross join lateral (${heldBeside(sql`a`)}) b
    ),
    updated_counts as (
      insert into task_slot_counts as c (tenant_id, queue, account_id, held, waiting, granted)
      select tenant_id, ${queue}, account_id, least(takes, share), takes - least(takes, share), least(takes, share)
      from request
      where takes > 0 or held > 0 or waiting > 0
      on conflict (tenant_id, queue) do update
      set (account_id, held, waiting, granted) = (
        select excluded.account_id, greatest(0, c.held - r.held) + grants.n,
          greatest(0, c.waiting - r.waiting) + r.takes - grants.n, grants.n
        from request r,
          lateral (
            select case
              when c.waiting > r.waiting then 0
              else least(r.takes, greatest(0, r.share - greatest(0, c.held - r.held)))
            end as n
          ) grants
      )
      returning granted
    ),
    new_slots as (
      insert into task_slots (id, tenant_id, queue, kind, row_id, granted, at)
      select x.id, s.tenant_id, ${queue}, ${kind}, s.id, x.n <= c.granted, clock_timestamp()
      from slot_owner s, updated_counts c, unnest(${uuids(takes)}) with ordinality x(id, n)
      on conflict (id) do nothing
    )
  `
}

export type Place = { tenant_id: string; queue: SlotPool; kind: ProcessKind; row_id: string }

/** Locks the tenant's counts of a queue until the transaction ends. */
export async function lockCounts(
  em: EntityManager,
  tenantId: string,
  queue: SlotPool,
): Promise<Pick<Holder, 'held' | 'waiting'>> {
  const [own]: Pick<Holder, 'held' | 'waiting'>[] = await em.execute(sql`
    insert into task_slot_counts as c (tenant_id, queue, account_id, held, waiting, granted)
    select tenant.tenant_id, ${queue}, ${accountOf(sql`tenant.tenant_id`)}, 0, 0, 0
    from (select ${tenantId}::uuid as tenant_id) tenant
    on conflict (tenant_id, queue) do update
    set account_id = excluded.account_id
    returning held, waiting
  `)
  return own ?? { held: 0, waiting: 0 }
}

/**
 * Takes a slot of a queue. True: the holder has a slot and frees it by its own id. False: the row waits for a slot,
 * once however often it is asked for. When a slot is granted, the row's process is signalled, and the next call for the
 * row takes the slot over.
 * `worker`: null where the slot does not end with its worker. In a transaction.
 */
export async function takeSlot(
  em: EntityManager,
  { tenant_id, queue, kind, row_id }: Place,
  holder: { id: string; worker: string | null },
): Promise<boolean> {
  const own = await lockCounts(em, tenant_id, queue)
  // Statements of their own: what was committed before the count was locked is seen.
  const [known]: { granted: boolean }[] = await em.execute(
    sql`select granted from task_slots where id = ${row_id} and tenant_id = ${tenant_id}`,
  )
  if (known?.granted)
    await em.execute(sql`
      update task_slots
      set id = ${holder.id}, worker = ${holder.worker}, at = clock_timestamp()
      where id = ${row_id} and tenant_id = ${tenant_id}
    `)
  if (known) return known.granted
  const [beside]: Others[] = await em.execute(sql`
    select b.*
    from task_slot_counts own
    cross join lateral (${heldBeside(sql`own`)}) b
    where own.tenant_id = ${tenant_id} and own.queue = ${queue}
  `)
  const granted = own.waiting === 0 && own.held < shareOf(await capacityOf(em, queue), beside)
  const slot = granted ? holder : { id: row_id, worker: null }
  const placed = insertion(em, TaskSlot, {
    ...slot,
    tenant_id,
    queue,
    kind,
    row_id,
    granted,
    at: sql`clock_timestamp()`,
  })
  await em.execute(sql`
    with new_slot as (${placed})
    update task_slot_counts
    set held = held + ${granted ? 1 : 0}, waiting = waiting + ${granted ? 0 : 1}
    where tenant_id = ${tenant_id} and queue = ${queue}
  `)
  return granted
}

/**
 * Locks the counts that a slot, or a wait for one, belongs to: for a transaction that locks other rows before it frees
 * the slot.
 */
export async function lockCountsOfSlot(em: EntityManager, id: string): Promise<void> {
  await em.execute(sql`
    select 1
    from task_slot_counts c
    join task_slots t on t.tenant_id = c.tenant_id and t.queue = c.queue
    where t.id = ${id}
    for update of c
  `)
}

/**
 * Frees the slot, or ends the wait for one; without effect where there is neither. The id is ours, and names one
 * tenant's row.
 */
export async function freeSlot(em: EntityManager, id: string): Promise<void> {
  await em.execute(sql`
    with locked_counts as materialized (
      select c.tenant_id
      from task_slot_counts c
      join task_slots t on t.tenant_id = c.tenant_id and t.queue = c.queue
      where t.id = ${id}
      for update of c
    ),
    freed_slots as (
      delete from task_slots t
      using locked_counts
      where t.id = ${id} and t.tenant_id = locked_counts.tenant_id
      returning t.tenant_id, t.queue, t.granted
    )
    update task_slot_counts c
    set held = greatest(0, held - case when f.granted then 1 else 0 end),
      waiting = greatest(0, waiting - case when f.granted then 0 else 1 end)
    from freed_slots f
    where c.tenant_id = f.tenant_id and c.queue = f.queue
  `)
}

/** The queues in which work of any tenant waits: nothing of a tenant is read. */
export const queuesWithWaitingWork = async (em: EntityManager): Promise<SlotPool[]> => {
  const rows: { queue: SlotPool }[] = await em.execute(
    sql`select distinct queue from task_slot_counts where waiting > 0`,
  )
  return rows.map(({ queue }) => queue)
}

/**
 * Grants the free slots of a queue to waiting work, in turns by tenant and in order within one, and enqueues a start or
 * signal of each row's process. In a transaction. A tenant whose counts another transaction has locked has its turn in
 * the next round. Returns how many were granted.
 */
export async function grantSlots(em: EntityManager, queue: SlotPool): Promise<number> {
  const waiting: Holder[] = await em.execute(sql`
    select tenant_id, account_id, held, waiting
    from task_slot_counts
    where queue = ${queue} and waiting > 0
    order by tenant_id
    for update skip locked
  `)
  if (waiting.length === 0) return 0
  const locked = new Set(waiting.map(({ tenant_id }) => tenant_id))
  const others: Holder[] = await em.execute(sql`
    select tenant_id, account_id, held, 0 as waiting
    from task_slot_counts
    where queue = ${queue} and held > 0
  `)
  const capacity = await capacityOf(em, queue)
  const granted = grants(capacity, [...waiting, ...others.filter(({ tenant_id }) => !locked.has(tenant_id))])
  if (granted.size === 0) return 0
  const shares = [...granted].map(([tenant_id, n]) => ({ tenant_id, n }))
  const [done]: { count: number }[] = await em.execute(sql`
    with grants as (
      select * from jsonb_to_recordset(${json(shares)}) as g(tenant_id uuid, n int)
    ),
    waiting_slots as materialized (
      select s.id, s.tenant_id, s.kind, s.row_id
      from grants g
      cross join lateral (
        select t.id, t.tenant_id, t.kind, t.row_id
        from task_slots t
        where t.queue = ${queue} and t.tenant_id = g.tenant_id and not t.granted
        order by t.at, t.id
        limit g.n
        for update skip locked
      ) s
    ),
    granted_slots as (
      update task_slots t
      set granted = true, at = clock_timestamp()
      from waiting_slots w
      where t.id = w.id and t.tenant_id = w.tenant_id
    ),
    updated_counts as (
      update task_slot_counts k
      set held = held + slot_counts.n, waiting = greatest(0, waiting - slot_counts.n)
      from (select tenant_id, count(*) as n from waiting_slots group by tenant_id) slot_counts
      where k.tenant_id = slot_counts.tenant_id and k.queue = ${queue}
    ),
    signals as (
      insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked, again)
      select ${newIdSql}, tenant_id, kind, row_id, clock_timestamp(), 0, false, true
      from (select distinct tenant_id, kind, row_id from waiting_slots) owners
    )
    select count(*)::int as count
    from waiting_slots
  `)
  return done?.count ?? 0
}

/**
 * A slot `t` of a webhook or a computing execution, which is signalled at once when it is granted, and that no activity
 * has taken over for five minutes.
 */
export const isForgotten = sql`(t.granted and t.at < clock_timestamp() - interval '300 s')`
/**
 * An activity that holds a slot ends after five minutes at most (its timeout); after this the slot is freed. Seconds.
 */
const heldS = 360

export type CountKey = { tenant_id: string; queue: SlotPool }

/** Conditions by kind: a slot `t` that no worker holds, and whose work has ended. */
export type SlotsEnded = Readonly<Partial<Record<ProcessKind, Sql>>>

/**
 * Frees the slots of work that has ended without doing so itself, counts the others, and removes counts of zero, under
 * the lock of the counts: for up to `limit` tenants and queues after `after`. In a transaction. Counts that another
 * transaction has locked are left to the next round. Returns the last one; null at the end.
 */
export async function recountSlots(
  em: EntityManager,
  ended: SlotsEnded,
  after: CountKey | null,
  limit: number,
): Promise<CountKey | null> {
  const { tenant_id, queue } = after ?? { tenant_id: '00000000-0000-0000-0000-000000000000', queue: '' }
  const locked: CountKey[] = await em.execute(sql`
    select tenant_id, queue
    from task_slot_counts
    where (tenant_id, queue) > (${tenant_id}::uuid, ${queue}::text)
    order by tenant_id, queue
    limit ${limit}
    for update skip locked
  `)
  if (locked.length === 0) return null
  const keys = sql`jsonb_to_recordset(${json(locked)}) as l(tenant_id uuid, queue text)`
  const ofKinds = Object.entries(ended).map(([kind, hasEnded]) => sql`when t.kind = ${kind} then ${hasEnded}`)
  await em.execute(sql`
    with ended_slots as materialized (
      select t.id, t.tenant_id
      from ${keys}
      join task_slots t on t.tenant_id = l.tenant_id and t.queue = l.queue
      where case
        when t.worker is not null
          then t.at < clock_timestamp() - make_interval(secs => ${heldS})
            or not exists (select 1 from task_workers k where k.id = t.worker and ${isLive}) ${join(ofKinds, ' ')}
      end
      for update of t skip locked
    )
    delete from task_slots t
    using ended_slots e
    where t.id = e.id and t.tenant_id = e.tenant_id
  `)
  await em.execute(sql`
    update task_slot_counts c
    set held = counts.held, waiting = counts.waiting
    from (
      select l.tenant_id, l.queue, count(*) filter (where t.granted) as held,
        count(*) filter (where not t.granted) as waiting
      from ${keys}
      left join task_slots t on t.tenant_id = l.tenant_id and t.queue = l.queue
      group by l.tenant_id, l.queue
    ) counts
    where c.tenant_id = counts.tenant_id
      and c.queue = counts.queue
      and (c.held, c.waiting) is distinct from (counts.held, counts.waiting)
  `)
  await em.execute(sql`
    delete from task_slot_counts c
    using ${keys}
    where c.tenant_id = l.tenant_id and c.queue = l.queue and c.held = 0 and c.waiting = 0
  `)
  return locked.at(-1) ?? null
}
