// Interprets answers of the payment provider by status and shape. A gateway in front of the provider may answer in its
// place, which proves nothing.
import { z } from 'zod'
import { apiProof, isSuccess } from '../http-verdicts.ts'
import { losslessJson } from '../input/numbers.ts'
import { SessionState } from './payments.ts'

const text = z.string().min(1)
/** Bounded by the columns: an answer that cannot be stored is treated as unreadable. */
const id = z.string().regex(/^[\w-]{1,255}$/)
const objectOf = <const T extends string>(object: T) => z.looseObject({ object: z.literal(object), id })
const session = objectOf('checkout.session').extend({
  status: SessionState.nullable(),
  client_secret: z.string().max(4000).nullish(),
  expires_at: z.int().min(0).max(253_402_300_799).nullish(),
})

const listOf = <T extends z.ZodType>(item: T) =>
  z.looseObject({ object: z.literal('list'), data: z.array(item), has_more: z.boolean() })

/** The object that each call returns: the minimum by which the provider's own answer is recognised. */
const shapes = {
  account: objectOf('account'),
  account_link: z.looseObject({ object: z.literal('account_link'), url: text }),
  session,
  sessions: listOf(session),
  refund: objectOf('refund'),
  payment_intent: objectOf('payment_intent'),
  invoice_payments: listOf(objectOf('invoice_payment')),
  portal_configuration: objectOf('billing_portal.configuration'),
  portal_configurations: listOf(objectOf('billing_portal.configuration')),
  portal_session: objectOf('billing_portal.session').extend({ url: text }),
  price: objectOf('price'),
  prices: listOf(objectOf('price')),
  coupon: objectOf('coupon'),
  subscription: objectOf('subscription'),
  invoice: objectOf('invoice'),
  invoices: listOf(objectOf('invoice')),
  customer: objectOf('customer'),
}
export type ProviderObject = keyof typeof shapes

/** A value of another type is ignored. */
const optional = z.string().optional().catch(undefined)
const Refusal = z.object({ error: z.object({ type: text, code: optional, message: optional, param: optional }) })
type ProviderRefusal = z.output<typeof Refusal>['error']

type ProviderAnswer =
  | { is: 'object'; body: object }
  | { is: 'refusal'; refusal: ProviderRefusal }
  | { is: 'unreadable' }

function parsed(body: string): unknown {
  try {
    return losslessJson(body)
  } catch {
    return undefined
  }
}

/** `body` is null if it ended early. Only a status from 200 to 299 is a success. */
export function providerAnswer(status: number, body: string | null, expected: ProviderObject): ProviderAnswer {
  const content = body === null ? undefined : parsed(body)
  if (isSuccess(status))
    return shapes[expected].safeParse(content).success
      ? { is: 'object', body: content as object }
      : { is: 'unreadable' }
  const refused = Refusal.safeParse(content)
  return refused.success ? { is: 'refusal', refusal: refused.data.error } : { is: 'unreadable' }
}

/** docs.stripe.com/api/errors. An error of any other type is a gateway's. */
const refusalTypes = new Set([
  'api_error',
  'authentication_error',
  'card_error',
  'invalid_request_error',
  'rate_limit_error',
])

/**
 * Whether the answer proves that nothing was executed. Only an error in the provider's own format does: a gateway that
 * answers may have forwarded the request before.
 */
export const provesRefusal = (status: number, { type, code }: Pick<ProviderRefusal, 'type' | 'code'>): boolean =>
  apiProof(status) === 'refused' && refusalTypes.has(type) && code !== 'idempotency_key_in_use'

const account = 'The {store} cannot take card payments at the moment.'
/** Messages for the buyer, for refusals that the buyer or the store can act on (docs.stripe.com/error-codes). */
const declines = new Map<string | undefined, string>([
  ['amount_too_large', 'The total is more than the payment provider accepts.'],
  ['amount_too_small', 'The total is less than the payment provider accepts.'],
  ...[
    'account_closed',
    'account_country_invalid_address',
    'account_invalid',
    'balance_insufficient',
    'charge_already_refunded',
    'charge_disputed',
    'charge_exceeds_source_limit',
    'charge_exceeds_transaction_limit',
    'country_code_invalid',
    'country_unsupported',
    'email_invalid',
    'insufficient_funds',
    'payouts_not_allowed',
    'refund_disputed_payment',
    'testmode_charges_only',
  ].map((code): [string, string] => [code, account]),
])

/**
 * The message for the buyer of a recorded refusal; null for refusals caused by the request itself or by a temporary
 * condition.
 */
export function declineOf(
  error: { provider_status?: number; provider_code?: string } | null | undefined,
): string | null {
  if (error?.provider_status === 402) return 'The payment provider declined the payment.'
  return declines.get(error?.provider_code) ?? null
}

/**
 * What a buyer may read of the error of a payment, in words of ours; null for errors that only the operators can act
 * on.
 */
export function buyerErrorOf(
  error: { code: string; provider_status?: number; provider_code?: string } | null | undefined,
): { code: string; message: string } | null {
  if (error?.code === 'card_declined')
    return {
      code: 'card_declined',
      message: 'The card was declined. Another card can be tried in the same payment form.',
    }
  return declineOf(error) === null
    ? null
    : { code: 'payment_rejected', message: 'The payment provider declined the payment, and nothing was charged.' }
}

type EntryText = { code: string; message: string; provider_status: number; provider_code?: string }

/** A page that is to be closed was paid or has expired meanwhile: Stripe gives this refusal no code. */
const isClosed = (message: string | undefined): boolean =>
  /^Only Checkout Sessions with a status in \["open"\] can be expired/.test(message ?? '')

/**
 * A refusal as it is stored, for operators of the store: with the provider's message if the buyer or the store can
 * act on it. `ours`: the provider refused the request that this installation made; its message quotes the request and
 * is only logged.
 */
export function toldOf(
  status: number,
  { type, code, message, param }: ProviderRefusal,
): { error: EntryText; ours: boolean } {
  const facts = { provider_status: status, ...(code ? { provider_code: code } : {}) }
  if (!provesRefusal(status, { type, code }))
    return {
      error: { code: code ?? type, message: `The payment provider answered with status ${status}.`, ...facts },
      ours: false,
    }
  if (status === 429)
    return {
      error: { code: code ?? type, message: 'The payment provider accepts no more requests at the moment.', ...facts },
      ours: false,
    }
  if (type === 'card_error' || declines.has(code) || param === 'amount' || isClosed(message))
    return {
      error: { code: code ?? type, message: message || 'The payment provider declined the request.', ...facts },
      ours: false,
    }
  const hint = "The payment provider did not accept this installation's request. The details are in its log."
  return { error: { code: 'provider_request_refused', message: hint, ...facts }, ours: true }
}

/** The error for an answer that ended early, or that is not the provider's answer to this request. */
export const unreadable = (status: number): EntryText => ({
  code: 'broken_answer',
  message: `The answer to the payment provider's call, with status ${status}, is not readable, or answers another request.`,
  provider_status: status,
})
