// The statistics of a campaign: its enrollments, counted by an index, and the counters that change with its messages.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type CampaignWait, EnrollmentStatus } from '../../rules/campaigns/campaigns.ts'
import { nextOpening } from '../../rules/campaigns/send-windows.ts'
import { estimatedEnd, type Pace, perMinuteOf } from '../../rules/sending/progress.ts'
import { type Sql, sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import type { Campaign } from './campaign.ts'

type Enrolled = { step: number; status: EnrollmentStatus; count: number }
type Counted = Record<
  'step' | 'requested' | 'succeeded' | 'rejected' | 'failed' | 'unknown' | 'bounced' | 'complained' | 'replied',
  number
>

/** Messages that the pace is taken from: the newest ones, so that what is read does not grow with the campaign. */
const PACE_MESSAGES = 10_000
const PACE_S = 600

/** The newest messages of the last ten minutes. `now` in Unix seconds. */
async function paceOf(
  em: EntityManager,
  { id, tenant_id, launched_at, scheduled_at }: Campaign,
  now: number,
): Promise<Pace> {
  const [found]: { sent: number; first: number | null }[] = await em.execute(sql`
    select count(*)::int as sent, min(created_at)::float8 as first
    from (
      select created_at
      from campaign_messages
      where tenant_id = ${tenant_id} and campaign_id = ${id} and status = 'succeeded' and created_at > ${now - PACE_S}
      order by created_at desc
      limit ${PACE_MESSAGES}
    ) m
  `)
  const sent = found?.sent ?? 0
  const begun = Math.max(now - PACE_S, launched_at ?? 0, scheduled_at ?? 0)
  return { sent, seconds: Math.max(1, now - (sent === PACE_MESSAGES ? (found?.first ?? begun) : begun)) }
}

const enrolledIn = (em: EntityManager, { id, tenant_id }: Campaign): Promise<Enrolled[]> =>
  em.execute(sql`
    select step, status, count(*)::int as count
    from enrollments
    where tenant_id = ${tenant_id} and campaign_id = ${id}
    group by step, status
  `)

const countedIn = (em: EntityManager, { id, tenant_id }: Campaign): Promise<Counted[]> =>
  em.execute(sql`
    select step, sum(requested)::int as requested, sum(succeeded)::int as succeeded, sum(rejected)::int as rejected,
      sum(failed)::int as failed, sum(unknown)::int as unknown, sum(bounced)::int as bounced,
      sum(complained)::int as complained, sum(replied)::int as replied
    from campaign_stats
    where tenant_id = ${tenant_id} and campaign_id = ${id}
    group by step
  `)

/** What keeps all messages of a running campaign waiting: `until` in Unix seconds, null where it never ends. */
type WaitsFor = { code: CampaignWait; until: number | null }

/**
 * Finds what a campaign waits for. Null if a message that is due may be sent now. Mailboxes are waited for where
 * each of them rests, or those that have all that is left: recipients stay with their mailbox. `now` in Unix seconds.
 */
async function waitsFor(
  em: EntityManager,
  { id, tenant_id, mailbox_ids, send_window = null }: Campaign,
  now: number,
): Promise<WaitsFor | null> {
  const awake = sql`select a.id from campaign_mailboxes a where a.again_at is null`
  const resting = sql`select a.id from campaign_mailboxes a where a.again_at is not null`
  const due = (mailbox: Sql) => sql`
    exists (
      select 1
      from enrollments e
      where e.campaign_id = ${id} and e.tenant_id = t.id and e.status = 'active' and e.due_at is not null and ${mailbox}
    )
  `
  const written = (mailboxes: Sql) => sql`
    exists (
      select 1
      from campaign_messages m
      where m.mailbox_id in (${mailboxes})
        and m.tenant_id = t.id
        and m.campaign_id = ${id}
        and m.status in ('requested', 'processing')
        and m.kind = 'step'
    )
  `
  const [found]: { timezone: string; until: number | null }[] = await em.execute(sql`
    with campaign_mailboxes as materialized (
      select b.id, case when b.sending_again_at > clock_timestamp() then b.sending_again_at end as again_at
      from mailboxes b
      where b.tenant_id = ${tenant_id} and b.id = any (${uuids(mailbox_ids)})
    )
    select t.timezone,
      (
        select ceil(extract(epoch from min(m.again_at)))
        from campaign_mailboxes m
        where not exists (${awake})
          or (
            not ${due(sql`e.mailbox_id is null`)}
            and not ${due(sql`e.mailbox_id in (${awake})`)}
            and not ${written(awake)}
            and (${due(sql`e.mailbox_id in (${resting})`)} or ${written(resting)})
          )
      )::float8 as until
    from tenants t
    where t.id = ${tenant_id}
  `)
  const opens = found ? nextOpening(send_window, found.timezone, now) : now
  if (opens !== now) return { code: 'send_window', until: opens }
  return found?.until ? { code: 'mailboxes', until: found.until } : null
}

const sumOf = <T>(rows: readonly T[], of: (row: T) => number): number => rows.reduce((sum, row) => sum + of(row), 0)

/** `active` in a cancelled campaign is shown as `cancelled`. */
function byStatus(rows: readonly Enrolled[], cancelled: boolean) {
  const counts = Object.fromEntries(
    EnrollmentStatus.options.map((status) => [status, sumOf(rows, (row) => (row.status === status ? row.count : 0))]),
  )
  if (cancelled) Object.assign(counts, { active: 0, cancelled: (counts.cancelled ?? 0) + (counts.active ?? 0) })
  return counts as Record<EnrollmentStatus, number>
}

function messagesOf(rows: readonly Counted[]) {
  const total = (name: keyof Counted) => sumOf(rows, (row) => row[name])
  return {
    messages: {
      requested: total('requested'),
      sent: total('succeeded'),
      rejected: total('rejected'),
      failed: total('failed'),
      unknown: total('unknown'),
    },
    bounced: total('bounced'),
    complained: total('complained'),
    replied: total('replied'),
  }
}

/** Reads at most four statements, however many contacts are enrolled. `now` in Unix seconds. */
export async function statisticsOf(em: EntityManager, campaign: Campaign, now: number) {
  const [enrolled, counted] = [await enrolledIn(em, campaign), await countedIn(em, campaign)]
  const cancelled = campaign.status === 'cancelled'
  const pace: Pace = campaign.status === 'running' ? await paceOf(em, campaign, now) : { sent: 0, seconds: 1 }
  const waiting = enrolled
    .filter(({ status }) => status === 'active')
    .map(({ step, count }) => ({ position: step, count }))
  return {
    enrolled: sumOf(enrolled, ({ count }) => count),
    enrollments: byStatus(enrolled, cancelled),
    ...messagesOf(counted),
    steps: campaign.steps.map((_, position) => ({
      position,
      enrollments: byStatus(
        enrolled.filter(({ step }) => step === position),
        cancelled,
      ),
      ...messagesOf(counted.filter(({ step }) => step === position)),
    })),
    waits_for: campaign.status === 'running' ? await waitsFor(em, campaign, now) : null,
    per_minute: perMinuteOf(pace),
    estimated_end_at: estimatedEnd(
      waiting,
      campaign.steps.map(({ delay_s }) => delay_s),
      pace,
      now,
    ),
  }
}
