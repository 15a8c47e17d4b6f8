// A message of a step is claimed and stamped in one statement, for as many connections as wait for one. Without an
// acknowledged stamp nothing is sent.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { MailboxLimits } from '../../rules/mail/mailboxes.ts'
import { json, sql, thisSecond } from '../kit/database/sql.ts'
import { deadlineIn } from '../kit/effects.ts'
import { arrayOf, uuids } from '../kit/ids.ts'
import { wantedSql } from './wanted.ts'

type Mailbox = { id: string; tenant_id: string }

export type Claimed = {
  id: string
  /** False: it is no longer wanted, and has failed. */
  holds: boolean
  attempt: number
  audience_id: string | null
  subject: string
  /** Null where the caller has it. */
  content: Buffer | null
}

/** The error of a message whose recipient may not get it any more, or whose campaign has ended. */
export const noLongerWanted = json({
  code: 'no_longer_wanted',
  message: 'The recipient no longer gets mail of this campaign.',
})
/**
 * Claims messages and stamps them for `limitMs`, by the database's clock. Those of campaigns that do not run, or that
 * another transaction has locked, are left out. The campaigns are locked: once a pause is answered, none is stamped.
 * One whose enrollment has ended, or whose recipient may not get it any more, fails and ends its enrollment.
 * `unread`: those whose content is returned.
 */
export const claimMessages = (
  em: EntityManager,
  { id, tenant_id }: Mailbox,
  {
    ids,
    campaignIds,
    unread,
    token,
    limitMs,
  }: {
    ids: readonly string[]
    campaignIds: readonly string[]
    unread: readonly string[]
    token: string
    limitMs: number
  },
): Promise<Claimed[]> =>
  em.execute(sql`
    with running_campaigns as materialized (
      select c.id
      from campaigns c
      where c.id = any (${uuids(campaignIds)}) and c.tenant_id = ${tenant_id} and c.status = 'running'
      order by c.id
      for share
    ),
    due_messages as materialized (
      select m.id, e.id as enrollment_id, e.audience_id,
        (e.status = 'active' and e.step = m.step and ${wantedSql('e')}) as holds
      from campaign_messages m
      join enrollments e on e.id = m.enrollment_id and e.tenant_id = m.tenant_id
      where m.id = any (${uuids(ids)})
        and m.tenant_id = ${tenant_id}
        and m.mailbox_id = ${id}
        and m.kind = 'step'
        and m.status is not distinct from 'requested'
        and m.due_at <= statement_timestamp()
        and m.campaign_id in (select id from running_campaigns)
      for no key update of e skip locked
      for no key update of m skip locked
    ),
    claimed_messages as (
      update campaign_messages m
      set status = case when d.holds then 'processing' else 'failed' end, token = ${token}, updated_at = ${thisSecond},
        attempt = m.attempt + 1, claimed_at = clock_timestamp(), sent_at = case when d.holds then clock_timestamp() end,
        deadline_at = case when d.holds then ${deadlineIn(limitMs)} end,
        settled_at = case when d.holds then null else clock_timestamp() end,
        error = case when d.holds then null else ${noLongerWanted} end
      from due_messages d
      where m.id = d.id
      returning m.id, d.holds, m.attempt, d.audience_id, m.subject,
        case when d.holds and m.id = any (${arrayOf(unread)}::uuid[]) then m.content end as content, m.campaign_id,
        m.step
    ),
    failed_enrollments as (
      update enrollments e
      set status = 'failed', due_at = null, updated_at = ${thisSecond}
      from due_messages d
      where e.id = d.enrollment_id and not d.holds and e.status = 'active'
    ),
    updated_stats as (
      update campaign_stats s
      set requested = s.requested - counts.n, failed = s.failed + counts.n
      from (select campaign_id, step, count(*)::int as n from claimed_messages where not holds group by 1, 2) counts
      where s.campaign_id = counts.campaign_id and s.step = counts.step and s.mailbox_id = ${id}
    )
    select id, holds, attempt, audience_id, subject, content
    from claimed_messages
  `)

/**
 * The stamp of a claim was not acknowledged, and nothing was sent: its messages are given back. Locks them first, as
 * the statement that stamps them may still run: the update sees what it has committed. Where it waits for its campaign
 * and stamps later, it leaves them out, as they were not due when it began. In a transaction.
 */
export async function giveBackClaim(
  em: EntityManager,
  { id, tenant_id }: Mailbox,
  ids: readonly string[],
  token: string,
): Promise<void> {
  const claimed = sql`m.id = any (${uuids(ids)}) and m.tenant_id = ${tenant_id} and m.mailbox_id = ${id}`
  await em.execute(sql`select m.id from campaign_messages m where ${claimed} order by m.id for no key update`)
  await em.execute(sql`
    update campaign_messages m
    set status = 'requested', sent_at = null, deadline_at = null, attempt = m.attempt - 1, updated_at = ${thisSecond}
    where ${claimed} and m.status = 'processing' and m.token = ${token}
  `)
  await em.execute(sql`
    update campaign_messages m
    set due_at = greatest(m.due_at, clock_timestamp())
    where ${claimed} and m.status = 'requested'
  `)
}

/**
 * The stamped messages that may still be handed over: what was answered since their stamp, such as a pause, a
 * cancellation or an unsubscription, is committed, and seen here.
 */
