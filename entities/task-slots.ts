// The slots of task queues, shared by tenants: a tenant's work is scheduled only while the tenant holds less than its share of all workers' slots.
// Every change of task_slots changes the tenant's row of task_slot_counts in the same statement or transaction: the row's lock makes the counts exact.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ProcessKind, QueueName } from '../rules/processes.ts'
import { grants, type Holder, shareOf, shareSql } from '../rules/shares.ts'

/** A worker that was not seen for so long does not count. Seconds. */
const seenS = 20

/** The slots of a queue over all workers that are there. */
async function capacityOf(em: EntityManager, queue: QueueName): Promise<number> {
  const [row]: { slots: number }[] = await em.execute(
    `select coalesce(sum(slots), 0)::int as slots from task_workers where queue = ? and seen_at > statement_timestamp() - interval '${seenS} s'`,
    [queue],
  )
  return row?.slots ?? 0
}

/** This worker is there. Those that are long gone are removed. */
export const beat = (em: EntityManager, workerId: string, slots: Readonly<Partial<Record<QueueName, number>>>) =>
  em.execute(
    `with gone as (delete from task_workers where seen_at < clock_timestamp() - interval '1 hour')
     insert into task_workers (id, queue, slots, seen_at) select ?, key, value::int, clock_timestamp() from jsonb_each_text(?::jsonb)
     on conflict (id, queue) do update set slots = excluded.slots, seen_at = excluded.seen_at`,
    [workerId, JSON.stringify(slots)],
  )

export const leave = (em: EntityManager, workerId: string) => em.execute('delete from task_workers where id = ?', [workerId])

/**
 * Common table expressions of a statement that has `moved (id, tenant_id)`, at most one row: the slots of `frees` are given back, and `takes` are granted in
 * their order as far as the share reaches, while no older work of the tenant waits; the others wait. `counted.granted` says how many were granted.
 */
export const exchange = (queue: QueueName, kind: ProcessKind): string => `
     freed as (delete from task_slots t using moved m where t.tenant_id = m.tenant_id and t.id = any (array(select (jsonb_array_elements_text(?::jsonb))::uuid))
       returning t.granted),
     wish as (select m.tenant_id, ?::int as takes, (select count(*) from freed where granted) as held, (select count(*) from freed where not granted) as waiting,
         ${shareSql(
           `(select coalesce(sum(k.slots), 0) from task_workers k where k.queue = '${queue}' and k.seen_at > statement_timestamp() - interval '${seenS} s')`,
           `(select coalesce(sum(o.held), 0) from task_slot_counts o where o.queue = '${queue}' and o.tenant_id <> m.tenant_id)`,
         )} as share
       from moved m),
     counted as (insert into task_slot_counts as c (tenant_id, queue, held, waiting, granted)
       select tenant_id, '${queue}', least(takes, share), takes - least(takes, share), least(takes, share) from wish where takes > 0 or held > 0 or waiting > 0
       on conflict (tenant_id, queue) do update set (held, waiting, granted) = (
         select greatest(0, c.held - w.held) + g.n, greatest(0, c.waiting - w.waiting) + w.takes - g.n, g.n
         from wish w, lateral (select case when c.waiting > w.waiting then 0 else least(w.takes, greatest(0, w.share - greatest(0, c.held - w.held))) end as n) g)
       returning granted),
     placed as (insert into task_slots (id, tenant_id, queue, kind, row_id, granted, at)
       select x.id::uuid, m.tenant_id, '${queue}', '${kind}', m.id, x.n <= c.granted, clock_timestamp()
       from moved m, counted c, jsonb_array_elements_text(?::jsonb) with ordinality x(id, n) on conflict (id) do nothing)`

export type Place = { tenant_id: string; queue: QueueName; kind: ProcessKind; row_id: string }

/**
 * True: the holder has a slot, which it gives back by its own id. False: the row waits, once however many ask for it, and its process is signalled when a slot
 * is granted, which whoever asks next takes over. In a transaction.
 */
export async function takeSlot(em: EntityManager, { tenant_id, queue, kind, row_id }: Place, holder: { id: string; worker: string }): Promise<boolean> {
  const [own]: Pick<Holder, 'held' | 'waiting'>[] = await em.execute(
    `insert into task_slot_counts as c (tenant_id, queue, held, waiting, granted) values (?, ?, 0, 0, 0)
     on conflict (tenant_id, queue) do update set granted = c.granted returning held, waiting`,
    [tenant_id, queue],
  )
  // Statements of their own: what was committed before the count was locked is seen.
  const [known]: { granted: boolean }[] = await em.execute('select granted from task_slots where id = ? and tenant_id = ?', [row_id, tenant_id])
  if (known?.granted)
    await em.execute('update task_slots set id = ?, worker = ?, at = clock_timestamp() where id = ? and tenant_id = ?', [
      holder.id,
      holder.worker,
      row_id,
      tenant_id,
    ])
  if (known) return known.granted
  const [others]: { held: number }[] = await em.execute('select coalesce(sum(held), 0)::int as held from task_slot_counts where queue = ? and tenant_id <> ?', [
    queue,
    tenant_id,
  ])
  const granted = own?.waiting === 0 && own.held < shareOf(await capacityOf(em, queue), others?.held ?? 0)
  await em.execute(
    `with placed as (insert into task_slots (id, tenant_id, queue, kind, row_id, worker, granted, at) values (?, ?, ?, ?, ?, ?, ?, clock_timestamp()))
     update task_slot_counts set held = held + ?, waiting = waiting + ? where tenant_id = ? and queue = ?`,
    [
      ...[granted ? holder.id : row_id, tenant_id, queue, kind, row_id, granted ? holder.worker : null, granted],
      ...[granted ? 1 : 0, granted ? 0 : 1, tenant_id, queue],
    ],
  )
  return granted
}

