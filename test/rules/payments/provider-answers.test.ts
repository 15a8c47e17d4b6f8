// An answer of the payment provider is judged by its status first and its shape second; a shopper sees only texts a
// shopper can act on.
import { describe, expect, test } from '@jest/globals'
import {
  declineOf,
  type ProviderObject,
  provesRefusal,
  providerAnswer,
  toldOf,
} from '../../../rules/payments/provider-answers.ts'
import { strangeBodies, strangeStatuses } from '../../kit/effects/strange-answers.ts'

const objects: Record<ProviderObject, object> = {
  account: { object: 'account', id: 'acct_1' },
  account_link: { object: 'account_link', url: 'https://connect.example/1' },
  session: { object: 'checkout.session', id: 'cs_1', status: 'open' },
  sessions: { object: 'list', data: [{ object: 'checkout.session', id: 'cs_1', status: 'expired' }], has_more: false },
  refund: { object: 'refund', id: 're_1' },
  payment_intent: { object: 'payment_intent', id: 'pi_1' },
  portal_configuration: { object: 'billing_portal.configuration', id: 'bpc_1' },
  portal_configurations: {
    object: 'list',
    data: [{ object: 'billing_portal.configuration', id: 'bpc_1' }],
    has_more: false,
  },
  portal_session: { object: 'billing_portal.session', id: 'bps_1', url: 'https://billing.example/1' },
  price: { object: 'price', id: 'price_1' },
  prices: { object: 'list', data: [{ object: 'price', id: 'price_1' }], has_more: false },
  coupon: { object: 'coupon', id: 'co_1' },
  subscription: { object: 'subscription', id: 'sub_1' },
  invoice: { object: 'invoice', id: 'in_1' },
  invoices: { object: 'list', data: [{ object: 'invoice', id: 'in_1' }], has_more: false },
  invoice_payments: { object: 'list', data: [{ object: 'invoice_payment', id: 'inpay_1' }], has_more: false },
  customer: { object: 'customer', id: 'cus_1' },
}
const kinds = Object.keys(objects) as ProviderObject[]

test.each(strangeStatuses)('A foreign body with status %i is no success and proves no refusal', (status) => {
  for (const expected of kinds)
    for (const [, body] of [...strangeBodies, ['broken off', null] as const]) {
      const said = providerAnswer(status, body, expected)
      expect(said.is).not.toBe('object')
      expect(said.is === 'refusal' && provesRefusal(status, said.refusal)).toBe(false)
    }
})

test.each([
  [307, true],
  [308, true],
  [400, true],
  [402, true],
  [403, true],
  [408, false],
  [409, false],
  [429, true],
  [500, false],
  [503, false],
])('A provider’s refusal with status %i proves that nothing was done: %s', (status, proved) => {
  expect(provesRefusal(status, { type: 'invalid_request_error' })).toBe(proved)
  expect(provesRefusal(status, { type: 'idempotency_error' })).toBe(false)
  expect(provesRefusal(status, { type: 'invalid_request_error', code: 'idempotency_key_in_use' })).toBe(false)
})

test.each(kinds)('A %s of the provider is a success with 200 and with no status outside 200 to 299', (expected) => {
  const body = JSON.stringify(objects[expected])
  expect(providerAnswer(200, body, expected)).toEqual({ is: 'object', body: objects[expected] })
  for (const status of strangeStatuses.filter((one) => one >= 300))
    expect(providerAnswer(status, body, expected)).toEqual({ is: 'unreadable' })
  for (const other of kinds.filter((one) => one !== expected))
    expect(providerAnswer(200, body, other)).toEqual({ is: 'unreadable' })
})

