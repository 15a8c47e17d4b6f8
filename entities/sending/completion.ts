// What follows when messages of steps are settled: counters, the enrollments, and the end of a campaign without active
// ones.
import type { EntityManager } from '@mikro-orm/postgresql'
import { join, type Sql, sql, text, thisSecond } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'

/** What messages were counted as before: `succeeded` and `rejected` where an operator corrects what was resolved. */
type CountedAs = 'requested' | 'unknown' | 'succeeded' | 'rejected'
const settled = ['succeeded', 'rejected', 'failed', 'unknown'] as const

const isDone = sql`
  c.status = 'running' and not exists (select 1 from enrollments n where n.campaign_id = c.id and n.status = 'active')
`

/**
 * Running campaigns of these, an array of ids, that have no active enrollment are completed. One that another
 * transaction has locked is left to a drain that ends, or to the reconciler. So the lock of a campaign is never waited
 * for behind that of an enrollment.
 */
export async function completeCampaigns(em: EntityManager, campaigns: Sql): Promise<void> {
  const done: { id: string }[] = await em.execute(
    sql`select c.id from campaigns c where c.id = any (${campaigns}) and ${isDone}`,
  )
  if (done.length === 0) return
  // An enrollment may have become active since: it is looked for again under the lock, by a statement of its own.
  await em.transactional(async (locking) => {
    const ids = uuids(done.map(({ id }) => id))
    const locked: { id: string }[] = await locking.execute(sql`
      select c.id
      from campaigns c
      where c.id = any (${ids})
      order by c.id
      for no key update skip locked
    `)
    await locking.execute(sql`
      update campaigns c
      set status = 'completed', ended_at = ${thisSecond}, updated_at = ${thisSecond}
      where c.id = any (${uuids(locked.map(({ id }) => id))}) and ${isDone}
    `)
  })
}

/** Completes running campaigns of all tenants that were locked when their last enrollment ended. */
export const completeIdleCampaigns = (em: EntityManager, graceS: number): Promise<void> =>
  completeCampaigns(
    em,
    sql`
      array(
        select x.id
        from campaigns x
        where x.status = 'running' and x.updated_at < ${thisSecond} - ${graceS}::int
      )
    `,
  )

/**
 * The enrollments `n` that wait for the outcome of a message `v`, by what it was counted as. One that has gone on stays
 * as it is once its next step was written.
 */
const waitsFor: Record<CountedAs, Sql> = {
  requested: sql`n.status = 'active' and n.step = v.step`,
  unknown: sql`n.status = 'unknown' and n.step = v.step`,
  rejected: sql`n.status = 'failed' and n.step = v.step`,
  succeeded: sql`
    n.status in ('active', 'completed')
    and n.step = v.step + 1
    and not exists (
      select 1
      from campaign_messages l
      where l.enrollment_id = n.id and l.kind = 'step' and l.step > v.step
    )
  `,
}

/**
 * Common table expressions after `settled_messages (enrollment_id, campaign_id, step, mailbox_id, status, sent_at,
 * again)`, messages of steps that were settled, and were counted as `from` before. Counters change, and the
 * enrollments whose next step is that of the message: the next step is due after its delay, or all steps are done;
 * `unknown` and `failed` end the sequence. `again`: a new message of the step was written, and the enrollment waits
 * for it.
 */
export function followSettled(from: CountedAs): Sql {
  const sums = join(settled.map((status) => text(`count(*) filter (where status = '${status}')::int as ${status}`)))
  const adds = text(
    settled
      .map((status) => `${status} = s.${status} + counts.${status}${status === from ? ' - counts.n' : ''}`)
      .join(', '),
  )
  const requested = from === 'requested' ? sql`s.requested - counts.n + counts.again` : sql`s.requested + counts.again`
  return sql`
    waiting_enrollments as materialized (
      select n.id, v.status, v.step, v.sent_at, v.again, d.delay_s
      from settled_messages v
      join enrollments n on n.id = v.enrollment_id
      left join campaign_steps d on d.campaign_id = v.campaign_id and d.position = v.step + 1
      where ${waitsFor[from]}
      order by n.id
      for no key update of n
    ),
    updated_enrollments as (
      update enrollments n
      set updated_at = ${thisSecond},
        status = case
          when w.again then n.status
          when w.status = 'unknown' then 'unknown'
          when w.status <> 'succeeded' then 'failed'
          when w.delay_s is null then 'completed'
          else 'active'
        end,
        step = case when w.status = 'succeeded' then w.step + 1 else w.step end,
        due_at = case
          when w.status = 'succeeded' and w.delay_s is not null
            then coalesce(w.sent_at, clock_timestamp()) + make_interval(secs => w.delay_s)
        end
      from waiting_enrollments w
      where n.id = w.id
    ),
    updated_stats as (
      update campaign_stats s
      set requested = ${requested}, ${adds}
      from (
        select campaign_id, step, mailbox_id, count(*)::int as n, count(*) filter (where again)::int as again, ${sums}
        from settled_messages
        group by 1, 2, 3
      ) counts
      where s.campaign_id = counts.campaign_id and s.step = counts.step and s.mailbox_id = counts.mailbox_id
    )
  `
}

/**
 * What else changes in the transaction that settles messages, at any number of them: counters and enrollments of steps,
 * and campaigns that end. `from`: `requested` for messages that were not settled before, the former status of those
 * that an operator resolved.
 */
export async function messagesSettled(
  em: EntityManager,
  messageIds: readonly string[],
  from: CountedAs = 'requested',
): Promise<void> {
  const ids = uuids(messageIds)
  await em.execute(sql`
    with settled_messages as materialized (
      select enrollment_id, campaign_id, step, mailbox_id, status, sent_at, false as again
      from campaign_messages
      where id = any (${ids}) and kind = 'step'
    ),
    ${followSettled(from)}
    select 1
  `)
  await completeCampaigns(em, sql`array(select m.campaign_id from campaign_messages m where m.id = any (${ids}))`)
}

/** Counts all messages of the step and mailbox of this one, of any former count. */
export async function recountSteps(em: EntityManager, messageId: string): Promise<void> {
  const counts = join(
    [['requested', "'requested', 'processing'"], ...settled.map((status) => [status, `'${status}'`])].map(
      ([name, statuses]) => text(`count(*) filter (where m.status in (${statuses}))::int as ${name}`),
    ),
  )
  await em.execute(sql`
    update campaign_stats s
    set requested = counts.requested, succeeded = counts.succeeded, rejected = counts.rejected,
      failed = counts.failed, unknown = counts.unknown
    from (
      select m.campaign_id, m.step, m.mailbox_id, ${counts}
      from campaign_messages o
      join campaign_messages m
        on m.campaign_id = o.campaign_id
        and m.step = o.step
        and m.mailbox_id = o.mailbox_id
        and m.kind = 'step'
      where o.id = ${messageId} and o.kind = 'step'
      group by 1, 2, 3
    ) counts
    where s.campaign_id = counts.campaign_id and s.step = counts.step and s.mailbox_id = counts.mailbox_id
  `)
}
