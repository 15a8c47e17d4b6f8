// What a bounce or a complaint changes: the message, its enrollment, the counters of its step, and the channels with its address.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type BounceClass, bounceClass, SOFT_BOUNCES_MAX, SOFT_BOUNCES_S } from '../../rules/campaigns/bounces.ts'
import type { EnrollmentStatus, InboundKind } from '../../rules/campaigns/campaigns.ts'
import { storable } from '../../rules/input/storable.ts'
import { followAddresses } from '../audiences/member-delivery.ts'
import { arrayOf, uuids } from '../kit/ids.ts'
import { json, type Sql, sql, text } from '../kit/sql.ts'
import { completeCampaigns } from './completing.ts'
import { keepAddresses } from './keeping.ts'
import { tripBreakers } from './stopping.ts'

/** `status`: the enhanced status code, such as 5.1.1. `diagnostic`: what the server said. */
export type Bounce = { id: string; status: string | null; diagnostic: string | null }

/** The addresses of these messages. A test message suppresses no address. */
const addressesOf = (tenantId: string, messageIds: readonly string[]): Sql =>
  sql`(select address from campaign_messages where tenant_id = ${tenantId} and id = any (${uuids(messageIds)}) and kind <> 'test')`

/**
 * All channels of the store with the addresses of these messages bounced or complained, and their members get no mail of audiences. A complaint stays a complaint. `now` in
 * Unix seconds. To be called before the transaction locks campaigns.
 */
async function suppressAddresses(em: EntityManager, tenantId: string, messageIds: readonly string[], to: 'bounced' | 'complained', now: number): Promise<void> {
  const rows: { contact_id: string }[] = await em.execute(
    sql`with due as materialized (select id from contact_channels where tenant_id = ${tenantId} and type = 'email' and address in ${addressesOf(tenantId, messageIds)}
       order by id for update)
     update contact_channels c set status = ${to}, updated_at = ${now} from due
     where c.tenant_id = ${tenantId} and c.id = due.id and c.status <> ${to} and c.status <> 'complained' returning c.contact_id`,
  )
  const recipients = sql`(select n.contact_id, m.address from campaign_messages m join enrollments n on n.tenant_id = m.tenant_id and n.id = m.enrollment_id
     where m.tenant_id = ${tenantId} and m.id = any (${uuids(messageIds)}) and m.kind <> 'test')`
  const kept = await keepAddresses(em, tenantId, recipients, { status: to, consent_status: 'unknown' }, now)
  const contacts = [...new Set([...rows.map(({ contact_id }) => contact_id), ...kept])]
  if (contacts.length > 0) await followAddresses(em, tenantId, contacts, now)
}

const campaignsOf = (tenantId: string, messageIds: readonly string[]): Sql =>
  sql`(select campaign_id from campaign_messages where tenant_id = ${tenantId} and id = any (${uuids(messageIds)}))`

/** Locks the campaigns of these messages, by id: nothing of them is stamped until the transaction ends. */
export const lockCampaigns = (em: EntityManager, tenantId: string, messageIds: readonly string[]): Promise<{ stop_on_reply: boolean }[]> =>
  em.execute(
    sql`select stop_on_reply from campaigns where tenant_id = ${tenantId} and id in ${campaignsOf(tenantId, messageIds)} order by id for no key update`,
  )

/**
 * Ends the enrollments of these messages that are in one of the states `from`, and completes running campaigns that have no active ones left. The caller has locked the
 * campaigns. `now` in Unix seconds.
 */
export async function endEnrollments(
  em: EntityManager,
  tenantId: string,
  messageIds: readonly string[],
  { from, to }: { from: readonly EnrollmentStatus[]; to: EnrollmentStatus },
  now: number,
): Promise<void> {
  const rows: { was: string }[] = await em.execute(
    sql`with due as materialized (select e.id, e.status as was from enrollments e where e.tenant_id = ${tenantId} and e.id in
       (select enrollment_id from campaign_messages where tenant_id = ${tenantId} and id = any (${uuids(messageIds)}) and kind <> 'test') order by e.id for update)
     update enrollments e set status = ${to}, due_at = null, updated_at = ${now} from due
     where e.tenant_id = ${tenantId} and e.id = due.id and due.was = any (${arrayOf(from)}::text[]) returning due.was`,
  )
  if (rows.some(({ was }) => was === 'active')) await completeCampaigns(em, sql`array${campaignsOf(tenantId, messageIds)}`)
}

/** A column of `campaign_stats`. */
type Counter = 'bounced' | 'hard_bounced' | 'complained' | 'replied'

/** Adds one for each of the rows of `hit` (`campaign_id`, `step`, `mailbox_id`), the end of a statement. Replies of operators and tests have no counters. */
export const counted = (...counters: Counter[]): Sql =>
  sql`, sums as materialized (select s.campaign_id, s.step, s.mailbox_id from campaign_stats s
       where (s.campaign_id, s.step, s.mailbox_id) in (select campaign_id, step, mailbox_id from hit where kind = 'step') order by 1, 2, 3 for update)
     update campaign_stats s set ${text(counters.map((counter) => `${counter} = s.${counter} + n.count`).join(', '))}
     from sums x cross join lateral (select count(*)::int as count from hit h
       where h.kind = 'step' and (h.campaign_id, h.step, h.mailbox_id) = (x.campaign_id, x.step, x.mailbox_id)) n where (s.campaign_id, s.step, s.mailbox_id) = (x.campaign_id, x.step, x.mailbox_id)`

