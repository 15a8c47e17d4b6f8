// The records of timelines: where the moments of their rows are stored, and of what the timeline of each is made.
import { type Moment, type MomentOf, type PartFacts, type PartName, parts } from '../../rules/timeline/records.ts'
import type { RecordType } from '../../rules/timeline/subjects.ts'
import { msOf, type Sql, sql, text } from '../kit/database/sql.ts'
import {
  type About,
  createdMs,
  momentsOf,
  msOfSecond,
  objectOf,
  ofMember,
  ofSubscription,
  type Rows,
} from './sources.ts'

type PartSource<P extends PartName> = {
  table: string
  /** SQL of the time of each moment of a row x. */
  moments: { readonly [M in MomentOf<P>]: Sql }
  facts: { readonly [F in keyof PartFacts[P]]: Sql }
  /** Rows without it have no moment of this part. */
  only?: Sql
}

const created = createdMs()
const s = (time: Sql): Sql => msOfSecond(time, [created])
/** What comes back of a message was sent before. */
const returned = (time: Sql): Sql => msOfSecond(time, [created, msOf(sql`x.sent_at`), msOf(sql`x.answered_at`)])
const keyed = (table: string) => ({ table, moments: { created }, facts: { key: sql`x.key` } })

const partSources: { readonly [P in PartName]: PartSource<P> } = {
  order: {
    table: 'orders',
    moments: { created, paid: s(sql`x.paid_at`), cancelled: s(sql`x.cancelled_at`) },
    facts: {
      number: sql`x.number`,
      module: sql`x.module`,
      cancel_reason: sql`x.cancel_reason`,
      // The visitor's session, or the account of an operator who booked for them.
      by_account: sql`(select a.id from accounts a where a.id = x.made_by)`,
      by_contact: sql`(
        select v.contact_id from contact_sessions v where v.id = x.made_by and v.tenant_id = x.tenant_id
      )`,
    },
  },
  shipment: {
    table: 'shipments',
    moments: { created },
    facts: { carrier: sql`x.carrier`, tracking_number: sql`x.tracking_number` },
  },
  dispute: {
    table: 'disputes',
    moments: {
      opened: created,
      due: s(sql`case when x.closed_at is null then x.evidence_due_at end`),
      closed: s(sql`x.closed_at`),
    },
    facts: { amount: sql`x.amount`, currency: sql`x.currency`, reason: sql`x.reason`, status: sql`x.status` },
  },
  member: {
    table: 'audience_members',
    moments: {
      created,
      requested: s(sql`x.pending_since`),
      joined: s(sql`x.joined_at`),
      ended: s(sql`x.ended_at`),
      paid_through: s(sql`case when x.status = 'active' then x.paid_through_at end`),
    },
    facts: {
      source: sql`x.source`,
      status: sql`x.status`,
      audience: sql`(select a.name from audiences a where a.id = x.audience_id and a.tenant_id = x.tenant_id)`,
    },
  },
  subscription: {
    table: 'subscriptions',
    moments: {
      created,
      cancelled: s(sql`case when x.status = 'live' then x.cancel_at end`),
      revoked: s(sql`x.revoked_at`),
      ended: s(sql`x.ended_at`),
    },
    facts: { kind: sql`x.kind`, amount: sql`x.amount`, currency: sql`x.currency`, cancelled_by: sql`x.cancelled_by` },
    only: sql`x.member_id is not null`,
  },
  subscription_payment: {
    table: 'payments',
    moments: { paid: s(sql`x.paid_at`) },
    facts: { kind: sql`x.kind`, captured_amount: sql`x.captured_amount`, currency: sql`x.currency` },
  },
  execution: {
    table: 'executions',
    moments: { created, started: s(sql`x.started_at`), finished: s(sql`x.finished_at`) },
    facts: { source: sql`x.source`, status: sql`x.status` },
  },
  publication: {
    table: 'social_publications',
    moments: { created, scheduled: s(sql`x.scheduled_at`), published: s(sql`x.published_at`) },
    facts: { type: sql`x.type`, created_by: sql`x.created_by` },
  },
  campaign: {
    table: 'campaigns',
    moments: {
      created,
      launched: s(sql`x.launched_at`),
      begun: s(sql`x.begun_at`),
      paused: s(sql`case when x.status = 'paused' then x.updated_at end`),
      ended: s(sql`x.ended_at`),
    },
    facts: { name: sql`x.name`, status: sql`x.status`, paused_reason: sql`x.paused_reason` },
  },
  enrollment: {
    table: 'enrollments',
    moments: { created },
    facts: { campaign: sql`(select c.name from campaigns c where c.id = x.campaign_id and c.tenant_id = x.tenant_id)` },
  },
  message_return: {
    table: 'campaign_messages',
    moments: { bounced: returned(sql`x.bounced_at`), complained: returned(sql`x.complained_at`) },
    facts: { class: sql`x.bounce ->> 'class'` },
  },
  inbound_mail: { table: 'inbound_mails', moments: { received: s(sql`x.received_at`) }, facts: { kind: sql`x.kind` } },
  contact: { table: 'contacts', moments: { created }, facts: {} },
  contact_merge: { table: 'contact_merges', moments: { created }, facts: { account_id: sql`x.account_id` } },
  contact_channel: {
    table: 'contact_channels',
    moments: { created, verified: s(sql`x.verified_at`), consent: s(sql`x.consent_at`) },
    facts: { type: sql`x.type` },
  },
  contact_session: {
    table: 'contact_sessions',
    moments: { created, verified: s(sql`x.verified_at`), revoked: s(sql`x.revoked_at`) },
    facts: {},
  },
  chat: {
    table: 'chats',
    moments: { created, rated: s(sql`x.rated_at`) },
    facts: { is_of_visitor: sql`x.contact_id is not null` },
  },
  chat_message: {
    table: 'chat_messages',
    moments: { created },
    facts: { role: sql`x.role`, account_id: sql`x.account_id` },
  },
  research_run: {
    table: 'research_runs',
    moments: { created },
    facts: { account_id: sql`x.account_id`, goal: sql`x.goal` },
  },
  audience: { table: 'audiences', moments: { created }, facts: { name: sql`x.name` } },
  payment_provider: { table: 'payment_providers', moments: { created }, facts: { type: sql`x.type` } },
  integration: { table: 'integrations', moments: { created }, facts: { type: sql`x.type` } },
  social_connection: {
    table: 'social_connections',
    moments: {
      created,
      // The first tokens are those of the connection.
      refreshed: s(sql`case when x.refreshed_at > x.created_at then x.refreshed_at end`),
      reconnect_by: s(sql`x.reconnect_by`),
    },
    facts: { type: sql`x.type`, connected_by: sql`x.connected_by` },
  },
  webhook: {
    table: 'webhooks',
    moments: {
      created,
      failing: s(sql`x.failing_since`),
      disabled: s(sql`case when not x.enabled and x.disabled_reason is not null then x.updated_at end`),
    },
    facts: { key: sql`x.key`, enabled: sql`x.enabled`, disabled_reason: sql`x.disabled_reason` },
  },
  product: keyed('products'),
  collection: keyed('collections'),
  entry: keyed('entries'),
  form_submission: {
    table: 'form_submissions',
    moments: { created },
    facts: {
      form: sql`(select f.key from forms f where f.id = x.form_id and f.tenant_id = x.tenant_id)`,
      by_contact: sql`x.contact_id`,
    },
  },
}

