// Signed events make a membership: only a paid invoice of the exact price makes time, and any order of events leaves
// the same rows.
import { beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { recordIntent } from '../../entities/subscriptions/invoices.ts'
import { setMember } from '../kit/audiences/audiences.ts'
import {
  amount,
  atProvider,
  type Begun,
  begin,
  beginRows,
  type Club,
  changeRows,
  clubShop,
  insertRow,
  joined,
  memberRow,
  newClub,
  paymentRows,
  payPage,
  type Row,
  sessionRow,
  subscriptionRow,
} from '../kit/audiences/subscribing.ts'
import { recordStatements } from '../kit/database/statements.ts'
import { stripeApi } from '../kit/effects/provider.ts'
import { eventsOf, outcomeOf, sendEvent, sim, until } from '../kit/orders/buying.ts'
import { api, database, newShop, secondApi, unique } from '../kit/shop.ts'

let club: Club
beforeAll(async () => {
  club = await clubShop()
})

const pick = (row: Row, ...names: string[]) => Object.fromEntries(names.map((name) => [name, row[name]]))
const live = (id: string) => until(async () => (await subscriptionRow(id)).paid_through_at !== null)

test('A paid page makes a member active, with the period of its invoice and a payment', async () => {
  const joined = await begin(club)
  const { subscription, customer, invoice } = await payPage(joined, { period_s: 40 * 86_400 })
  await live(joined.id)
  const row = await subscriptionRow(joined.id)
  expect(row).toMatchObject({
    status: 'live',
    provider_subscription_id: subscription,
    provider_customer_id: customer,
    hold_until: null,
    error: null,
  })
  await until(async () => (await subscriptionRow(joined.id)).billing_status === 'active')
  const [payment] = await until(async () => {
    const all = await paymentRows(joined.id)
    return all[0]?.provider_payment_id && all
  })
  expect(payment).toMatchObject({
    id: joined.payment_id,
    kind: 'initial',
    status: 'paid',
    amount,
    captured_amount: amount,
    provider_invoice_id: invoice,
  })
  expect(payment?.period_end - payment?.period_start).toBe(40 * 86_400)
  expect(payment?.payer_contact_id).toBe(joined.contact_id)
  expect(await memberRow(joined.member_id)).toMatchObject({
    ...{
      status: 'active',
      tier_id: club.tier_id,
      price_id: club.price_id,
      paid_through_at: payment?.period_end,
      cancel_at: null,
    },
    ...{ access_until: payment?.period_end + 72 * 3600, pending_since: null, ended_at: null },
  })
})

test('A one-time price that is paid exactly makes a member without an end', async () => {
  const joined = await begin(club, { once: true })
  await payPage(joined)
  await until(async () => (await memberRow(joined.member_id)).status === 'active')
  expect(await memberRow(joined.member_id)).toMatchObject({
    paid_through_at: null,
    access_until: null,
    price_id: club.once_id,
  })
  expect(await subscriptionRow(joined.id)).toMatchObject({ status: 'live', kind: 'one_time' })
  expect(await paymentRows(joined.id)).toMatchObject([{ status: 'paid', captured_amount: 9_000, kind: 'one_time' }])
})

/** The events of a life as the provider rendered them, with the ids that another life has instead. */
type Life = { events: Record<string, unknown>[]; ids: string[]; begun: Begun }
let life: Life
const later = { period_s: 40 * 86_400 }
beforeAll(async () => {
  const begun = await begin(club)
  const { account } = club
  await sim('POST', '/events', { hold: true, account })
  const { subscription, customer } = await payPage(begun, later)
  const step = (outcome: string) => sim('POST', `/subscriptions/${subscription}/advance`, { outcome, ...later })
  await step('renew')
  await step('decline')
  await step('recover')
  await sim('POST', `/subscriptions/${subscription}/cancel`, { mode: 'cancel_at' })
  await sim('POST', `/subscriptions/${subscription}/cancel`, { mode: 'now' })
  const all = (await eventsOf(account)).filter(({ event }) => JSON.stringify(event.data.object).includes(customer))
  const start = Math.floor(Date.now() / 1000)
  const events = all.map(({ event }, n) => ({ ...event, created: start + n }))
  const found = new Set(JSON.stringify(events).match(/\b(?:evt|sub|in|cus|cs_test|pi|pm|il|si|ch)_\w+/g) ?? [])
  life = { events, ids: [...found].sort((one, other) => other.length - one.length), begun }
  await sim('POST', '/events', { hold: false, account })
  await database().query(`delete from payment_sessions where id = $1`, [begun.session_id])
})

/** Delivers the events of another such life in this order, and returns what became of its rows. */
async function relived(order: readonly number[], answered: boolean): Promise<Row> {
  const begun = await beginRows(club)
  const mark = unique()
  const renamed = (text: string) => {
    let changed = text
    for (const id of life.ids) changed = changed.replaceAll(`"${id}"`, `"${id}x${mark}"`)
    for (const name of ['subscription', 'payment_session'] as const)
      changed = changed.replaceAll(life.begun.metadata[name] as string, begun.metadata[name] as string)
    return changed
  }
  const events = life.events.map((event) => JSON.parse(renamed(JSON.stringify(event))))
  await sessionRow(
    begun,
    answered ? (events.find(({ type }) => type === 'checkout.session.completed').data.object.id as string) : null,
  )
  for (const n of order) {
    const { status } = await sendEvent(events[n], { base: n % 2 === 0 ? api() : secondApi() })
    if (status !== 200) throw new Error(`${events[n].type}: ${status}`)
  }
  const row = await subscriptionRow(begun.id)
  const payments = (await paymentRows(begun.id)).map(
    (one): Row => ({
      ...pick(one, 'kind', 'status', 'amount', 'captured_amount', 'period_start', 'period_end', 'error'),
      invoice: one.provider_invoice_id.replace(`x${mark}`, ''),
      payer: one.payer_contact_id === begun.contact_id,
    }),
  )
  return {
    ...pick(
      row,
      'status',
      'billing_status',
      'paid_through_at',
      'cancel_at',
      'cancelled_by',
      'event_at',
      'error',
      'hold_until',
    ),
    member: pick(
      await memberRow(begun.member_id),
      'status',
      'paid_through_at',
      'access_until',
      'cancel_at',
      'billing_status',
      'pending_since',
      'ended_at',
    ),
    payments: payments.sort((one, other) => one.period_end - other.period_end),
  }
}

test('The events of a life, in any order and any number, leave the same rows', async () => {
  const places = life.events.map((_, n) => n)
  const expected = await relived(places, true)
  expect(expected).toMatchObject({
    ...{ status: 'ended', billing_status: 'canceled', cancelled_by: 'provider', error: null },
    member: { status: 'active', pending_since: null, ended_at: null },
    payments: [{ kind: 'initial' }, { kind: 'renewal' }, { kind: 'renewal' }],
  })
  const ends = life.events
    .filter(({ type }) => type === 'invoice.paid')
    .map((event) => (event as never as { data: { object: Row } }).data.object.lines.data[0].period.end as number)
  expect(expected.paid_through_at).toBe(Math.max(...ends))
  const order = fc
    .shuffledSubarray([...places, ...places, ...places], { minLength: 3 * places.length })
    .chain((all) => fc.tuple(fc.constant(all), fc.boolean()))
  await fc.assert(
    fc.asyncProperty(order, async ([all, answered]) => {
      expect(await relived(all, answered)).toEqual(expected)
    }),
    { numRuns: 8, endOnFailure: true },
  )
}, 120_000)

/** An invoice of a linked subscription, changed, as a signed event. */
async function invoiced(change: (invoice: Row) => void, event: Record<string, unknown> = {}) {
  const joined = await begin(club)
  const { subscription, invoice } = await payPage(joined, later)
  await live(joined.id)
  const before = await subscriptionRow(joined.id)
  const [found] = await eventsOf(club.account, 'invoice.paid').then((all) =>
    all.filter((one) => one.event.data.object.id === invoice),
  )
  const object = structuredClone(found?.event.data.object) as Row
  object.id = `in_${unique()}`
  object.billing_reason = 'subscription_cycle'
  object.lines.data[0].period = { start: before.paid_through_at, end: before.paid_through_at + 86_400 }
  change(object)
  const id = `evt_${unique()}`
  const { status } = await sendEvent({ id, type: 'invoice.paid', account: club.account, data: { object }, ...event })
  return { joined, subscription, before, status, outcome: await outcomeOf(id), after: await subscriptionRow(joined.id) }
}

test('An invoice of the exact price makes time, also with a discount', async () => {
  const { before, after } = await invoiced((invoice) => {
    Object.assign(invoice, { amount_paid: amount - 100, total_discount_amounts: [{ amount: 100, discount: 'di_1' }] })
  })
  expect(after.paid_through_at).toBe(before.paid_through_at + 86_400)
  expect(await paymentRows(after.id)).toMatchObject([
    { kind: 'initial' },
    { kind: 'renewal', amount: amount - 100, discount_amount: 100 },
  ])
})

test('A renewal with a line of the merchant, or a credit, makes the time of its own line', async () => {
  const lines: [(invoice: Row) => void, number][] = [
    [
      (invoice) => {
        const other = structuredClone(invoice.lines.data[0])
        Object.assign(other, {
          id: `il_${unique()}`,
          quantity: 3,
          subtotal: 300,
          period: { start: 1, end: 4_000_000_000 },
        })
        other.pricing.price_details.price = 'price_of_the_merchant'
        other.parent.subscription_item_details = null
        invoice.lines.data.unshift(other)
        invoice.amount_paid = amount + 300
      },
      amount + 300,
    ],
    // The balance of the customer pays a part.
    [(invoice) => Object.assign(invoice, { amount_paid: amount - 200, starting_balance: -200 }), amount - 200],
    [(invoice) => Object.assign(invoice, { amount_paid: 0, starting_balance: -amount }), 0],
  ]
  for (const [change, captured_amount] of lines) {
    const { before, after } = await invoiced(change)
    expect(after).toMatchObject({ paid_through_at: before.paid_through_at + 86_400, error: null })
    expect((await paymentRows(after.id))[1]).toMatchObject({ kind: 'renewal', captured_amount, error: null })
  }
})

test('A renewal of another price is shown at its member, in the list of members, and to be done', async () => {
  const { joined, after } = await invoiced((invoice) =>
    Object.assign(invoice.lines.data[0].pricing.price_details, { price: 'price_another' }),
  )
  const members = `/audiences/${club.audience_id}/members`
  const error = { code: 'price_mismatch', message: expect.any(String), next_attempt_at: null }
  expect((await club.shop.asOperator('GET', `${members}/${joined.member_id}`)).body.billing_error).toEqual(error)
  const listed = async (filter: string): Promise<string[]> =>
    (await club.shop.asOperator('GET', `${members}?limit=100&billing_error=${filter}`)).body.items.map(
      ({ id }: Row) => id,
    )
  expect(await listed('price_mismatch')).toContain(joined.member_id)
  expect(await listed('event_missing')).not.toContain(joined.member_id)
  expect((await club.shop.asOperator('GET', `${members}?billing_error=other`)).status).toBe(422)
  const { items } = (await club.shop.asOperator('GET', '/attention?limit=100')).body
  const payment = (await paymentRows(after.id))[1]
  const shown = items.filter(({ evidence }: Row) => evidence.ids.subscription_id === after.id)
  expect(shown.map(({ kind, evidence, id }: Row) => [kind, evidence.status, id]).sort()).toEqual([
    ['payment', 'price_mismatch', payment?.id],
    ['subscription', 'price_mismatch', after.id],
  ])
  // Accepted, it is no error of the member any more.
  const accepted = await club.shop.asOperator('POST', `/attention/${payment?.id}/resolve`, {
    outcome: 'accepted',
    note: 'The merchant changed it.',
  })
  expect(accepted.status).toBe(200)
  expect((await club.shop.asOperator('GET', `${members}/${joined.member_id}`)).body.billing_error).toBeNull()
})

test.each<[string, (invoice: Row) => void]>([
  [
    'another price',
    (invoice) => Object.assign(invoice.lines.data[0].pricing.price_details, { price: 'price_another' }),
  ],
  ['another currency', (invoice) => Object.assign(invoice, { currency: 'eur' })],
  ['a quantity of two', (invoice) => Object.assign(invoice.lines.data[0], { quantity: 2, subtotal: 2 * amount })],
  [
    'a proration',
    (invoice) => Object.assign(invoice.lines.data[0].parent.subscription_item_details, { proration: true }),
  ],
  ['a second line', (invoice) => invoice.lines.data.push(invoice.lines.data[0])],
  ['a trial of the dashboard', (invoice) => Object.assign(invoice.lines.data[0], { subtotal: 0, amount: 0 })],
  ['more lines than were sent', (invoice) => Object.assign(invoice.lines, { has_more: true })],
])('An invoice with %s is recorded as a payment and makes no time', async (_, change) => {
  const { before, after, status } = await invoiced(change)
  expect(status).toBe(200)
  expect(after.paid_through_at).toBe(before.paid_through_at)
  expect((await paymentRows(after.id))[1]).toMatchObject({
    kind: 'renewal',
    period_start: null,
    period_end: null,
    error: { code: 'price_mismatch' },
  })
})

test('An invoice that names no subscription of the account is ignored', async () => {
  const other = await newClub(club.shop, club.account)
  const foreign = await beginRows(other)
  const rows = async () => [await subscriptionRow(foreign.id), await paymentRows(foreign.id)]
  const untouched = await rows()
  const named = { subscription: foreign.id, tenant_id: club.shop.store_id }
  const unknown = (metadata: Record<string, string>) => (invoice: Row) => {
    invoice.parent.subscription_details = { subscription: `sub_${unique()}`, metadata }
  }
  for (const [change, event] of [
    [unknown({}), {}],
    [unknown(named), { account: `acct_${unique()}` }],
    [unknown({ ...named, tenant_id: foreign.contact_id }), {}],
    [() => {}, { livemode: true }],
    [() => {}, { account: undefined }],
  ] as [(invoice: Row) => void, Record<string, unknown>][]) {
    const { before, after, status, outcome } = await invoiced(change, event)
    expect([status, outcome]).toEqual([200, expect.stringMatching(/^ignored/)])
    expect(after.paid_through_at).toBe(before.paid_through_at)
  }
  expect(await rows()).toEqual(untouched)
})

test('No sequence of subscription events moves the paid time', async () => {
  const member = await joined(club)
  const { paid_through_at } = await subscriptionRow(member.id)
  const object = await atProvider(member)
  const start = Math.floor(Date.now() / 1000)
  const change = fc.record({
    status: fc.constantFrom('trialing', 'active', 'past_due', 'unpaid', 'paused', 'incomplete'),
    cancel_at: fc.option(fc.integer({ min: start, max: start + 9_999_999 })),
    cancel_at_period_end: fc.boolean(),
    trial_end: fc.option(fc.constant(start + 9_999_999)),
    current_period_end: fc.constant(start + 99_999_999),
  })
  let n = 0
  await fc.assert(
    fc.asyncProperty(change, fc.constantFrom('created', 'updated'), async (changed, type) => {
      const id = `evt_${unique()}`
      await sendEvent({
        id,
        type: `customer.subscription.${type}`,
        account: club.account,
        created: start + ++n,
        data: { object: { ...object, ...changed } },
      })
      expect((await subscriptionRow(member.id)).paid_through_at).toBe(paid_through_at)
      expect((await memberRow(member.member_id)).paid_through_at).toBe(paid_through_at)
    }),
    { numRuns: 15 },
  )
})

test('A renewal is applied in at most twelve statements', async () => {
  const member = await joined(club)
  const [found] = (await eventsOf(club.account, 'invoice.paid')).filter(
    ({ event }) => event.data.object.id === member.invoice,
  )
  const object = structuredClone(found?.event.data.object) as Row
  Object.assign(object, { id: `in_${unique()}`, billing_reason: 'subscription_cycle' })
  const { end } = object.lines.data[0].period
  object.lines.data[0].period = { start: end, end: end + 86_400 }
  const own = await recordStatements()
  const event = { id: `evt_${unique()}`, type: 'invoice.paid', account: club.account, data: { object } }
  const statements = await own.said((base) => sendEvent(event, { base }))
  await own.close()
  expect(statements.length).toBeLessThanOrEqual(12)
  expect((await subscriptionRow(member.id)).paid_through_at).toBe(end + 86_400)
})

test('An invoice event of another shape is 400 and is not stored', async () => {
  const { status, outcome } = await invoiced((invoice) => Object.assign(invoice, { lines: 'none' }))
  expect([status, outcome]).toEqual([400, null])
})

test('A subscription that is paid after its page was given up is live', async () => {
  const joined = await begin(club, { status: 'given_up' })
  await payPage(joined, later)
  await live(joined.id)
  expect(await subscriptionRow(joined.id)).toMatchObject({ status: 'live' })
  expect(await memberRow(joined.member_id)).toMatchObject({ status: 'active' })
})

test('A second subscription of a member is cancelled at once and its payment is refunded', async () => {
  const first = await begin(club)
  await payPage(first, later)
  await live(first.id)
  const second = await begin(club, { status: 'given_up', member_id: first.member_id, contact_id: first.contact_id })
  await payPage(second, later)
  await until(async () => (await subscriptionRow(second.id)).status === 'ended', 20_000)
  const { rows } = await until(async () => {
    const found = await database().query(
      `select status, amount::int, origin from refunds where subscription_id = $1 and status = 'succeeded'`,
      [second.id],
    )
    return found.rows.length > 0 && found
  }, 20_000)
  expect(rows).toEqual([{ status: 'succeeded', amount, origin: 'system' }])
  // The event of its end may come before the answer.
  await until(async () => (await changeRows(second.id))[0]?.status === 'succeeded', 20_000)
  expect(await changeRows(second.id)).toMatchObject([
    { kind: 'cancel_now', requested_by: 'system', status: 'succeeded' },
  ])
  expect(await subscriptionRow(first.id)).toMatchObject({ status: 'live' })
  expect(await memberRow(first.member_id)).toMatchObject({ status: 'active', billing_status: 'active' })
})

test('A subscription that waited for a page is given up when the page is paid', async () => {
  const joined = await begin(club)
  const waiting = await beginRows(club, {
    status: 'waiting',
    member_id: joined.member_id,
    contact_id: joined.contact_id,
  })
  await payPage(joined, later)
  await live(joined.id)
  expect(await subscriptionRow(waiting.id)).toMatchObject({ status: 'given_up' })
  expect(await paymentRows(waiting.id)).toMatchObject([{ status: 'cancelled' }])
})

test('A dashboard refund that arrives before the payment intent is known is counted', async () => {
  const joined = await begin(club)
  const { account } = club
  await sim('POST', '/events', { hold: true, account })
  const { invoice } = await payPage(joined, later)
  const list = await (
    await fetch(`${process.env.TEST_STRIPE}/v1/invoice_payments?invoice=${invoice}`, {
      headers: { authorization: 'Bearer sk_test_1', 'stripe-account': account },
    })
  ).json()
  await sim('POST', `/payments/${(list as Row).data[0].payment.payment_intent}/refund`, { amount: 300 })
  await sim('POST', '/events/deliver', { account, order: 'reverse' })
  await sim('POST', '/events', { hold: false, account })
  await until(async () => (await paymentRows(joined.id))[0]?.refunded_amount === 300)
})

test('An event about an ended member whose time is over does not bring the member back', async () => {
  const member = await joined(club)
  await database().query('update subscriptions set paid_through_at = 5 where id = $1', [member.id])
  await setMember(member.member_id, { status: 'expired', ended_at: 5 })
  await stripeApi(club.account, `/v1/subscriptions/${member.subscription}`, { cancel_at_period_end: 'true' })
  await until(async () => (await subscriptionRow(member.id)).cancel_at !== null)
  expect(await memberRow(member.member_id)).toMatchObject({ status: 'expired', ended_at: 5 })
})

test('A refund of a plan that precedes the look for its payment intent is applied with it', async () => {
  const { store_id: tenant_id } = await newShop()
  const [intent, invoice] = [`pi_${unique()}`, `in_${unique()}`]
  const plan = {
    plan_id: 'pro',
    kind: 'recurring',
    status: 'live',
    currency: 'USD',
    interval: JSON.stringify({ period: 'month', count: 1 }),
  }
  const subscription_id = await insertRow('subscriptions', {
    tenant_id,
    ...plan,
    amount: 2_900,
    provider_subscription_id: `sub_${unique()}`,
  })
  const payment = await insertRow('payments', {
    ...{
      tenant_id,
      subscription_id,
      kind: 'initial',
      type: 'card',
      status: 'paid',
      currency: 'USD',
      amount: 2_900,
      captured_amount: 2_900,
    },
    ...{
      provider: 'stripe',
      provider_invoice_id: invoice,
      evidence: JSON.stringify({ event: 'evt_1', invoice }),
      paid_at: Math.floor(Date.now() / 1000),
    },
  })
  const id = `evt_${unique()}`
  const refund = {
    id: `re_${unique()}`,
    object: 'refund',
    status: 'succeeded',
    amount: 900,
    currency: 'usd',
    payment_intent: intent,
    metadata: {},
    reason: null,
  }
  expect((await sendEvent({ id, type: 'refund.updated', data: { object: refund } })).status).toBe(200)
  expect(await outcomeOf(id)).toBe('waits for its payment')
  const own = await recordStatements()
  await own.statementsIn((em) =>
    em.transactional((unit) => recordIntent(unit, payment, intent, Math.floor(Date.now() / 1000))),
  )
  await own.close()
  expect((await paymentRows(subscription_id))[0]).toMatchObject({
    provider_payment_id: intent,
    captured_amount: 2_900,
    refunded_amount: 900,
  })
  expect(await outcomeOf(id)).toBe('recorded: refunded at the provider')
})
