// What a bounce or a complaint changes: the message, its enrollment, the counters of its step, and the channels with
// its address.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { EnrollmentStatus, InboundKind } from '../../rules/campaigns/campaigns.ts'
import { type BounceClass, SOFT_BOUNCES_MAX, SOFT_BOUNCES_S } from '../../rules/inbox/bounces.ts'
import { followAddresses } from '../audiences/member-delivery.ts'
import { json, type Sql, sql, text } from '../kit/database/sql.ts'
import { arrayOf, uuids } from '../kit/ids.ts'
import { laterAssignment } from '../kit/resolutions.ts'
import { completeCampaigns } from '../sending/completion.ts'
import { tripBreakers } from '../sending/stops.ts'
import { keepAddresses } from './suppressions.ts'

/** `status`: the enhanced status code, such as 5.1.1. `diagnostic`: what the server said. */
export type Bounce = { id: string; status: string | null; diagnostic: string | null; class: BounceClass }

/** The addresses of these messages. A test message suppresses no address. */
const addressesOf = (tenantId: string, messageIds: readonly string[]): Sql => sql`
  (
    select address
    from campaign_messages
    where tenant_id = ${tenantId} and id = any (${uuids(messageIds)}) and kind <> 'test'
  )
`

/**
 * All channels of the store with the addresses of these messages bounced or complained, and their members get no mail
 * of audiences. A complaint stays a complaint. `now` in Unix seconds. To be called before the transaction locks
 * campaigns.
 */
async function suppressAddresses(
  em: EntityManager,
  tenantId: string,
  messageIds: readonly string[],
  to: 'bounced' | 'complained',
  now: number,
): Promise<void> {
  const rows: { contact_id: string }[] = await em.execute(sql`
    with locked_channels as materialized (
      select id
      from contact_channels
      where tenant_id = ${tenantId} and type = 'email' and address in ${addressesOf(tenantId, messageIds)}
      order by id
      for update
    )
    update contact_channels c
    set status = ${to}, updated_at = ${now}
    from locked_channels
    where c.tenant_id = ${tenantId} and c.id = locked_channels.id and c.status <> ${to} and c.status <> 'complained'
    returning c.contact_id
  `)
  const recipients = sql`
    (
      select n.contact_id, m.address
      from campaign_messages m
      join enrollments n on n.tenant_id = m.tenant_id and n.id = m.enrollment_id
      where m.tenant_id = ${tenantId} and m.id = any (${uuids(messageIds)}) and m.kind <> 'test'
    )
  `
  const kept = await keepAddresses(em, tenantId, recipients, { status: to, consent_status: 'unknown' }, now)
  const contacts = [...new Set([...rows.map(({ contact_id }) => contact_id), ...kept])]
  if (contacts.length > 0) await followAddresses(em, tenantId, contacts, now)
}

const campaignsOf = (tenantId: string, messageIds: readonly string[]): Sql =>
  sql`(
    select campaign_id
    from campaign_messages
    where tenant_id = ${tenantId} and id = any (${uuids(messageIds)})
  )`

/** Locks the campaigns of these messages, by id: nothing of them is stamped until the transaction ends. */
export const lockCampaigns = (
  em: EntityManager,
  tenantId: string,
  messageIds: readonly string[],
): Promise<{ stop_on_reply: boolean }[]> =>
  em.execute(sql`
    select stop_on_reply
    from campaigns
    where tenant_id = ${tenantId} and id in ${campaignsOf(tenantId, messageIds)}
    order by id
    for no key update
  `)

/**
 * Ends the enrollments of these messages that are in one of the states `from`, and completes running campaigns that
 * have no active ones left. The caller has locked the campaigns. `now` in Unix seconds.
 */
export async function endEnrollments(
  em: EntityManager,
  tenantId: string,
  messageIds: readonly string[],
  { from, to }: { from: readonly EnrollmentStatus[]; to: EnrollmentStatus },
  now: number,
): Promise<void> {
  const rows: { was: string }[] = await em.execute(sql`
    with locked_enrollments as materialized (
      select e.id, e.status as was
      from enrollments e
      where e.tenant_id = ${tenantId}
        and e.id in (
          select enrollment_id
          from campaign_messages
          where tenant_id = ${tenantId} and id = any (${uuids(messageIds)}) and kind <> 'test'
        )
      order by e.id
      for update
    )
    update enrollments e
    set status = ${to}, due_at = null, updated_at = ${now}
    from locked_enrollments l
    where e.tenant_id = ${tenantId} and e.id = l.id and l.was = any (${arrayOf(from)}::text[])
    returning l.was
  `)
  if (rows.some(({ was }) => was === 'active'))
    await completeCampaigns(em, sql`array${campaignsOf(tenantId, messageIds)}`)
}