/** The order of moments at one time: a record is made first, and begins before what belongs to it. */
const rankOf = (name: PartName, slot: string, at: Sql, n: number): number => {
  const { kind } = (parts[name] as Record<string, Pick<Moment<never>, 'kind'>>)[slot] ?? {}
  return (at === created || kind === 'started' ? 0 : 100) + n
}

const momentsOfPart = (name: PartName): Sql =>
  momentsOf(
    Object.entries(partSources[name].moments).map(([slot, at], n) => [slot, at, rankOf(name, slot, at, n)] as const),
  )

/** The rows of a part, as a source. */
export const partSource = (name: PartName) => {
  const { table, only } = partSources[name]
  return { table, moments: momentsOfPart(name), ...(only ? { visible: only } : {}) }
}
export const factsOfPart = (name: PartName): Sql => objectOf(partSources[name].facts)

type PartOf = Rows & { part: PartName }
/** What a timeline is made of, beside the effects that name it. */
export type RecordTimeline = {
  /** The role that reads the record elsewhere; an admin by default. */
  may?: 'owner'
  parts: readonly PartOf[]
  /** Its events are about it, and about the records of these ids. */
  events?: (about: About) => Sql
}

const itself: Rows = { where: ({ id }) => sql`x.id = ${id}` }
const own = (part: PartName): PartOf => ({ part, ...itself })
const by = (part: PartName, column: string, more: Partial<Rows> = {}): PartOf => ({
  part,
  where: ({ id }) => sql`x.${text(column)} = ${id}`,
  ...more,
})
const stream = { stream: true } as const
const aboutItself = ({ id }: About): Sql => sql`select ${id}::text as id`
/** The timeline of a record that has events and no other rows. */
const plain = (part: PartName): RecordTimeline => ({ parts: [own(part)], events: aboutItself })