/** An operator resolves a message whose outcome is unknown: what came back proves that a server accepted it. */
export const lateEvidence = (came: InboundKind, now: number): Sql =>
  sql`late_evidence = case when m.status = 'unknown' and m.late_evidence is null then ${json({ status: 'succeeded', inbound: came, received_at: now })} else m.late_evidence end`

/** The messages did not arrive. Each counts once. */
async function markBounced(em: EntityManager, tenantId: string, kind: BounceClass, bounces: readonly Bounce[], now: number): Promise<void> {
  const ids = bounces.map(({ id }) => id)
  const rows = bounces.map(({ id, ...bounce }) => ({ id, bounce: storable({ ...bounce, class: kind }) }))
  await em.execute(
    sql`with given as (select x.id, x.bounce from jsonb_to_recordset(${json(rows)}) as x(id uuid, bounce jsonb)),
     due as materialized (select id from campaign_messages where tenant_id = ${tenantId} and id = any (${uuids(ids)}) order by id for update),
     hit as (update campaign_messages m set bounced_at = ${now}, bounce = given.bounce, updated_at = ${now}, ${lateEvidence('bounce', now)}
       from due join given on given.id = due.id where m.tenant_id = ${tenantId} and m.id = due.id and m.bounced_at is null
       returning m.campaign_id, m.step, m.mailbox_id, m.kind)${kind === 'hard' ? counted('bounced', 'hard_bounced') : counted('bounced')}`,
  )
}

/**
 * The addresses of these messages of one store do not exist: a report said so, or the server's reply while sending. The message is `bounced_at` now, its step counts it, its
 * enrollment is `bounced`, and all channels of the store with the address, so that their members get no mail of audiences; the events of those members are published. A test
 * message suppresses no address. Again: nothing changes. Ten statements however many messages. `now` in Unix seconds.
 *
 * To be called before the transaction locks campaigns, enrollments or messages: channels and members are locked before them. A settling statement that follows in the same
 * transaction must end active enrollments only.
 */
export async function applyHardBounces(em: EntityManager, tenantId: string, bounces: readonly Bounce[], now: number): Promise<void> {
  if (bounces.length === 0) return
  const ids = bounces.map(({ id }) => id)
  await suppressAddresses(em, tenantId, ids, 'bounced', now)
  await lockCampaigns(em, tenantId, ids)
  await endEnrollments(em, tenantId, ids, { from: ['active', 'completed', 'failed', 'unknown'], to: 'bounced' }, now)
  await markBounced(em, tenantId, 'hard', bounces, now)
  await tripBreakers(em, tenantId, sql`array${campaignsOf(tenantId, ids)}`)
}

/** Whether the message's address has so many soft bounces, this one included, that it is suppressed. */
async function isSuppressing(em: EntityManager, tenantId: string, messageId: string, now: number): Promise<boolean> {
  const rows: unknown[] = await em.execute(
    sql`select 1 from campaign_messages m where m.tenant_id = ${tenantId} and m.address in ${addressesOf(tenantId, [messageId])} and m.id <> ${messageId} and m.kind <> 'test'
     and m.bounced_at > ${now - SOFT_BOUNCES_S} and m.bounce ->> 'class' = 'soft' limit ${SOFT_BOUNCES_MAX - 1}`,
  )
  return rows.length >= SOFT_BOUNCES_MAX - 1
}

/** A report about one message. A soft bounce suppresses the address with the third in 30 days; one about the sender, or after temporary refusals, never does. */
export async function applyBounce(em: EntityManager, tenantId: string, bounce: Bounce, now: number): Promise<void> {
  const kind = bounceClass(bounce.status)
  if (kind === 'hard') return applyHardBounces(em, tenantId, [bounce], now)
  const ids = [bounce.id]
  const suppresses = kind === 'soft' && (await isSuppressing(em, tenantId, bounce.id, now))
  if (suppresses) await suppressAddresses(em, tenantId, ids, 'bounced', now)
  await lockCampaigns(em, tenantId, ids)
  if (suppresses) await endEnrollments(em, tenantId, ids, { from: ['active', 'completed', 'failed', 'unknown'], to: 'bounced' }, now)
  await markBounced(em, tenantId, kind, [bounce], now)
}

/** The recipient reported the message as spam. */
export async function applyComplaint(em: EntityManager, tenantId: string, messageId: string, now: number): Promise<void> {
  await suppressAddresses(em, tenantId, [messageId], 'complained', now)
  await lockCampaigns(em, tenantId, [messageId])
  await endEnrollments(em, tenantId, [messageId], { from: ['active', 'completed', 'replied', 'failed', 'unknown', 'bounced'], to: 'complained' }, now)
  await em.execute(
    sql`with hit as (update campaign_messages m set complained_at = ${now}, updated_at = ${now}, ${lateEvidence('complaint', now)}
       where m.tenant_id = ${tenantId} and m.id = ${messageId} and m.complained_at is null returning m.campaign_id, m.step, m.mailbox_id, m.kind)${counted('complained')}`,
  )
  await tripBreakers(em, tenantId, sql`array${campaignsOf(tenantId, [messageId])}`)
}
