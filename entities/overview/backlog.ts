// What of a store waits: for its workflow to be started, for a slot of a task queue, or to be sent. One statement.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Stage, WAITING_MAX } from '../../rules/overview/overview.ts'
import { type ProcessKind, processes, processKinds } from '../../rules/processes.ts'
import type { QueueName } from '../../rules/queues.ts'
import { join, type Sql, sql } from '../kit/database/sql.ts'
import { arrayOf, hasIdMs, idMs } from '../kit/ids.ts'

export type Waiting = {
  kind: ProcessKind
  queue: QueueName
  stage: Stage
  count: number
  /** Unix seconds. */
  oldest_at: number
}

const seconds = (column: Sql): Sql => sql`extract(epoch from ${column})::float8`

/** When a start was written: each try that fails moves `not_before`, and an id of other software has no time. */
const writtenAt = sql`
  least(
    ${seconds(sql`o.not_before`)},
    case when ${hasIdMs(sql`o.id`)} then ${idMs(sql`o.id`)} / 1000.0 end
  )
`

/** Starts of workflows that are not parked, by kind; those between two tries wait, too. */
const starts = (tenantId: string): Sql => sql`
  select kinds.kind, 'start' as stage, waiting_starts.count, waiting_starts.oldest_at
  from unnest(${arrayOf(processKinds)}::text[]) as kinds(kind)
  cross join lateral (
    select count(*)::float8 as count, min(${writtenAt})::float8 as oldest_at
    from outbox o
    where o.kind = kinds.kind and o.tenant_id = ${tenantId} and not o.parked
  ) waiting_starts
`

/** Tasks that wait for a slot that the tenant may have, by the process that is signalled then. */
const slots = (tenantId: string): Sql => sql`
  select s.kind, 'slot' as stage, count(*)::float8 as count, ${seconds(sql`min(s.at)`)} as oldest_at
  from unnest(
    ${arrayOf(new Set(Object.values(processes).map(({ queue }) => queue)))}::text[] || '{computation}'
  ) as queues(queue)
  join task_slots s on s.queue = queues.queue and s.tenant_id = ${tenantId} and not s.granted
  group by 1
`

/**
 * Rows that are due, counted up to the limit, which may leave the oldest ones out: `oldest` selects the first `due_at`
 * of each list that has an index of its order.
 */
const dueRows = (kind: ProcessKind, rows: Sql, oldest: Sql): Sql => sql`
  select ${kind}::text as kind, 'due' as stage,
    (select count(*)::float8 from (${rows} limit ${WAITING_MAX}) due_rows) as count,
    (select ${seconds(sql`min(oldest_rows.due_at)`)} from (${oldest}) oldest_rows) as oldest_at
`

/** Deliveries whose attempt is due. */
const deliveries = (tenantId: string): Sql => {
  const due = (limit: number) => sql`
    select d.due_at
    from webhooks w
    cross join lateral (
      select d.due_at
      from deliveries d
      where d.webhook_id = w.id and d.status = 'pending' and d.due_at <= clock_timestamp()
      order by d.due_at
      limit ${limit}
    ) d
    where w.tenant_id = ${tenantId} and w.enabled
  `
  return dueRows('deliver', due(WAITING_MAX), due(1))
}

/** Enrollments of running campaigns whose next message is due. */
const messages = (tenantId: string): Sql => {
  const first = (mailbox: Sql) => sql`
    select e.due_at
    from enrollments e
    where e.campaign_id = c.id
      and e.tenant_id = c.tenant_id
      and e.status = 'active'
      and e.due_at <= clock_timestamp()
      and e.mailbox_id ${mailbox}
    order by e.due_at
    limit 1
  `
  return dueRows(
    'dispatch',
    sql`
      select e.due_at
      from campaigns c
      join enrollments e
        on e.campaign_id = c.id
        and e.tenant_id = c.tenant_id
        and e.status = 'active'
        and e.due_at <= clock_timestamp()
      where c.tenant_id = ${tenantId} and c.status = 'running'
    `,
    sql`
      select e.due_at
      from campaigns c
      cross join lateral (
        (${first(sql`is null`)})
        union all
        select first_enrollments.due_at
        from jsonb_array_elements_text(c.mailbox_ids) as mailboxes(id)
        cross join lateral (${first(sql`= mailboxes.id::uuid`)}) first_enrollments
      ) e
      where c.tenant_id = ${tenantId} and c.status = 'running'
    `,
  )
}

/** What waits now, the oldest first. One statement. */
export async function backlogOf(em: EntityManager, tenantId: string): Promise<Waiting[]> {
  const parts = [starts(tenantId), slots(tenantId), deliveries(tenantId), messages(tenantId)]
  const rows: Omit<Waiting, 'queue'>[] = await em.execute(sql`
    select kind, stage, count, oldest_at
    from (${join(
      parts.map((part) => sql`(${part})`),
      ' union all ',
    )}) waiting_tasks
    where count > 0
    order by oldest_at
  `)
  return rows.map((row) => ({ ...row, queue: processes[row.kind].queue }))
}