export const recordTimelines: { readonly [T in RecordType]: RecordTimeline } = {
  order: {
    parts: [own('order'), by('shipment', 'order_id'), by('dispute', 'order_id')],
    events: ({ tenant_id, id }) => sql`
      ${aboutItself({ tenant_id, id })}
      union all
      select b.id::text
      from order_bookings b
      where b.tenant_id = ${tenant_id} and b.order_id = ${id}
    `,
  },
  member: {
    parts: [
      own('member'),
      by('subscription', 'member_id'),
      { part: 'subscription_payment', where: ofMember },
      { part: 'dispute', where: ofMember },
    ],
    events: aboutItself,
  },
  subscription: {
    parts: [
      own('subscription'),
      { part: 'subscription_payment', where: ofSubscription },
      { part: 'dispute', where: ofSubscription },
    ],
  },
  execution: { parts: [own('execution')] },
  publication: plain('publication'),
  campaign: { parts: [own('campaign')] },
  enrollment: {
    parts: [own('enrollment'), by('message_return', 'enrollment_id'), by('inbound_mail', 'enrollment_id', stream)],
  },
  contact: {
    parts: [
      own('contact'),
      by('contact_merge', 'target_id', stream),
      by('contact_channel', 'contact_id', stream),
      by('contact_session', 'contact_id', stream),
      by('order', 'contact_id', stream),
      by('member', 'contact_id', stream),
      by('enrollment', 'contact_id', stream),
      by('chat', 'contact_id', stream),
      by('form_submission', 'contact_id', stream),
    ],
  },
  chat: { parts: [own('chat'), by('chat_message', 'chat_id', stream)] },
  // The API shows the caller's id of a run.
  research_run: { parts: [by('research_run', 'run_id')] },
  audience: { parts: [own('audience')] },
  payment_provider: { parts: [own('payment_provider')] },
  // Drives are read as connections of workflows, which have no timeline.
  integration: {
    may: 'owner',
    parts: [{ part: 'integration', where: ({ id }) => sql`x.id = ${id} and x.category <> 'drive'` }],
  },
  social_connection: plain('social_connection'),
  webhook: { parts: [own('webhook')] },
  product: plain('product'),
  collection: plain('collection'),
  entry: plain('entry'),
  form_submission: plain('form_submission'),
}

/** What belongs to an effect's own timeline beside its row. */
export const partsOfEffect: Partial<Record<string, readonly PartOf[]>> = {
  campaign_message: [own('message_return'), by('inbound_mail', 'campaign_message_id', stream)],
}
