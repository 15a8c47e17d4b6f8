// What keeps a subscription from being billed is shown to operators and to the member, and ends with its reason, in any
// order of events.
import { beforeAll, expect, jest, test } from '@jest/globals'
import {
  type Begin,
  begin,
  beginRows,
  type Club,
  clubShop,
  joined,
  manageLink,
  memberRow,
  paymentRows,
  payPage,
  type Row,
  subscriptionRow,
} from '../kit/audiences/subscribing.ts'
import { eventsOf, sendEvent, sim, until } from '../kit/orders/buying.ts'
import { database, unique } from '../kit/shop.ts'

jest.setTimeout(60_000)

let club: Club
beforeAll(async () => {
  club = await clubShop()
})

const now = () => Math.floor(Date.now() / 1000)
const shown = async (memberId: string) =>
  (await club.shop.asOperator('GET', `/audiences/${club.audience_id}/members/${memberId}`)).body
const listed = async (query: string): Promise<string[]> =>
  (await club.shop.asOperator('GET', `/audiences/${club.audience_id}/members?${query}`)).body.items.map(
    ({ id }: { id: string }) => id,
  )
const advance = (subscription: string, outcome: string) =>
  sim('POST', `/subscriptions/${subscription}/advance`, { outcome, period_s: 40 * 86_400 })
const send = (type: string, object: Row, created = now()) =>
  sendEvent({ id: `evt_${unique()}`, type, account: club.account, created, data: { object } })

test('A renewal that failed is shown and listed until it is paid', async () => {
  const member = await joined(club)
  const link = await manageLink(member)
  expect([(await shown(member.member_id)).billing_error, (await link('GET', 'manage')).body.billing_error]).toEqual([
    null,
    null,
  ])
  await advance(member.subscription, 'decline')
  const { billing_error, billing_status } = await until(async () => {
    const body = await shown(member.member_id)
    return body.billing_error && body
  })
  expect([billing_status, billing_error]).toEqual([
    'past_due',
    { code: 'payment_failed', message: expect.any(String), next_attempt_at: expect.any(Number) },
  ])
  expect((await link('GET', 'manage')).body.billing_error).toEqual(billing_error)
  expect(await listed('billing_status=past_due')).toContain(member.member_id)
  expect(await listed('billing_status=active')).not.toContain(member.member_id)
  await advance(member.subscription, 'recover')
  await until(async () => (await shown(member.member_id)).billing_error === null)
  await until(async () => (await shown(member.member_id)).billing_status === 'active')
  expect((await link('GET', 'manage')).body.billing_error).toBeNull()
})

test('The members in grace, and those who joined in one way, are listed', async () => {
  const member = await joined(club)
  await database().query('update audience_members set paid_through_at = $2, access_until = $3 where id = $1', [
    member.member_id,
    now() - 60,
    now() + 60,
  ])
  expect(await listed('in_grace=true')).toEqual([member.member_id])
  expect(await listed('in_grace=false')).not.toContain(member.member_id)
  expect(await listed('source=storefront')).toContain(member.member_id)
  expect(await listed('source=import')).toEqual([])
})

/** The provider's invoice of a member, changed. */
async function invoiceOf({ invoice }: { invoice: string }, change: (object: Row) => void): Promise<Row> {
  const found = (await eventsOf(club.account, 'invoice.paid')).find(({ event }) => event.data.object.id === invoice)
  const object = structuredClone(found?.event.data.object) as Row
  change(object)
  return object
}

test('Of two renewals that failed the later one is shown, in any order, until one is paid', async () => {
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const member = await joined(club)
    const { paid_through_at } = await subscriptionRow(member.id)
    const failed = await Promise.all(
      [1, 2].map((n) =>
        invoiceOf(member, (object) => {
          Object.assign(object, {
            id: `in_${unique()}`,
            billing_reason: 'subscription_cycle',
            attempt_count: 3 - n,
            next_payment_attempt: n,
            status: 'open',
          })
          object.lines.data[0].period = { start: paid_through_at, end: paid_through_at + n * 86_400 }
        }),
      ),
    )
    for (const n of order) expect((await send('invoice.payment_failed', failed[n] as Row)).status).toBe(200)
    expect((await subscriptionRow(member.id)).error).toMatchObject({ code: 'payment_failed', next_attempt_at: 2 })
    expect((await send('invoice.paid', { ...(failed[1] as Row), status: 'paid' })).status).toBe(200)
    expect((await send('invoice.payment_failed', failed[0] as Row)).status).toBe(200)
    expect((await subscriptionRow(member.id)).error).toBeNull()
  }
})