test.each([
  ['session', { object: 'checkout.session', id: '' }],
  ['session', { object: 'checkout.session', id: 5, status: 'open' }],
  ['session', { object: 'checkout.session', id: 'cs_1', status: 'strange' }],
  ['sessions', { object: 'list', data: {}, has_more: false }],
  ['sessions', { object: 'list', data: [{}], has_more: false }],
  ['refund', { id: 're_1' }],
  ['refund', { object: 'refund', id: 're 1' }],
  ['refund', { object: 'refund', id: `re_${'1'.repeat(300)}` }],
  ['session', { object: 'checkout.session', id: 'cs_1', status: 'open', client_secret: 's'.repeat(4001) }],
  ['session', { object: 'checkout.session', id: 'cs_1', status: 'open', expires_at: -1 }],
  ['session', { object: 'checkout.session', id: 'cs_1', status: 'open', expires_at: 1.5 }],
  ['session', { object: 'checkout.session', id: 'cs_1', status: 'open', expires_at: 1e15 }],
  ['account_link', { object: 'account_link' }],
] as const)('A %s without its identifying fields is no success: %j', (expected, body) => {
  expect(providerAnswer(200, JSON.stringify(body), expected)).toEqual({ is: 'unreadable' })
})

test('An object whose fields have the maximum length is a success', () => {
  const session = {
    object: 'checkout.session',
    id: `cs_${'1'.repeat(252)}`,
    status: 'open',
    client_secret: 's'.repeat(4000),
    expires_at: 253_402_300_799,
  }
  expect(providerAnswer(200, JSON.stringify(session), 'session')).toEqual({ is: 'object', body: session })
})

test('A refusal of the provider keeps its texts and drops fields of other types', () => {
  const error = { type: 'invalid_request_error', code: 5, message: { a: 1 }, param: 'amount', extra: 'x' }
  expect(providerAnswer(400, JSON.stringify({ error }), 'refund')).toEqual({
    is: 'refusal',
    refusal: { type: 'invalid_request_error', param: 'amount' },
  })
  expect(providerAnswer(200, JSON.stringify({ error }), 'refund')).toEqual({ is: 'unreadable' })
})

describe('Texts of refusals', () => {
  const dump = 'Request validation error: validator 0x9b52c4d2630 failed: additional properties are not allowed'
  test.each([
    ['a parameter of ours', 400, { type: 'invalid_request_error', message: dump }],
    [
      'a parameter of ours, named',
      400,
      {
        type: 'invalid_request_error',
        code: 'parameter_unknown',
        param: 'allowed_payment_method_types',
        message: dump,
      },
    ],
    ['our key', 401, { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_live_****' }],
    [
      'an unknown object',
      404,
      { type: 'invalid_request_error', code: 'resource_missing', message: "No such payment_intent: 'pi_1'" },
    ],
  ])('A refusal for %s is our fault, and its text is only logged', (_, status, refusal) => {
    const { error, ours } = toldOf(status, refusal)
    expect(ours).toBe(true)
    expect(JSON.stringify(error)).not.toContain(refusal.message)
    expect(error).toMatchObject({ code: 'provider_request_refused', provider_status: status })
    expect(declineOf(error)).toBeNull()
  })

  test.each([
    ['a declined card', 402, { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' }, true],
    [
      'a total that is too small',
      400,
      { type: 'invalid_request_error', code: 'amount_too_small', message: 'At least 50 cents.' },
      true,
    ],
    [
      'an account that cannot be used',
      403,
      { type: 'invalid_request_error', code: 'account_invalid', message: 'No access to acct_1.' },
      true,
    ],
    [
      'the closing of a paid page',
      400,
      { type: 'invalid_request_error', message: 'Only Checkout Sessions with a status in ["open"] can be expired.' },
      false,
    ],
    [
      'more than is left',
      400,
      { type: 'invalid_request_error', param: 'amount', message: 'Refund amount is greater than charge amount.' },
      false,
    ],
  ])('A refusal for %s shows the store the provider’s text and the buyer ours', (_, status, refusal, buyer) => {
    const { error, ours } = toldOf(status, refusal)
    expect([ours, error.message]).toEqual([false, refusal.message])
    const told = declineOf(error)
    expect([told === null, told === refusal.message]).toEqual([!buyer, false])
  })

  test('An error that may have been carried out is reported with its status alone', () => {
    for (const status of [408, 409, 500, 503]) {
      const { error, ours } = toldOf(status, { type: 'api_error', message: 'secret' })
      expect([ours, error.message]).toEqual([false, `The payment provider answered with status ${status}.`])
    }
    expect(
      toldOf(429, { type: 'invalid_request_error', code: 'rate_limit', message: 'secret' }).error.message,
    ).not.toContain('secret')
  })
})