/** A column of `campaign_stats`. */
type Counter = 'bounced' | 'hard_bounced' | 'complained' | 'replied'

/**
 * Adds one for each of the rows of `marked_messages` (`campaign_id`, `step`, `mailbox_id`), the end of a statement.
 * Replies of operators and tests have no counters. The counters are locked in the order of their key, so that two
 * statements do not deadlock.
 */
export const counted = (...counters: Counter[]): Sql => sql`
  , locked_stats as materialized (
    select s.campaign_id, s.step, s.mailbox_id
    from campaign_stats s
    where (s.campaign_id, s.step, s.mailbox_id) in (
      select campaign_id, step, mailbox_id
      from marked_messages
      where kind = 'step'
    )
    order by 1, 2, 3
    for update
  )
  update campaign_stats s
  set ${text(counters.map((counter) => `${counter} = s.${counter} + messages.count`).join(', '))}
  from locked_stats l
  cross join lateral (
    select count(*)::int as count
    from marked_messages m
    where m.kind = 'step' and (m.campaign_id, m.step, m.mailbox_id) = (l.campaign_id, l.step, l.mailbox_id)
  ) messages
  where (s.campaign_id, s.step, s.mailbox_id) = (l.campaign_id, l.step, l.mailbox_id)
`

/**
 * An operator resolves a message whose outcome is unknown: what came back proves that a server accepted it, also
 * against what was resolved before.
 */
export const lateEvidence = (came: InboundKind, now: number): Sql =>
  laterAssignment(
    'm',
    text(`(
      case
        when m.status = 'unknown' or m.resolution is not null
          then jsonb_build_object('status', 'succeeded', 'inbound', '${came}', 'received_at', ${now})
      end
    )`),
  )

/** The messages did not arrive. Each counts once. */
async function markBounced(
  em: EntityManager,
  tenantId: string,
  bounces: readonly Bounce[],
  now: number,
): Promise<void> {
  for (const hard of [true, false]) {
    const rows = bounces.filter((one) => (one.class === 'hard') === hard).map(({ id, ...bounce }) => ({ id, bounce }))
    if (rows.length === 0) continue
    // Messages are locked by id: concurrent reports of the same messages do not deadlock.
    await em.execute(sql`
      with bounces as (
        select x.id, x.bounce from jsonb_to_recordset(${json(rows)}) as x(id uuid, bounce jsonb)
      ),
      locked_messages as materialized (
        select id
        from campaign_messages
        where tenant_id = ${tenantId} and id = any (${uuids(rows.map(({ id }) => id))})
        order by id
        for update
      ),
      marked_messages as (
        update campaign_messages m
        set bounced_at = ${now}, bounce = bounces.bounce, updated_at = ${now}, ${lateEvidence('bounce', now)}
        from locked_messages
        join bounces on bounces.id = locked_messages.id
        where m.tenant_id = ${tenantId} and m.id = locked_messages.id and m.bounced_at is null
        returning m.campaign_id, m.step, m.mailbox_id, m.kind
      )${hard ? counted('bounced', 'hard_bounced') : counted('bounced')}
    `)
  }
}

/** Those of these messages whose address has so many soft bounces, this one included, that it is suppressed. */
async function suppressing(
  em: EntityManager,
  tenantId: string,
  messageIds: readonly string[],
  now: number,
): Promise<string[]> {
  if (messageIds.length === 0) return []
  const rows: { id: string }[] = await em.execute(sql`
    select m.id
    from campaign_messages m
    where m.tenant_id = ${tenantId}
      and m.id = any (${uuids(messageIds)})
      and m.kind <> 'test'
      and (
        select count(*)
        from (
          select 1
          from campaign_messages o
          where o.tenant_id = m.tenant_id
            and o.address = m.address
            and o.id <> m.id
            and o.kind <> 'test'
            and o.bounced_at > ${now - SOFT_BOUNCES_S}
            and o.bounce ->> 'class' = 'soft'
          limit ${SOFT_BOUNCES_MAX - 1}
        ) soft_bounces
      ) >= ${SOFT_BOUNCES_MAX - 1}
  `)
  return rows.map(({ id }) => id)
}

