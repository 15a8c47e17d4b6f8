// The texts in Temporal's UI name the process, and every API call in them exists.
import { describe, expect, test } from '@jest/globals'
import type { Route } from '../../api/kit/route.ts'
import { routes as table } from '../../api/routes.ts'
import { describeChannelMessage } from '../../rules/agents/descriptions.ts'
import { describeExecution, describeOauthExchange } from '../../rules/automation/descriptions.ts'
import type { Description } from '../../rules/descriptions.ts'
import { describeCheckout } from '../../rules/payments/descriptions.ts'
import { describePortal } from '../../rules/portal/descriptions.ts'
import { describePriceProvision } from '../../rules/prices/descriptions.ts'
import { describeRefund } from '../../rules/refunds/descriptions.ts'
import { camel } from '../../rules/spelling.ts'
import { describeConnect, describeOnboardingLink } from '../../rules/stores/descriptions.ts'
import { describeMembership } from '../../rules/subscriptions/descriptions.ts'
import { describeWebhookTest } from '../../rules/webhooks/descriptions.ts'

const routes = table as readonly Route[]
const id = (n: number) => `01a200f3-7026-7000-8000-00000000000${n}`
const base = { id: id(1), tenant_id: id(2), store: 'demo', tenant_kind: 'store' as const }
const older = { ...base, store: 'old-town', tenant_kind: 'business' as const }
const account = 'acct_1'

const refund = {
  ...base,
  order_id: id(3),
  number: 1004,
  audience_id: null,
  member_id: null,
  payment_id: id(5),
  refund_id: id(4),
  amount: 100,
  currency: 'USD',
  origin: 'operator',
  account,
  payment: 'pi_1',
}
const described: Record<string, Description> = {
  [`reply ${id(3)} of chat ${id(4)}, business old-town`]: describeChannelMessage({
    ...{ ...older, chat_id: id(4), agent_id: id(5), message_id: id(3), channel: 'bot', part: 1 },
  }),
  'refund of 1.00 USD, order 1004, store demo': describeRefund(refund),
  'refund of 100 JPY, order 1004, store demo': describeRefund({ ...refund, currency: 'JPY', origin: 'system' }),
  [`refund of 1.00 USD, member ${id(6)}, store demo`]: describeRefund({
    ...refund,
    order_id: null,
    number: null,
    audience_id: id(7),
    member_id: id(6),
  }),
  'refund of 1.00 USD, plan of the store, store demo': describeRefund({
    ...refund,
    order_id: null,
    number: null,
    account: null,
    origin: 'system',
  }),
  'checkout of 1.00 USD, order 1004, store demo': describeCheckout({
    ...{ ...base, number: 1004, audience_id: null, member_id: null, amount: 100, currency: 'USD', account },
  }),
  [`checkout of 1.00 USD, member ${id(3)}, store demo`]: describeCheckout({
    ...{ ...base, number: null, audience_id: id(4), member_id: id(3), amount: 100, currency: 'USD', account },
  }),
  [`subscription of member ${id(6)}, store demo`]: describeMembership({
    ...base,
    audience_id: id(7),
    member_id: id(6),
    account,
    subscription: 'sub_1',
  }),
  'subscription of store demo': describeMembership({
    ...base,
    audience_id: null,
    member_id: null,
    account: null,
    subscription: 'sub_1',
  }),
  [`portal link for member ${id(6)}, store demo`]: describePortal({
    ...{ ...base, audience_id: id(7), member_id: id(6), account, customer: 'cus_1', configuration_id: id(5) },
  }),
  'portal link for the plan, store demo': describePortal({
    ...{ ...base, audience_id: null, member_id: null, account: null, customer: 'cus_1', configuration_id: id(5) },
  }),
  'payment account of store demo': describeConnect({ ...base, provider_id: id(1) }),
  'onboarding link of store demo': describeOnboardingLink({ ...base, provider_id: id(3) }),
  [`price ${id(5)} of store demo`]: describePriceProvision({
    ...base,
    audience_id: id(3),
    tier_id: id(4),
    price_id: id(5),
    account,
  }),
  [`test of webhook ${id(3)} of store demo`]: describeWebhookTest({ ...base, webhook_id: id(3), delivery_id: id(4) }),
  'refund of 1.00 USD, order 1004, business old-town': describeRefund({ ...refund, ...older }),
  'checkout of 1.00 USD, order 1004, business old-town': describeCheckout({
    ...{ ...older, number: 1004, audience_id: null, member_id: null, amount: 100, currency: 'USD', account },
  }),
  'portal link for the plan, business old-town': describePortal({
    ...{ ...older, audience_id: null, member_id: null, account: null, customer: 'cus_1', configuration_id: id(5) },
  }),
  'test of an address of business old-town': describeWebhookTest({ ...older, webhook_id: null, delivery_id: id(4) }),
  'OAuth exchange at drive, store demo': describeOauthExchange({
    ...base,
    kind: 'exchange',
    provider: 'drive',
    connection_id: id(3),
  }),
  'OAuth exchange at drive, business old-town': describeOauthExchange({
    ...older,
    kind: 'exchange',
    provider: 'drive',
    connection_id: id(3),
  }),
  'OAuth revocation at drive, business old-town': describeOauthExchange({
    ...older,
    kind: 'revoke',
    provider: 'drive',
    connection_id: id(3),
  }),
  'paid-orders of store demo': describeExecution({ ...base, workflow_id: id(3), key: 'paid-orders' }),
  [`paid-orders of store ${id(2)}`]: describeExecution({
    ...base,
    store: null,
    workflow_id: id(3),
    key: 'paid-orders',
  }),
}

describe.each(Object.entries(described))('Texts of %s', (name, { summary, details }) => {
  test(`The workflow “${name}” has this summary, and details of at most 2 KiB`, () => {
    expect(summary).toBe(name)
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(200)
    expect(Buffer.byteLength(details)).toBeLessThan(2048)
  })

  test(`The details of the workflow “${name}” name existing API calls with valid bodies`, () => {
    const calls = [...details.matchAll(/```\n(GET|POST|PUT) ([^\s?]+)\S*\n(?:(\{.*\})\n)?```/g)]
    expect(calls.length).toBeGreaterThan(0)
    for (const [, method, path, body] of calls) {
      const route = routes.find(
        (one) =>
          one.method === method &&
          new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[0-9a-f-]{36}')}$`).test(
            String(path).replaceAll(/<\w+>/g, id(9)),
          ),
      )
      expect([path, route?.method]).toEqual([path, method])
      const names = route?.body && 'shape' in route.body ? Object.keys(route.body.shape as object) : []
      const fields = route?.surface === 'business' ? names.map(camel) : names
      expect(fields).toEqual(expect.arrayContaining(Object.keys(JSON.parse(body ?? '{}'))))
    }
  })
})
