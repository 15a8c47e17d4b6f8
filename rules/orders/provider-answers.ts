// What an answer of the payment provider proves: its status is judged first, then its shape. A gateway in front of the provider answers in the provider's place.
import { z } from 'zod'
import { SessionState } from './payments.ts'

const text = z.string().min(1)
/** What our rows keep has to fit them: an answer that does not is unreadable, instead of one that can never be written. */
const id = z.string().regex(/^[\w-]{1,255}$/)
const named = <const T extends string>(object: T) => z.looseObject({ object: z.literal(object), id })
const session = named('checkout.session').extend({
  status: SessionState.nullable(),
  client_secret: z.string().max(4000).nullish(),
  expires_at: z.int().min(0).max(253_402_300_799).nullish(),
})

/** What each call asks for: the least by which the provider's own object is recognised. */
const shapes = {
  account: named('account'),
  account_link: z.looseObject({ object: z.literal('account_link'), url: text }),
  session,
  sessions: z.looseObject({ object: z.literal('list'), data: z.array(session), has_more: z.boolean() }),
  refund: named('refund'),
}
export type ProviderObject = keyof typeof shapes

/** Texts alone: what has another type is not the provider's. */
const optional = z.string().optional().catch(undefined)
const Refusal = z.object({ error: z.object({ type: text, code: optional, message: optional, param: optional }) })
type ProviderRefusal = z.output<typeof Refusal>['error']

type ProviderAnswer = { is: 'object'; body: object } | { is: 'refusal'; refusal: ProviderRefusal } | { is: 'unreadable' }

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** `body` is null where it broke off. Outside 200 to 299 no body is a success. */
export function providerAnswer(status: number, body: string | null, expected: ProviderObject): ProviderAnswer {
  const said = body === null ? undefined : parsed(body)
  if (status >= 200 && status < 300) return shapes[expected].safeParse(said).success ? { is: 'object', body: said as object } : { is: 'unreadable' }
  const refused = Refusal.safeParse(said)
  return refused.success ? { is: 'refusal', refusal: refused.data.error } : { is: 'unreadable' }
}

/** docs.stripe.com/api/errors. What else calls itself an error is a gateway's. */
const refusalTypes = new Set(['api_error', 'authentication_error', 'card_error', 'invalid_request_error', 'rate_limit_error'])

/**
 * Whether nothing was done (design: effects, Verdicts), by the provider's own words alone: a gateway that answers in its place, with any status, may have
 * passed the request on before. In its words 4xx says so, but for 408 and 409: a request that took too long, a key in use; 429 says that nothing ran. So do 307
 * and 308, which ask for the request elsewhere. Every other status proves nothing.
 */
export const provesRefusal = (status: number, { type, code }: Pick<ProviderRefusal, 'type' | 'code'>): boolean =>
  (status === 307 || status === 308 || (status >= 400 && status < 500 && status !== 408 && status !== 409)) &&
  refusalTypes.has(type) &&
  code !== 'idempotency_key_in_use'

const account = 'The store cannot take card payments at the moment.'
/** Refusals that the buyer or the store can act on (docs.stripe.com/error-codes), in words for the buyer. */
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

/** What a buyer may be told of a refusal that was recorded; null where it was about the request itself, which is ours to mend, or about the moment. */
export function declineOf(error: { provider_status?: number; provider_code?: string } | null | undefined): string | null {
  if (error?.provider_status === 402) return 'The payment provider declined the payment.'
  return declines.get(error?.provider_code) ?? null
}

type Told = { code: string; message: string; provider_status: number; provider_code?: string }

/**
 * A refusal as its row keeps it, for the store: the provider's words where the buyer or the store can act on them. `ours`: the provider found fault with the
 * request that this installation made; its words quote that request and are for the log alone.
 */
export function toldOf(status: number, { type, code, message, param }: ProviderRefusal): { error: Told; ours: boolean } {
  const facts = { provider_status: status, ...(code ? { provider_code: code } : {}) }
  if (!provesRefusal(status, { type, code }))
    return { error: { code: code ?? type, message: `The payment provider answered with status ${status}.`, ...facts }, ours: false }
  if (status === 429) return { error: { code: code ?? type, message: 'The payment provider takes no more requests at the moment.', ...facts }, ours: false }
  if (type === 'card_error' || declines.has(code) || param === 'amount')
    return { error: { code: code ?? type, message: message || 'The payment provider declined the request.', ...facts }, ours: false }
  const words = "The payment provider did not accept this installation's request. Its operators find the details in the log."
  return { error: { code: 'provider_request_refused', message: words, ...facts }, ours: true }
}

/** An answer that is not the provider's to this request, or broke off. */
export const unreadable = (status: number): Told => ({
  code: 'broken_answer',
  message: `The answer to the payment provider's call, with status ${status}, was not readable, or answers another request.`,
  provider_status: status,
})