test('A failed renewal whose invoice is voided is not shown once the subscription is active', async () => {
  const member = await joined(club)
  await advance(member.subscription, 'decline')
  await until(async () => (await shown(member.member_id)).billing_error)
  const updates = await eventsOf(club.account, 'customer.subscription.updated')
  const object = updates.findLast(({ event }) => event.data.object.id === member.subscription)
  await send('customer.subscription.updated', { ...(object?.event.data.object as Row), status: 'active' }, now() + 60)
  expect(await shown(member.member_id)).toMatchObject({ billing_status: 'active', billing_error: null })
})

test('A declined first card is recorded with the payment until another card pays', async () => {
  const member = await begin(club)
  await payPage(member, { outcome: 'declined' })
  const [declined] = await until(async () => {
    const rows = await paymentRows(member.id)
    return rows[0]?.error && rows
  })
  expect(declined).toMatchObject({ status: 'pending', error: { code: 'card_declined' } })
  await payPage(member, { period_s: 40 * 86_400 })
  await until(async () => (await paymentRows(member.id))[0]?.status === 'paid')
  expect((await paymentRows(member.id))[0]?.error).toBeNull()
  expect((await subscriptionRow(member.id)).error).toBeNull()
})

/** Events of the page that was paid, which the test delivers itself. */
async function heldEvents(member: Begin, work: () => Promise<unknown>): Promise<(type: string) => Row[]> {
  await sim('POST', '/events', { hold: true, account: club.account })
  await work()
  const all = (await eventsOf(club.account)).filter(({ event }) =>
    JSON.stringify(event.data.object).includes(member.id),
  )
  return (type) => all.map(({ event }) => event as Row).filter((event) => event.type === type)
}

test('A member whose subscription ends unpaid is not pending, and a later payment activates it', async () => {
  const member = await begin(club, { member: { status_before: 'expired', ended_at: 7, joined_at: 5 } })
  let subscription = ''
  const held = await heldEvents(member, async () => {
    subscription = (await payPage(member, { period_s: 40 * 86_400 })).subscription
    await sim('POST', `/subscriptions/${subscription}/cancel`, { mode: 'now' })
  })
  try {
    for (const event of [...held('checkout.session.completed'), ...held('customer.subscription.deleted')])
      expect((await sendEvent(event)).status).toBe(200)
    expect(await subscriptionRow(member.id)).toMatchObject({ status: 'ended', paid_through_at: null })
    expect(await memberRow(member.member_id)).toMatchObject({ status: 'expired', ended_at: 7, pending_since: null })
    for (const event of held('invoice.paid')) expect((await sendEvent(event)).status).toBe(200)
    expect(await memberRow(member.member_id)).toMatchObject({
      status: 'active',
      ended_at: null,
      paid_through_at: expect.any(Number),
    })
  } finally {
    await sim('POST', '/events', { hold: false, account: club.account })
  }
})

test('A one-time page that takes another amount leaves no pending member and no waiting choice', async () => {
  const member = await begin(club, { once: true })
  const waiting = await beginRows(club, { member_id: member.member_id, status: 'waiting' })
  const held = await heldEvents(member, () => payPage(member))
  try {
    const [event] = held('checkout.session.completed') as [Row]
    event.data.object.amount_total -= 100
    expect((await sendEvent(event)).status).toBe(200)
    expect((await subscriptionRow(member.id)).status).toBe('given_up')
    expect(await subscriptionRow(waiting.id)).toMatchObject({
      status: 'given_up',
      error: { code: 'payment_in_progress' },
    })
    expect((await memberRow(member.member_id)).status).toBe('removed')
  } finally {
    await sim('POST', '/events', { hold: false, account: club.account })
  }
})

test('A subscription that is paid after it was given up does not keep the reason', async () => {
  const member = await begin(club)
  await database().query(
    `update subscriptions set status = 'given_up', hold_until = null, error = '{"code":"audience_not_active","message":"-"}' where id = $1`,
    [member.id],
  )
  await payPage(member, { period_s: 40 * 86_400 })
  await until(async () => (await subscriptionRow(member.id)).paid_through_at)
  expect(await subscriptionRow(member.id)).toMatchObject({ status: 'live', error: null })
})

test('A member who was removed at once is shown with the end of the access', async () => {
  const member = await joined(club)
  const link = await manageLink(member)
  expect(
    (await club.shop.asOperator('DELETE', `/audiences/${club.audience_id}/members/${member.member_id}?now=true`)).body
      .type,
  ).toBe('removed')
  const { status, has_access, access_until } = (await link('GET', 'manage')).body
  expect([status, has_access, access_until <= now()]).toEqual(['removed', false, true])
})
