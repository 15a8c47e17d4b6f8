// An item about money says what is wrong and what to do, offers what can be recorded, and links to the provider's page
// where one is known.
import { expect, test } from '@jest/globals'
import { choicesOf, type MoneyItem, MoneyKind, moneyText } from '../../../rules/payments/attention.ts'
import { faultIn, turns } from '../../kit/attention-words.ts'

const tenant = { store: 'demo', tenant_kind: 'store' as const }
const item = (more: Partial<MoneyItem> = {}): MoneyItem => ({
  ...{ id: 'i', tenant_id: 't', kind: 'refund', status: 'unknown', since: 1, amount: 1_200, currency: 'USD' },
  ...{
    payment_id: 'p',
    order_id: 'o',
    order_number: 7,
    order_cancelled: false,
    subscription_id: null,
    audience_id: null,
    member_id: null,
  },
  ...{ provider_account_id: 'acct_1', provider_payment_id: 'pi_1', provider_object_id: null },
  ...{ error: null, evidence: null, late_evidence: null, resolution: null, superseded: false },
  ...{ sent_at: null, settled_at: null },
  ...more,
})
const codes = [
  'price_mismatch',
  'paid_twice',
  'refund_due',
  'refund_conflict',
  'event_missing',
  'not_readable',
  'of_later',
]
const resolution = { outcome: 'rejected', note: '', account_id: '', at: 1 }

test('Each kind has a title and a way to go on in every status, as sentences', () => {
  for (const kind of MoneyKind.options)
    for (const status of ['unknown', 'requested', 'rejected', 'succeeded', 'amount_mismatch', ...codes])
      for (const one of [null, resolution]) {
        for (const is_resolved of one ? [false, true] : [false])
          for (const of_plan of [false, true]) {
            const said = moneyText(item({ kind, status, resolution: one }), tenant, { of_plan, is_resolved })
            expect([kind, status, faultIn(said)]).toEqual([kind, status, null])
          }
        const { resolve } = moneyText(item({ kind, status, resolution: one }), tenant, { of_plan: false })
        const choices = choicesOf(item({ kind, status, resolution: one }))
        expect(resolve?.choices ?? []).toEqual(choices)
      }
})

test('The name of a store does not change the direction of the words around it', () => {
  const store = '\u202eomed'
  const titles = MoneyKind.options.flatMap((kind) =>
    ['unknown', ...codes].map((status) => {
      const ofPlan = item({ kind, status, order_id: null, order_number: null })
      return moneyText(ofPlan, { ...tenant, store }, { of_plan: true }).title
    }),
  )
  expect(titles.every((title) => title.includes(store))).toBe(true)
  expect(titles.filter(turns)).toEqual([])
})

test('What is unknown or was recorded has two outcomes; what was refused or is sent has none', () => {
  expect(choicesOf(item())).toEqual(['succeeded', 'rejected'])
  for (const status of ['requested', 'processing', 'failed', 'rejected']) {
    expect(choicesOf(item({ status }))).toEqual([])
    expect(moneyText(item({ status }), tenant, { of_plan: false })).toMatchObject({ kind: 'refund_due', resolve: null })
  }
  expect(choicesOf(item({ status: 'rejected', resolution }))).toEqual(['succeeded', 'rejected'])
})

test('What was recorded before another decision is not corrected, only recorded again', () => {
  for (const kind of ['capture', 'cancel_authorization'] as const) {
    const superseded = item({ kind, status: 'rejected', resolution, superseded: true })
    const open = moneyText(superseded, tenant, { of_plan: false })
    expect([open.resolve?.choices, faultIn(open)]).toEqual([['rejected'], null])
    expect(moneyText(superseded, tenant, { of_plan: false, is_resolved: true }).resolve).toBeNull()
  }
})