/**
 * These messages of one store did not arrive: a report said so, or the server's reply while sending. Each is
 * `bounced_at` now, and its step counts it. An address that does not exist, or whose soft bounce is the third in 30
 * days, is suppressed: its enrollment is `bounced`, and all channels of the store with the address, so that their
 * members get no mail of audiences; the events of those members are published. A bounce about the sender or the
 * message, or after temporary refusals, suppresses nothing, and a test message no address. Idempotent. Ten statements
 * for any number of messages. `also`: messages whose campaigns are locked too. `now` in Unix seconds.
 *
 * To be called before the transaction locks campaigns, enrollments or messages: channels and members are locked before
 * them. A settling statement that follows in the same transaction must end active enrollments only.
 */
export async function applyBounces(
  em: EntityManager,
  tenantId: string,
  bounces: readonly Bounce[],
  now: number,
  also: readonly string[] = [],
): Promise<void> {
  const idsOf = (kind: BounceClass) => bounces.flatMap((one) => (one.class === kind ? [one.id] : []))
  const all = [...bounces.map(({ id }) => id), ...also]
  if (all.length === 0) return
  const suppressed = [...idsOf('hard'), ...(await suppressing(em, tenantId, idsOf('soft'), now))]
  if (suppressed.length > 0) await suppressAddresses(em, tenantId, suppressed, 'bounced', now)
  await lockCampaigns(em, tenantId, all)
  if (suppressed.length > 0)
    await endEnrollments(
      em,
      tenantId,
      suppressed,
      { from: ['active', 'completed', 'failed', 'unknown'], to: 'bounced' },
      now,
    )
  await markBounced(em, tenantId, bounces, now)
  if (idsOf('hard').length > 0) await tripBreakers(em, tenantId, sql`array${campaignsOf(tenantId, idsOf('hard'))}`)
}

/**
 * Counts permanent refusals of messages of steps while sending, and pauses campaigns with too many. The caller has
 * locked the campaigns.
 */
export async function countRefusals(
  em: EntityManager,
  tenantId: string,
  refusals: readonly { id: string; distrusted: boolean }[],
): Promise<void> {
  if (refusals.length === 0) return
  await em.execute(sql`
    with refusals as (
      select x.id, x.distrusted
      from jsonb_to_recordset(${json(refusals)}) as x(id uuid, distrusted boolean)
    ),
    refusal_counts as materialized (
      select m.campaign_id, m.step, m.mailbox_id, count(*)::int as refused,
        (count(*) filter (where r.distrusted))::int as distrusted
      from refusals r
      join campaign_messages m on m.id = r.id and m.tenant_id = ${tenantId} and m.kind = 'step'
      group by 1, 2, 3
    ),
    locked_stats as materialized (
      select s.campaign_id, s.step, s.mailbox_id
      from campaign_stats s
      where (s.campaign_id, s.step, s.mailbox_id) in (select campaign_id, step, mailbox_id from refusal_counts)
      order by 1, 2, 3
      for update
    )
    update campaign_stats s
    set refused = s.refused + c.refused, distrusted = s.distrusted + c.distrusted
    from refusal_counts c
    join locked_stats l using (campaign_id, step, mailbox_id)
    where (s.campaign_id, s.step, s.mailbox_id) = (c.campaign_id, c.step, c.mailbox_id)
  `)
  await tripBreakers(
    em,
    tenantId,
    sql`
      array${campaignsOf(
        tenantId,
        refusals.map(({ id }) => id),
      )}
    `,
  )
}

/** The recipient reported the message as spam. */
export async function applyComplaint(
  em: EntityManager,
  tenantId: string,
  messageId: string,
  now: number,
): Promise<void> {
  await suppressAddresses(em, tenantId, [messageId], 'complained', now)
  await lockCampaigns(em, tenantId, [messageId])
  await endEnrollments(
    em,
    tenantId,
    [messageId],
    { from: ['active', 'completed', 'replied', 'failed', 'unknown', 'bounced'], to: 'complained' },
    now,
  )
  await em.execute(sql`
    with marked_messages as (
      update campaign_messages m
      set complained_at = ${now}, updated_at = ${now}, ${lateEvidence('complaint', now)}
      where m.tenant_id = ${tenantId} and m.id = ${messageId} and m.complained_at is null
      returning m.campaign_id, m.step, m.mailbox_id, m.kind
    )
    ${counted('complained')}
  `)
  await tripBreakers(em, tenantId, sql`array${campaignsOf(tenantId, [messageId])}`)
}