export async function stillWanted(
  em: EntityManager,
  { id, tenant_id }: Mailbox,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows: { id: string }[] = await em.execute(sql`
    select m.id
    from campaign_messages m
    join campaigns c on c.id = m.campaign_id and c.tenant_id = m.tenant_id
    join enrollments e on e.id = m.enrollment_id and e.tenant_id = m.tenant_id
    where m.id = any (${uuids(ids)})
      and m.tenant_id = ${tenant_id}
      and m.mailbox_id = ${id}
      and m.status is not distinct from 'processing'
      and c.status = 'running'
      and e.status = 'active'
      and e.step = m.step
      and ${wantedSql('e')}
  `)
  return new Set(rows.map((row) => row.id))
}

/**
 * Messages of these campaigns that an earlier drain of the mailbox had stamped, before `elapsedMs`, and whose deadline
 * has passed: the drain was lost. Their outcome is unknown.
 */
export const lostMessages = (
  em: EntityManager,
  { id, tenant_id }: Mailbox,
  campaignIds: readonly string[],
  elapsedMs: number,
): Promise<{ id: string }[]> =>
  em.execute(sql`
    select m.id
    from campaign_messages m
    where m.campaign_id = any (${uuids(campaignIds)})
      and m.tenant_id = ${tenant_id}
      and m.status = 'processing'
      and m.mailbox_id = ${id}
      and m.kind = 'step'
      and m.answered_at is null
      and m.deadline_at < clock_timestamp()
      and m.claimed_at < clock_timestamp() - make_interval(secs => ${elapsedMs / 1000})
    order by m.id
  `)

/**
 * `wait_ms`: where `granted` is 0, until one message may be sent, or the limit of the day is looked at again.
 * `used_up`: the day is.
 */
type Reserved = { granted: number; wait_ms: number; used_up: boolean }

const dayKey = (mailboxId: string): string => `mailbox-day/${mailboxId}`
const hourS = 3_600
const restMaxS = 900

const sentOfDay = (mailboxId: string, hour: number) => sql`
  select coalesce(sum(count), 0)::int as sent, min(started_at)::float8 as first_at
  from rate_windows
  where key = ${dayKey(mailboxId)} and started_at > ${hour - 24 * hourS} and count > 0
`

/** How many messages the limit of the day leaves to a mailbox. `now` in Unix seconds. */
export async function dayLeft(em: EntityManager, { id }: Mailbox, perDay: number, now: number): Promise<number> {
  const [day]: { sent: number }[] = await em.execute(sentOfDay(id, Math.floor(now / hourS) * hourS))
  return Math.max(0, perDay - (day?.sent ?? 0))
}

/**
 * Takes up to `count` messages of the mailbox's limits per second and per day; `unused` of an earlier call are given
 * back. The day is the last 24 hours, counted by the hour. In a transaction. `now` in Unix seconds.
 */
export async function reserve(
  em: EntityManager,
  { id, tenant_id }: Mailbox,
  { per_second, per_day }: Pick<MailboxLimits, 'per_second' | 'per_day'>,
  { count, unused }: { count: number; unused: number },
  now: number,
): Promise<Reserved> {
  // The mailbox is locked: two drains never take the same tokens.
  const [bucket]: { tokens: number }[] = await em.execute(sql`
    select least(
      greatest(1, ${per_second ?? 0}::float8),
      send_tokens + ${unused} + ${per_second ?? 0}::float8 * extract(
        epoch from clock_timestamp() - coalesce(send_tokens_at, 'epoch')
      )
    )::float8 as tokens
    from mailboxes
    where id = ${id} and tenant_id = ${tenant_id}
    for no key update
  `)
  if (!bucket) return { granted: 0, wait_ms: 0, used_up: false }
  const hour = Math.floor(now / hourS) * hourS
  const [day]: { sent: number; first_at: number | null }[] = await em.execute(sentOfDay(id, hour))
  const byDay = per_day === null ? Number.POSITIVE_INFINITY : Math.max(0, per_day - (day?.sent ?? 0) + unused)
  const bySecond = per_second === null ? Number.POSITIVE_INFINITY : Math.floor(bucket.tokens)
  const granted = Math.min(count, byDay, bySecond)
  const dayWaitS = byDay === 0 && count > 0 ? (day?.first_at ?? hour) + 25 * hourS - now : 0
  // Looked at again before that: the limit may be raised.
  const restsS = Math.min(dayWaitS, restMaxS)
  await em.execute(sql`
    update mailboxes
    set send_tokens = ${per_second === null ? 0 : bucket.tokens - granted}, send_tokens_at = clock_timestamp(),
      sending_again_at = case
        when ${restsS} > 0 then clock_timestamp() + make_interval(secs => ${restsS})
        else sending_again_at
      end
    where id = ${id} and tenant_id = ${tenant_id}
  `)
  if (per_day !== null && unused > 0)
    // In the hour in which they were taken: another one would count too few a day later.
    await em.execute(sql`
      update rate_windows
      set count = count - least(count, ${unused})
      where key = ${dayKey(id)}
        and started_at = (select max(started_at) from rate_windows where key = ${dayKey(id)} and count > 0)
    `)
  if (per_day !== null && granted > 0)
    await em.execute(sql`
      insert into rate_windows (key, started_at, count, expires_at)
      values (${dayKey(id)}, ${hour}, ${granted}, ${hour + 25 * hourS})
      on conflict (key, started_at) do update
      set count = rate_windows.count + ${granted}
    `)
  if (granted > 0) return { granted, wait_ms: 0, used_up: false }
  return {
    granted,
    used_up: dayWaitS > 0,
    wait_ms: dayWaitS > 0 ? restsS * 1000 : Math.ceil(((1 - bucket.tokens) / (per_second ?? 1)) * 1000),
  }
}
