// What each effect is called in a timeline, who receives it, and who asked for it. An effect that is missing here does
// not compile.
import type { EffectName } from '../effects.ts'
import { isolated } from '../isolated.ts'
import { type Answered, withoutMailAnswer } from '../mail/mail-answers.ts'
import { formatMoney } from '../payments/currencies.ts'
import { type By, operator, provider, system, visitor } from './entries.ts'

type Money = { amount: number; currency: string }
type Request = { kind: string }

/** What the sentences about an effect need of its row, by effect. */
export type EffectFacts = {
  refund: Money & { origin: string; requested_by: string | null }
  payment_session: Money
  session_expiry: object
  coupon: Money
  authorization_end: Money & Request
  connect: object
  onboarding_link: object
  price_provision: object
  portal_configuration: object
  portal_link: object
  mail: Request
  campaign_message: Request & { step: number | null }
  webhook_test: object
  subscription_change: Request & { requested_by: string }
  oauth_exchange: Request & { provider: string }
  social_connect: { connected_by: string | null }
  social_token_request: Request
  social_reveal: { n: number }
  social_reply: object
  social_classification: object
  model_call: object
  channel_message: { account_id: string | null }
  node_run: { node: string; is_read: boolean }
}

/** `noun`: begins with a small letter, and stands behind "the". */
type EffectText<F> = {
  noun(facts: F): string
  receiver: string
  /** How it began, where it was not requested here. */
  begun?(facts: F): string | null
  by?(facts: F): By | null
  /** It changes nothing at the receiver, and is repeated. */
  isRead?(facts: F): boolean
  /** Takes out what the team may not read. */
  redact?<R extends Answered>(row: R): R
}

const stripe = 'the payment provider'
const network = 'the network'
const model = 'the model'
const mailServer = 'the mail server'
const money = ({ amount, currency }: Money): string => formatMoney(amount, currency)

const changes: Readonly<Record<string, string>> = {
  cancel: 'cancellation of the subscription at the end of its paid time',
  cancel_now: 'cancellation of the subscription at once',
  resume: 'withdrawal of the cancellation',
  card: 'change of the card',
}
const requesters: Readonly<Record<string, By>> = { member: visitor(null), operator: operator(null) }
const messages: Readonly<Record<string, string>> = { reply: 'reply', test: 'test message' }

export const effectTexts: { readonly [N in EffectName]: EffectText<EffectFacts[N]> } = {
  refund: {
    noun: (facts) => `refund of ${money(facts)}`,
    receiver: stripe,
    begun: (facts) =>
      facts.origin === 'provider' ? `A refund of ${money(facts)} was made in the provider's dashboard.` : null,
    by: ({ origin, requested_by }) =>
      origin === 'operator' ? operator(requested_by) : origin === 'provider' ? provider : system,
  },
  payment_session: { noun: (facts) => `opening of the payment form for ${money(facts)}`, receiver: stripe },
  session_expiry: { noun: () => 'closing of the payment form', receiver: stripe, by: () => system },
  coupon: { noun: (facts) => `creation of the coupon of ${money(facts)}`, receiver: stripe },
  authorization_end: {
    noun: ({ kind, ...facts }) =>
      `${kind === 'capture' ? 'capture' : 'cancellation'} of the authorised ${money(facts)}`,
    receiver: stripe,
  },
  connect: {
    noun: () => 'creation of the account at the payment provider',
    receiver: stripe,
    by: () => operator(null),
  },
  onboarding_link: {
    noun: () => "request for a link to the payment provider's onboarding pages",
    receiver: stripe,
    by: () => operator(null),
  },
  price_provision: { noun: () => 'creation of the price at the payment provider', receiver: stripe },
  portal_configuration: {
    noun: () => "creation of the configuration of the payment provider's customer portal",
    receiver: stripe,
  },
  portal_link: { noun: () => "request for a link to the payment provider's customer portal", receiver: stripe },
  mail: {
    noun: ({ kind }) => `e-mail (${kind.replaceAll('_', ' ')})`,
    receiver: mailServer,
    redact: withoutMailAnswer,
  },
  campaign_message: {
    noun: ({ kind, step }) => messages[kind] ?? `message ${(step ?? 0) + 1} of the campaign`,
    receiver: mailServer,
    by: ({ kind }) => (kind === 'step' ? system : operator(null)),
  },
  webhook_test: { noun: () => 'test of the webhook', receiver: 'the receiver', by: () => operator(null) },
  subscription_change: {
    noun: ({ kind }) => changes[kind] ?? 'change of the subscription',
    receiver: stripe,
    by: ({ requested_by }) => requesters[requested_by] ?? system,
  },
  oauth_exchange: {
    noun: ({ kind, provider: at }) =>
      kind === 'exchange'
        ? `exchange of the code for tokens at ${isolated(at)}`
        : `revocation of the token at ${isolated(at)}`,
    receiver: 'the authorization server',
  },
  social_connect: {
    noun: () => 'exchange of the code for the tokens of the account',
    receiver: network,
    by: ({ connected_by }) => operator(connected_by),
  },
  social_token_request: {
    noun: ({ kind }) => (kind === 'refresh' ? 'renewal of the tokens' : 'revocation of the tokens'),
    receiver: network,
  },
  social_reveal: {
    noun: ({ n }) => (n === 1 ? 'call that shows the post' : `call ${n} that shows the post`),
    receiver: network,
  },
  social_reply: { noun: () => 'reply to the comment', receiver: network },
  social_classification: { noun: () => 'classification of comments', receiver: model, by: () => system },
  model_call: { noun: () => 'question to the model', receiver: model, by: () => system },
  channel_message: {
    noun: () => 'message to the visitor',
    receiver: 'the chat service',
    by: ({ account_id }) => (account_id === null ? system : operator(account_id)),
  },
  node_run: {
    noun: ({ node }) => `run of the node ${isolated(node)}`,
    receiver: 'the receiver',
    isRead: ({ is_read }) => is_read,
  },
}
