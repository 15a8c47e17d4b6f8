// The moments of records themselves: what their rows say of when they were made, changed and ended.
import { isolated } from '../isolated.ts'
import { formatMoney } from '../payments/currencies.ts'
import { disabledWhy } from '../webhooks/attention.ts'
import { type By, type EntryKind, type Lane, operator, provider, system, visitor } from './entries.ts'

/** What the sentences need of a row, by the table that it is of. `by_…` are ids of an account or a contact. */
export type PartFacts = {
  order: {
    number: number
    module: string | null
    cancel_reason: string | null
    by_account: string | null
    by_contact: string | null
  }
  shipment: { carrier: string | null; tracking_number: string | null }
  dispute: { amount: number; currency: string; reason: string | null; status: string }
  member: { source: string; status: string; audience: string | null }
  subscription: { kind: string; amount: number; currency: string; cancelled_by: string | null }
  subscription_payment: { kind: string | null; captured_amount: number; currency: string }
  execution: { source: string; status: string }
  publication: { type: string; created_by: string }
  campaign: { name: string; status: string; paused_reason: { code: string; message: string } | null }
  enrollment: { campaign: string | null }
  message_return: { class: string | null }
  inbound_mail: { kind: string }
  contact: object
  contact_merge: { account_id: string }
  contact_channel: { type: string }
  contact_session: object
  chat: { is_of_visitor: boolean }
  chat_message: { role: string; account_id: string | null }
  research_run: { account_id: string | null; goal: string }
  audience: { name: string }
  payment_provider: { type: string }
  integration: { type: string }
  social_connection: { type: string; connected_by: string }
  webhook: { key: string; enabled: boolean; disabled_reason: string | null }
  product: { key: string }
  collection: { key: string }
  entry: { key: string }
  form_submission: { form: string | null; by_contact: string | null }
}
export type PartName = keyof PartFacts

export type Moment<F> = { kind: EntryKind; title(facts: F): string; lane?: Lane; by?(facts: F): By | null }

const moment = <F>(kind: EntryKind, title: (facts: F) => string, by?: Moment<F>['by'], lane?: Lane): Moment<F> => ({
  kind,
  title,
  ...(by ? { by } : {}),
  ...(lane ? { lane } : {}),
})

const money = ({ amount, currency }: { amount: number; currency: string }): string => formatMoney(amount, currency)
const words = (text: string): string => isolated(text.replaceAll('_', ' '))
const orderNoun = ({ module, number }: PartFacts['order']): string => `${isolated(module ?? 'order')} ${number}`
const begun = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

const cancelReasons: Readonly<Record<string, string>> = {
  requested: 'as was requested',
  declared_failed: 'as it was declared failed',
  payment_expired: 'as it was not paid in time',
  payment_failed: 'as its payment failed',
  approval_expired: 'as it was not approved in time',
  authorization_expired: 'as the authorisation of the card ended',
  capture_rejected: 'as the authorised payment could not be captured',
}
const makerOf = ({ by_account, by_contact }: { by_account: string | null; by_contact: string | null }): By | null =>
  by_account !== null ? operator(by_account) : by_contact !== null ? visitor(by_contact) : null
const enders: Readonly<Record<string, By>> = {
  member: visitor(null),
  operator: operator(null),
  provider,
  archive: system,
}
const starters: Readonly<Record<string, string>> = {
  webhook: 'a request to its address',
  schedule: 'its schedule',
  event: 'an event',
}
const arrivals: Readonly<Record<string, string>> = {
  reply: 'A reply came in.',
  auto_reply: 'An automatic reply came in.',
  bounce: 'The message came back.',
  complaint: 'The recipient complained about the message.',
}

