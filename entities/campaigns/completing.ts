// What follows when messages of steps are settled: counters, the enrollments, and the end of a campaign without active ones.
import type { EntityManager } from '@mikro-orm/postgresql'
import { uuids } from '../kit/ids.ts'
import { type Sql, sql, text } from '../kit/sql.ts'

const settled = ['succeeded', 'rejected', 'failed', 'unknown'] as const

/**
 * Running campaigns of these, an array of ids, that have no active enrollment are completed. One that another transaction has locked is left to it: a drain that stamps or settles completes it
 * afterwards. So the lock of a campaign is never waited for behind that of an enrollment.
 */
export const completeCampaigns = (em: EntityManager, campaigns: Sql): Promise<unknown> =>
  em.execute(
    sql`update campaigns c set status = 'completed', ended_at = extract(epoch from clock_timestamp())::bigint, updated_at = extract(epoch from clock_timestamp())::bigint
     where c.id in (select r.id from campaigns r where r.id = any (${campaigns}) and r.status = 'running'
       and not exists (select 1 from enrollments n where n.campaign_id = r.id and n.status = 'active') order by r.id for no key update skip locked)`,
  )

/** Counts messages of steps, which were counted as `from` before, under the status that they have now. */
async function countSettled(em: EntityManager, ids: Sql, from: 'requested' | 'unknown'): Promise<void> {
  const sums = text(settled.map((status) => `count(*) filter (where m.status = '${status}')::int as ${status}`).join(', '))
  const adds = text(settled.map((status) => `${status} = s.${status} + x.${status}${status === from ? ' - x.n' : ''}`).join(', '))
  const less = text(from === 'requested' ? 'requested = s.requested - x.n, ' : '')
  await em.execute(
    sql`update campaign_stats s set ${less}${adds}
     from (select m.campaign_id, m.step, m.mailbox_id, count(*)::int as n, ${sums} from campaign_messages m where m.id = any (${ids}) and m.kind = 'step' group by 1, 2, 3) x
     where s.campaign_id = x.campaign_id and s.step = x.step and s.mailbox_id = x.mailbox_id`,
  )
}

/**
 * The enrollments of settled messages: the next step is due after its delay, or all steps are done; `unknown` and `failed` end the sequence. Only those whose next step is that
 * of the message, in the status `from`.
 */
async function moveEnrollments(em: EntityManager, ids: Sql, from: 'active' | 'unknown'): Promise<void> {
  await em.execute(
    sql`with moved as materialized (select n.id, m.status, m.step, m.sent_at, x.delay_s from campaign_messages m join enrollments n on n.id = m.enrollment_id
         left join campaign_steps x on x.campaign_id = m.campaign_id and x.position = m.step + 1
       where m.id = any (${ids}) and m.kind = 'step' and n.status = ${from} and n.step = m.step order by n.id for no key update of n)
     update enrollments n set updated_at = extract(epoch from clock_timestamp())::bigint,
       status = case when v.status = 'unknown' then 'unknown' when v.status <> 'succeeded' then 'failed' when v.delay_s is null then 'completed' else 'active' end,
       step = case when v.status = 'succeeded' then v.step + 1 else n.step end,
       due_at = case when v.status = 'succeeded' and v.delay_s is not null then coalesce(v.sent_at, clock_timestamp()) + make_interval(secs => v.delay_s) end
     from moved v where n.id = v.id`,
  )
}

/**
 * What else changes in the transaction that settles messages, at any number of them: counters and enrollments of steps, and campaigns that end. `from`: `requested` for messages
 * that were not settled before, `unknown` for those that an operator resolved.
 */
export async function messagesSettled(em: EntityManager, messageIds: readonly string[], from: 'requested' | 'unknown' = 'requested'): Promise<void> {
  const ids = uuids(messageIds)
  await moveEnrollments(em, ids, from === 'requested' ? 'active' : 'unknown')
  await countSettled(em, ids, from)
  await completeCampaigns(em, sql`array(select m.campaign_id from campaign_messages m where m.id = any (${ids}))`)
}

/** Counts all messages of the step and mailbox of this one, whatever they were counted as before. */
export async function recountSteps(em: EntityManager, messageId: string): Promise<void> {
  const counts = text(
    [['requested', "'requested', 'processing'"], ...settled.map((status) => [status, `'${status}'`])]
      .map(([name, statuses]) => `count(*) filter (where m.status in (${statuses}))::int as ${name}`)
      .join(', '),
  )
  await em.execute(
    sql`update campaign_stats s set requested = x.requested, succeeded = x.succeeded, rejected = x.rejected, failed = x.failed, unknown = x.unknown
     from (select m.campaign_id, m.step, m.mailbox_id, ${counts} from campaign_messages o join campaign_messages m
         on m.campaign_id = o.campaign_id and m.step = o.step and m.mailbox_id = o.mailbox_id and m.kind = 'step'
       where o.id = ${messageId} and o.kind = 'step' group by 1, 2, 3) x
     where s.campaign_id = x.campaign_id and s.step = x.step and s.mailbox_id = x.mailbox_id`,
  )
}