test('The page of the payment or the subscription is named, but of no account of an integration', () => {
  const page = (more: Partial<MoneyItem>) => moneyText(item(more), tenant, { of_plan: false }).provider
  expect(page({})).toEqual({ account: 'acct_1', path: 'payments/pi_1' })
  expect(page({ provider_account_id: null })).toEqual({ account: null, path: 'payments/pi_1' })
  expect(page({ provider_account_id: 'integration:1' })).toBeNull()
  const change = { kind: 'cancel_subscription', provider_payment_id: null, provider_object_id: 'sub_1' } as const
  expect(page(change)).toEqual({ account: 'acct_1', path: 'subscriptions/sub_1' })
  expect(page({ kind: 'open_form', provider_payment_id: null, provider_object_id: 'cs_1' })).toBeNull()
})

test('The platform resolves what it charges, a store everything else', () => {
  const resolve = (of_plan: boolean) => moneyText(item(), tenant, { of_plan }).resolve
  expect(resolve(false)).toMatchObject({ path: '/v1/stores/t/attention/i/resolve', role: 'owner' })
  expect(resolve(true)).toMatchObject({ path: '/v1/platform/attention/i/resolve', role: 'platform' })
})

test('What evidence contradicts has words of its own, with both ways to end it', () => {
  const { title, what_to_do } = moneyText(item({ status: 'rejected', resolution }), tenant, { of_plan: false })
  expect(title).toMatch(/^It is uncertain whether .*: evidence contradicts what was recorded\.$/)
  for (const words of ['record that it was carried out', 'record it again against the evidence'])
    expect(what_to_do).toContain(words)
})

test('A title names no amount that the provider did not say, and no id', () => {
  const of = { kind: 'payment', status: 'amount_mismatch' } as const
  const paid = (more: Partial<MoneyItem>) => moneyText(item({ ...of, ...more }), tenant, { of_plan: false }).title
  expect(paid({ amount: 3_000, currency: 'EUR' })).toBe('30.00 EUR were paid for order 7, and another amount was due.')
  for (const unsaid of [{ amount: null }, { amount: 100, currency: null }])
    expect(paid(unsaid)).toBe(
      'It is not known how much was paid for order 7, nor whether it is the amount that was due.',
    )
  expect(paid({ order_number: null, member_id: '0190' })).toContain('paid for a membership, and')
  expect(
    moneyText(item({ order_number: null }), { store: null, tenant_kind: null }, { of_plan: true }).title,
  ).toContain('for the plan of a store was made')
})

test('A refund has the id of the provider, and leads to the next one if it was not carried out', () => {
  const ids = (kind: MoneyItem['kind']) => moneyText(item({ kind }), tenant, { of_plan: false }).evidence.ids
  expect([ids('refund').refund, ids('capture').refund]).toEqual(['i', undefined])
  const recorded = (outcome: string, of_plan: boolean) =>
    moneyText(item({ status: outcome, resolution: { ...resolution, outcome } }), tenant, { of_plan, is_resolved: true })
  const again = recorded('rejected', false)
  expect(again.mend).toMatchObject({ method: 'POST', path: '/v1/stores/t/orders/o/refunds' })
  expect(again.what_to_do).toMatch(/^The customer did not get the money\. Refund it again/)
  expect([recorded('rejected', true).mend, recorded('succeeded', false).mend]).toEqual([null, null])
})

test('Money that has to go back names the order as cancelled, if it was', () => {
  const title = (more: Partial<MoneyItem>) =>
    moneyText(item({ status: 'rejected', ...more }), tenant, { of_plan: false }).title
  expect([title({ order_cancelled: true }), title({})]).toEqual([
    'A refund of 12.00 USD for order 7, which was cancelled, has to be made, and was not.',
    'A refund of 12.00 USD for order 7 has to be made, and was not.',
  ])
  const due = { kind: 'payment', status: 'refund_due' } as const
  expect(title({ ...due, order_cancelled: true })).toContain('for order 7, which was cancelled, has to go back')
})