/** The moments of each part, by their names. */
export const parts = {
  order: {
    created: moment(
      'created',
      // Without its sum: the row holds that of today, which a change of its items rewrites.
      (f) => `${begun(orderNoun(f))} was placed.`,
      (f) => makerOf(f),
    ),
    paid: moment('paid', (f) => `${begun(orderNoun(f))} was paid.`),
    cancelled: moment(
      'cancelled',
      (f) => `${begun(orderNoun(f))} was cancelled${f.cancel_reason ? `, ${cancelReasons[f.cancel_reason]}` : ''}.`,
    ),
  },
  shipment: {
    created: moment('shipped', (f) => `Goods were shipped${f.carrier ? ` with ${isolated(f.carrier)}` : ''}.`),
  },
  dispute: {
    opened: moment(
      'disputed',
      (f) => `The customer disputed ${money(f)} at their bank${f.reason ? ` (${words(f.reason)})` : ''}.`,
      () => provider,
      'provider',
    ),
    due: moment('deadline', () => 'Evidence in the dispute is due by this time.', undefined),
    closed: moment(
      'ended',
      (f) => `The dispute ended: ${words(f.status)}.`,
      () => provider,
      'provider',
    ),
  },
  member: {
    created: moment(
      'created',
      (f) => `The contact was entered in the audience${f.audience ? ` ${isolated(f.audience)}` : ''}.`,
      (f) => (f.source === 'storefront' ? visitor(null) : operator(null)),
    ),
    requested: moment('changed', () => 'The membership was requested, and waits for its confirmation.'),
    joined: moment('started', () => 'The membership began.'),
    ended: moment('ended', (f) => `The membership ended: ${words(f.status)}.`),
    paid_through: moment('deadline', () => 'The paid time ends.'),
  },
  subscription: {
    created: moment(
      'created',
      (f) => `A subscription for ${money(f)} was begun.`,
      () => visitor(null),
    ),
    cancelled: moment(
      'deadline',
      () => 'The subscription ends at this time.',
      (f) => enders[f.cancelled_by ?? ''] ?? null,
    ),
    revoked: moment(
      'cancelled',
      () => 'The membership was ended at once.',
      () => operator(null),
    ),
    ended: moment(
      'ended',
      () => 'The subscription ended.',
      (f) => enders[f.cancelled_by ?? ''] ?? null,
    ),
  },
  subscription_payment: {
    paid: moment(
      'paid',
      (f) => `The ${words(f.kind ?? '')} payment of ${formatMoney(f.captured_amount, f.currency)} was captured.`,
      () => provider,
      'provider',
    ),
  },
  execution: {
    created: moment('created', (f) => `The execution was started by ${starters[f.source]}.`),
    started: moment(
      'started',
      () => 'The execution began to run.',
      () => system,
      'worker',
    ),
    finished: moment(
      'ended',
      (f) => `The execution ended: ${words(f.status)}.`,
      () => system,
    ),
  },
  publication: {
    created: moment(
      'created',
      () => 'The publication was drafted.',
      (f) => operator(f.created_by),
    ),
    scheduled: moment('scheduled', () => 'The publication is scheduled for this time.'),
    published: moment(
      'published',
      () => 'The post is visible at the network since this time.',
      () => provider,
      'provider',
    ),
  },
  campaign: {
    created: moment('created', (f) => `The campaign ${isolated(f.name)} was drafted.`),
    launched: moment(
      'scheduled',
      () => 'The campaign was launched.',
      () => operator(null),
    ),
    begun: moment(
      'started',
      () => 'The campaign began to send.',
      () => system,
      'worker',
    ),
    paused: moment(
      'changed',
      ({ paused_reason: why }) =>
        why && why.code !== 'operator'
          ? `The campaign was paused: ${isolated(why.message)}`
          : 'An operator paused the campaign.',
      (f) => (f.paused_reason?.code === 'operator' ? operator(null) : system),
    ),
    ended: moment('ended', (f) => `The campaign ended: ${words(f.status)}.`),
  },
  enrollment: {
    created: moment(
      'created',
      (f) => `The contact was enrolled in the campaign${f.campaign ? ` ${isolated(f.campaign)}` : ''}.`,
    ),
  },
  message_return: {
    bounced: moment(
      'received',
      (f) => `The message bounced${f.class ? ` (${words(f.class)})` : ''}.`,
      () => provider,
      'provider',
    ),
    complained: moment(
      'received',
      () => 'The recipient reported the message as spam.',
      () => provider,
      'provider',
    ),
  },
  inbound_mail: {
    received: moment('received', (f) => arrivals[f.kind] ?? 'Mail came in.', undefined, 'provider'),
  },
  contact: { created: moment('created', () => 'The contact was made.') },
  contact_merge: {
    created: moment(
      'merged',
      () => 'Another contact was merged into this one.',
      (f) => operator(f.account_id),
    ),
  },
  contact_channel: {
    created: moment('changed', (f) => `A channel was added (${words(f.type)}).`),
    verified: moment(
      'changed',
      (f) => `A channel was verified (${words(f.type)}).`,
      () => visitor(null),
    ),
    consent: moment('changed', () => 'The consent to messages was recorded.'),
  },
  contact_session: {
    created: moment(
      'started',
      () => 'The visitor opened a session.',
      () => visitor(null),
    ),
    verified: moment(
      'changed',
      () => 'The visitor signed in.',
      () => visitor(null),
    ),
    revoked: moment('ended', () => 'The session was ended.'),
  },
  chat: {
    created: moment(
      'created',
      () => 'The chat began.',
      (f) => (f.is_of_visitor ? visitor(null) : operator(null)),
    ),
    rated: moment(
      'changed',
      () => 'The visitor rated the chat.',
      () => visitor(null),
    ),
  },
  chat_message: {
    created: moment(
      'created',
      (f) => ({ user: 'A message came in.', operator: 'An operator replied.' })[f.role] ?? 'The agent answered.',
      (f) => (f.role === 'user' ? visitor(null) : f.role === 'operator' ? operator(f.account_id) : system),
    ),
  },
  research_run: {
    created: moment(
      'created',
      () => 'The run of lead research was begun.',
      (f) => operator(f.account_id),
    ),
  },
  audience: { created: moment('created', (f) => `The audience ${isolated(f.name)} was made.`) },
  payment_provider: {
    created: moment('created', () => 'The connection to the payment provider was begun.'),
  },
  integration: {
    created: moment('created', (f) => `The integration ${words(f.type)} was made.`),
  },
  social_connection: {
    created: moment(
      'created',
      () => 'The account was connected.',
      (f) => operator(f.connected_by),
    ),
    refreshed: moment(
      'changed',
      () => 'The network renewed our access to the account.',
      () => system,
    ),
    reconnect_by: moment('deadline', () => 'The consent ends, unless the account is connected again before.'),
  },
  webhook: {
    created: moment('created', (f) => `The webhook ${isolated(f.key)} was made.`),
    failing: moment('changed', () => 'Since this time, no delivery was accepted.', undefined, 'provider'),
    disabled: moment(
      'changed',
      (f) => `The webhook was disabled${f.disabled_reason ? `: ${disabledWhy(f.disabled_reason)}` : ''}.`,
      () => system,
    ),
  },
  product: { created: moment('created', (f) => `The product ${isolated(f.key)} was made.`) },
  collection: { created: moment('created', (f) => `The collection ${isolated(f.key)} was made.`) },
  entry: { created: moment('created', (f) => `The entry ${isolated(f.key)} was made.`) },
  form_submission: {
    created: moment(
      'created',
      (f) => `The form${f.form ? ` ${isolated(f.form)}` : ''} was submitted.`,
      (f) => (f.by_contact === null ? operator(null) : visitor(f.by_contact)),
    ),
  },
} satisfies { [P in PartName]: Record<string, Moment<PartFacts[P]>> }

export type MomentOf<P extends PartName> = keyof (typeof parts)[P] & string