/** Gives the slot back, or its place among those who wait; nothing where it has neither. The id is ours, and names one tenant's row. */
export const freeSlot = (em: EntityManager, id: string) =>
  em.execute(
    `with freed as (delete from task_slots where id = ? returning tenant_id, queue, granted)
     update task_slot_counts c set held = greatest(0, held - case when f.granted then 1 else 0 end), waiting = greatest(0, waiting - case when f.granted then 0 else 1 end)
     from freed f where c.tenant_id = f.tenant_id and c.queue = f.queue`,
    [id],
  )

/** The queues in which somebody waits. For all tenants: nothing of a tenant is read. */
export const queuesWithWaiting = async (em: EntityManager): Promise<QueueName[]> => {
  const rows: { queue: QueueName }[] = await em.execute('select distinct queue from task_slot_counts where waiting > 0')
  return rows.map(({ queue }) => queue)
}

/**
 * Grants the free slots of a queue to those who wait, in turns by tenant and in order within one, and asks for a signal to each of their processes. In a
 * transaction; a tenant whose count somebody else is changing has its turn in the next round. How many were granted.
 */
export async function grantSlots(em: EntityManager, queue: QueueName): Promise<number> {
  const waiting: Holder[] = await em.execute(
    'select tenant_id, held, waiting from task_slot_counts where queue = ? and waiting > 0 order by tenant_id for update skip locked',
    [queue],
  )
  if (waiting.length === 0) return 0
  const locked = new Set(waiting.map(({ tenant_id }) => tenant_id))
  const others: Holder[] = await em.execute('select tenant_id, held, 0 as waiting from task_slot_counts where queue = ? and held > 0', [queue])
  const capacity = await capacityOf(em, queue)
  const granted = grants(capacity, [...waiting, ...others.filter(({ tenant_id }) => !locked.has(tenant_id))])
  if (granted.size === 0) return 0
  const [done]: { count: number }[] = await em.execute(
    `with granted as (select * from jsonb_to_recordset(?::jsonb) as g(tenant_id uuid, n int)),
     chosen as materialized (select s.id, s.tenant_id, s.kind, s.row_id from granted g cross join lateral (
       select t.id, t.tenant_id, t.kind, t.row_id from task_slots t where t.queue = ? and t.tenant_id = g.tenant_id and not t.granted
       order by t.at, t.id limit g.n for update skip locked) s),
     moved as (update task_slots t set granted = true, at = clock_timestamp() from chosen c where t.id = c.id and t.tenant_id = c.tenant_id),
     counted as (update task_slot_counts k set held = held + c.n, waiting = greatest(0, waiting - c.n)
       from (select tenant_id, count(*) as n from chosen group by tenant_id) c where k.tenant_id = c.tenant_id and k.queue = ?),
     told as (insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked, again)
       select gen_random_uuid(), tenant_id, kind, row_id, clock_timestamp(), 0, false, true from (select distinct tenant_id, kind, row_id from chosen) c)
     select count(*)::int as count from chosen`,
    [JSON.stringify([...granted].map(([tenant_id, n]) => ({ tenant_id, n }))), queue, queue],
  )
  return done?.count ?? 0
}

/** A webhook that was granted a slot is signalled at once; after so long nobody takes the slot over. Seconds. */
const takeOverS = 300
/** A drain is over after five minutes, whatever became of its worker. Seconds. */
const drainS = 360

/** Tenants that hold or wait for slots, of all tenants. */
export const slotHolders = (em: EntityManager): Promise<{ tenant_id: string; queue: QueueName }[]> =>
  em.execute('select tenant_id, queue from task_slot_counts')

/**
 * Removes the slots of work that is over, whoever should have given them back, and counts anew, under the lock of the count. Nothing is left of a tenant that
 * holds nothing and waits for nothing. In a transaction.
 */
export async function recountSlots(em: EntityManager, tenantId: string, queue: QueueName): Promise<void> {
  const locked: unknown[] = await em.execute('select 1 from task_slot_counts where tenant_id = ? and queue = ? for update skip locked', [tenantId, queue])
  if (locked.length === 0) return
  await em.execute(
    `delete from task_slots where id = any (array(select t.id from task_slots t where t.queue = ? and t.tenant_id = ? and case t.kind
         when 'execution' then not exists (select 1 from node_runs r join executions x on x.id = r.execution_id and x.tenant_id = r.tenant_id
           where r.id = t.id and r.tenant_id = t.tenant_id and not r.applied and x.status in ('pending', 'running'))
         when 'deliver' then case when t.worker is not null
             then t.at < clock_timestamp() - interval '${drainS} s'
               or not exists (select 1 from task_workers k where k.id = t.worker and k.seen_at > statement_timestamp() - interval '${seenS} s')
             else t.granted and t.at < clock_timestamp() - interval '${takeOverS} s'
               or not exists (select 1 from webhooks w where w.id = t.id and w.tenant_id = t.tenant_id and w.enabled) end
         end for update skip locked)) and tenant_id = ?`,
    [queue, tenantId, tenantId],
  )
  await em.execute(
    `update task_slot_counts c set held = n.held, waiting = n.waiting
     from (select count(*) filter (where granted) as held, count(*) filter (where not granted) as waiting from task_slots where queue = ? and tenant_id = ?) n
     where c.queue = ? and c.tenant_id = ? and (c.held, c.waiting) is distinct from (n.held, n.waiting)`,
    [queue, tenantId, queue, tenantId],
  )
  await em.execute('delete from task_slot_counts where queue = ? and tenant_id = ? and held = 0 and waiting = 0', [queue, tenantId])
}
