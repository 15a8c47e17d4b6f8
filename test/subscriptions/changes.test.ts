// Changes of a subscription reach the provider once: cancelled, resumed and charged to another card. A membership ends
// when its time is over, and not before.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import fc from 'fast-check'
import { accessSql } from '../../entities/audiences/access.ts'
import { endMemberships, readLapsed } from '../../entities/audiences/sweep.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import { newId } from '../../entities/kit/ids.ts'
import { endArchived } from '../../entities/subscriptions/archiving.ts'
import { repeatCancellations, repeatCards } from '../../entities/subscriptions/changes.ts'
import { followMembers } from '../../entities/subscriptions/follow.ts'
import { recordAnswer } from '../../entities/subscriptions/states.ts'
import { accessUntil, hasAccess } from '../../rules/audiences/memberships.ts'
import { rowsRun } from '../../workers/reconciler.ts'
import { setMember } from '../kit/audiences/audiences.ts'
import {
  amount,
  atProvider,
  begin,
  beginRows,
  type Club,
  changeRows,
  clubShop,
  insertRow,
  joined,
  manageLink,
  memberRow,
  paymentRows,
  payPage,
  sentChanges,
  subscriptionRow,
} from '../kit/audiences/subscribing.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { eventsOf, fault, sim, stripe, until } from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, unique } from '../kit/shop.ts'

let club: Club
let orm: Orm
let connection: Connection
beforeAll(async () => {
  ;[club, orm, connection] = await Promise.all([
    clubShop(),
    openOrm({ url: process.env.DATABASE_URL as string, pool: 2 }),
    Connection.connect({ address: process.env.TEMPORAL_ADDRESS as string }),
  ])
})
afterAll(() => Promise.all([orm.close(true), connection.close()]))

const now = () => Math.floor(Date.now() / 1000)
const codeOf = ({ status, body }: Answer) => [status, body.code]
const settled = (id: string, count = 1) =>
  until(async () => {
    const rows = await changeRows(id)
    return rows.length >= count && rows.every(({ status }) => status !== 'requested' && status !== 'processing') && rows
  }, 20_000)
const remove = (member: { member_id: string }, query = '', base?: string) =>
  club.shop.asOperator('DELETE', `/audiences/${club.audience_id}/members/${member.member_id}${query}`, undefined, base)

test('Twenty equal cancellations are one change, and access lasts until the end of the paid time', async () => {
  const member = await joined(club)
  const call = await manageLink(member)
  const answers = await Promise.all(Array.from({ length: 20 }, () => call('POST', 'subscription/cancel', eitherApi())))
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(await settled(member.id)).toMatchObject([{ kind: 'cancel', requested_by: 'member', status: 'succeeded' }])
  expect((await sentChanges(member)).filter(({ effect }) => effect)).toHaveLength(1)
  const { paid_through_at, cancelled_by, cancel_at } = await subscriptionRow(member.id)
  expect([cancelled_by, cancel_at]).toEqual(['member', (await atProvider(member)).cancel_at])
  expect(await memberRow(member.member_id)).toMatchObject({
    status: 'active',
    access_until: paid_through_at,
    cancel_at,
  })
  expect((await call('GET', 'manage')).body).toMatchObject({
    ...{
      payment_method_update_available: true,
      subscription_cancellation_available: false,
      subscription_resumption_available: true,
    },
  })
})

test('A member who resumes is charged again, and the opposite of an open change is 409', async () => {
  const member = await joined(club)
  const call = await manageLink(member)
  // Another attempt sends it at this moment, so that its workflow leaves it alone.
  const open = await insertRow('subscription_changes', {
    ...{
      tenant_id: club.shop.store_id,
      subscription_id: member.id,
      kind: 'resume',
      requested_by: 'member',
      status: 'processing',
      fingerprint: '',
      attempt: 1,
    },
    ...{ token: 'another', sent_at: new Date(), deadline_at: new Date(Date.now() + 600_000) },
  })
  expect(codeOf(await call('POST', 'subscription/cancel'))).toEqual([409, 'change_in_flight'])
  await database().query(
    `update subscription_changes set status = 'succeeded', settled_at = clock_timestamp() where id = $1`,
    [open],
  )
  await call('POST', 'subscription/cancel')
  await settled(member.id, 2)
  await call('POST', 'subscription/resume')
  await settled(member.id, 3)
  expect((await atProvider(member)).cancel_at).toBeNull()
  await until(async () => (await subscriptionRow(member.id)).cancel_at === null)
  const { access_until, paid_through_at } = await memberRow(member.member_id)
  expect(access_until).toBe(paid_through_at + 72 * 3600)
})

test('A subscription whose renewal failed is cancelled at once, and nothing is charged after it', async () => {
  const member = await joined(club)
  await sim('POST', `/subscriptions/${member.subscription}/advance`, { outcome: 'decline' })
  // Two events, in any order.
  await until(async () => {
    const { billing_status, error } = await subscriptionRow(member.id)
    return billing_status === 'past_due' && error !== null
  })
  expect((await subscriptionRow(member.id)).error).toMatchObject({ code: 'payment_failed', attempt: 1 })
  const call = await manageLink(member)
  await call('POST', 'subscription/cancel')
  await until(async () => (await subscriptionRow(member.id)).status === 'ended')
  expect(await atProvider(member)).toMatchObject({ status: 'canceled' })
  expect(await memberRow(member.member_id)).toMatchObject({ status: 'active' })
  expect(codeOf(await call('POST', 'subscription/resume'))).toEqual([409, 'not_subscribed'])
  expect(await paymentRows(member.id)).toHaveLength(1)
})

test('An operator takes back the cancellation of a removal, and not that of the member', async () => {
  const member = await joined(club)
  const resume = () =>
    club.shop.asOperator('POST', `/audiences/${club.audience_id}/members/${member.member_id}/subscription/resume`)
  expect(codeOf(await resume())).toEqual([409, 'not_cancelled_by_store'])
  await fault({ path: `/v1/subscriptions/${member.subscription}`, method: 'POST', fault: 'delay', delay_ms: 800 })
  await remove(member)
  expect(codeOf(await resume())).toEqual([409, 'change_in_flight'])
  await settled(member.id)
  expect((await resume()).status).toBe(200)
  await until(async () => (await subscriptionRow(member.id)).cancel_at === null, 20_000)
  expect([await atProvider(member), await subscriptionRow(member.id)]).toMatchObject([
    { cancel_at_period_end: false },
    { cancelled_by: null, status: 'live' },
  ])
  await (await manageLink(member))('POST', 'subscription/cancel')
  await settled(member.id)
  expect(codeOf(await resume())).toEqual([409, 'not_cancelled_by_store'])
})

test('A cancellation while the renewal is drafted ends the subscription before it is charged', async () => {
  const member = await joined(club)
  await sim('POST', `/subscriptions/${member.subscription}/advance`, { outcome: 'draft' })
  await (await manageLink(member))('POST', 'subscription/cancel')
  await until(async () => (await subscriptionRow(member.id)).status === 'ended', 20_000)
  expect(await atProvider(member)).toMatchObject({ status: 'canceled' })
  const { paid_through_at, cancelled_by } = await subscriptionRow(member.id)
  expect([cancelled_by, await memberRow(member.member_id)]).toMatchObject([
    'member',
    { status: 'active', access_until: paid_through_at },
  ])
})

test('A cancellation before the events of a declined renewal ends the subscription at once', async () => {
  const member = await joined(club)
  await sim('POST', `/subscriptions/${member.subscription}/advance`, { outcome: 'decline' })
  await until(async () => (await subscriptionRow(member.id)).billing_status === 'past_due')
  await database().query(`update subscriptions set billing_status = 'active' where id = $1`, [member.id])
  await (await manageLink(member))('POST', 'subscription/cancel')
  await until(async () => (await subscriptionRow(member.id)).status === 'ended', 20_000)
})

test.each(['member', null])(
  'A past due subscription that ends with its period is cancelled at once, cancelled by %s',
  async (by) => {
    const member = await joined(club)
    await sim('POST', `/subscriptions/${member.subscription}/advance`, { outcome: 'decline' })
    await until(async () => (await subscriptionRow(member.id)).billing_status === 'past_due')
    await database().query('update subscriptions set cancelled_by = $2 where id = $1', [member.id, by])
    await sim('POST', `/subscriptions/${member.subscription}/cancel`, { mode: 'cancel_at_period_end' })
    if (by === null) {
      await until(async () => (await subscriptionRow(member.id)).cancel_at !== null)
      await (await manageLink(member))('POST', 'subscription/cancel')
    }
    await until(async () => (await subscriptionRow(member.id)).status === 'ended', 20_000)
    expect(await atProvider(member)).toMatchObject({ status: 'canceled' })
  },
)

test('A cancellation in the dashboard, by cancel_at alone, ends access with the paid time', async () => {
  const member = await joined(club)
  await sim('POST', `/subscriptions/${member.subscription}/cancel`, { mode: 'cancel_at' })
  await until(async () => (await subscriptionRow(member.id)).cancel_at !== null)
  const { paid_through_at } = await subscriptionRow(member.id)
  expect(await memberRow(member.member_id)).toMatchObject({ status: 'active', access_until: paid_through_at })
  expect(await subscriptionRow(member.id)).toMatchObject({ cancelled_by: 'provider' })
})

test('A member can cancel before the later date on which the dashboard cancels, and has grace', async () => {
  const member = await joined(club)
  const { paid_through_at } = await subscriptionRow(member.id)
  await sim('POST', `/subscriptions/${member.subscription}/cancel`, { cancel_at: paid_through_at + 60 * 86_400 })
  await until(async () => (await subscriptionRow(member.id)).cancel_at !== null)
  expect(await memberRow(member.member_id)).toMatchObject({ access_until: paid_through_at + 72 * 3600 })
  const call = await manageLink(member)
  expect((await call('GET', 'manage')).body).toMatchObject({
    subscription_cancellation_available: true,
    subscription_resumption_available: true,
  })
  await call('POST', 'subscription/cancel')
  await until(async () => (await subscriptionRow(member.id)).cancel_at === paid_through_at, 20_000)
  expect(await memberRow(member.member_id)).toMatchObject({ access_until: paid_through_at })
})

test('The card that a customer saves pays the next renewal, though the page pinned another', async () => {
  const member = await joined(club)
  const pinned = (await atProvider(member)).default_payment_method
  await sim('POST', `/customers/${member.customer}/card`, { last4: '4444' })
  const { payment_method } = await sim('POST', `/customers/${member.customer}/card`, { last4: '5555' })
  await until(async () => (await atProvider(member)).default_payment_method === payment_method.id, 20_000)
  expect(payment_method.id).not.toBe(pinned)
  await sim('POST', `/subscriptions/${member.subscription}/advance`, { outcome: 'renew' })
  const [, renewal] = await until(async () => {
    const rows = await paymentRows(member.id)
    return rows[1]?.provider_payment_id && rows
  })
  expect(await stripe(club.account, `/payment_intents/${renewal?.provider_payment_id}`)).toMatchObject({
    payment_method: payment_method.id,
  })
  expect((await changeRows(member.id)).map(({ kind }) => kind)).not.toContain('cancel')
})

test.each(['rejected', 'failed', 'unknown'])(
  'A card whose change was %s is sent again, and another card that is saved meanwhile, too',
  async (status) => {
    const member = await joined(club)
    const pinned = async () => (await atProvider(member)).default_payment_method
    const change = (settledMs: number) =>
      insertRow('subscription_changes', {
        ...{
          tenant_id: club.shop.store_id,
          subscription_id: member.id,
          kind: 'card',
          requested_by: 'system',
          status,
          fingerprint: '',
          attempt: 1,
        },
        ...{ settled_at: new Date(Date.now() - settledMs) },
      })
    const repeat = () => repeatCards(unitOf(orm, null), 1_000, now())
    await change(1_000)
    const { payment_method: first } = await sim('POST', `/customers/${member.customer}/card`, { last4: '4444' })
    await until(async () => (await pinned()) === first.id, 20_000)
    await settled(member.id, 2)
    await repeat()
    expect(await changeRows(member.id)).toHaveLength(2)
    await database().query(
      `update subscription_changes set status = $2, late_evidence = null, settled_at = now() - interval '11 minutes' where subscription_id = $1`,
      [member.id, status],
    )
    await Promise.all([repeat(), repeat()])
    expect((await settled(member.id, 3))[2]).toMatchObject({ kind: 'card', status: 'succeeded' })
  },
)

test('A cancellation whose answer is lost is found at the provider and is not sent again', async () => {
  const member = await joined(club)
  await fault({
    path: `/v1/subscriptions/${member.subscription}`,
    method: 'POST',
    fault: 'reset_after_read',
    after_effect: true,
  })
  const call = await manageLink(member)
  await call('POST', 'subscription/cancel')
  const [change] = await until(async () => {
    const rows = await changeRows(member.id)
    return rows[0]?.late_evidence && rows
  }, 20_000)
  expect(change).toMatchObject({ status: 'unknown', late_evidence: { status: 'seen' } })
  expect((await subscriptionRow(member.id)).cancel_at).not.toBeNull()
  await call('POST', 'subscription/cancel')
  expect(await changeRows(member.id)).toHaveLength(1)
  expect((await sentChanges(member)).filter(({ effect }) => effect)).toHaveLength(1)
})

test.each(['rejected', 'failed', 'unknown'])(
  'A cancellation that is %s and that the provider does not show is requested again',
  async (status) => {
    const member = await joined(club)
    await database().query(`update subscriptions set cancelled_by = 'operator' where id = $1`, [member.id])
    const repeat = () => repeatCancellations(unitOf(orm, null), 1_000, now())
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
    const id = await insertRow('subscription_changes', {
      ...{
        tenant_id: club.shop.store_id,
        subscription_id: member.id,
        kind: 'cancel',
        requested_by: 'operator',
        status,
        fingerprint: '',
        attempt: 1,
      },
      ...{ created_at: now() - 600, settled_at: minutesAgo(4) },
    })
    await repeat()
    expect(await changeRows(member.id)).toHaveLength(1)
    await database().query('update subscription_changes set settled_at = $2 where id = $1', [id, minutesAgo(6)])
    await Promise.all([repeat(), repeat()])
    expect(await until(async () => (await atProvider(member)).cancel_at_period_end, 20_000)).toBe(true)
    expect((await changeRows(member.id)).map((one) => one.status)).toEqual([
      status,
      expect.stringMatching(/succeeded|processing/),
    ])
  },
)

test('A member who resumes after a cancellation that failed is not cancelled again', async () => {
  const member = await joined(club)
  await database().query(`update subscriptions set cancelled_by = 'member' where id = $1`, [member.id])
  await insertRow('subscription_changes', {
    ...{
      tenant_id: club.shop.store_id,
      subscription_id: member.id,
      kind: 'cancel',
      requested_by: 'member',
      status: 'failed',
      fingerprint: '',
      attempt: 5,
    },
    ...{ created_at: now() - 600, settled_at: new Date(Date.now() - 360_000) },
  })
  expect((await (await manageLink(member))('POST', 'subscription/resume')).status).toBe(200)
  await repeatCancellations(unitOf(orm, null), 1_000, now())
  expect(await subscriptionRow(member.id)).toMatchObject({ cancelled_by: null })
  expect(await changeRows(member.id)).toHaveLength(1)
})

/** Makes it a second subscription whose cancellation the provider refused six minutes ago. */
async function refuseSecond(id: string): Promise<void> {
  await database().query(`update subscriptions set status = 'given_up' where id = $1`, [id])
  await insertRow('subscription_changes', {
    ...{
      tenant_id: club.shop.store_id,
      subscription_id: id,
      kind: 'cancel_now',
      requested_by: 'system',
      status: 'rejected',
      fingerprint: '',
      attempt: 1,
    },
    ...{ created_at: now() - 600, settled_at: new Date(Date.now() - 360_000) },
  })
}

test('A second subscription that could not be cancelled is cancelled by a later request', async () => {
  const member = await joined(club)
  await refuseSecond(member.id)
  // A row that is locked is left to the next round.
  await until(async () => {
    await repeatCancellations(unitOf(orm, null), 1_000, now())
    return (await subscriptionRow(member.id)).status === 'ended'
  }, 20_000)
  expect(await atProvider(member)).toMatchObject({ status: 'canceled' })
})

test('A second subscription is never made live by a payment, and its payments are refunded', async () => {
  const member = await joined(club)
  await until(async () => (await paymentRows(member.id))[0]?.provider_payment_id)
  await refuseSecond(member.id)
  await sim('POST', `/subscriptions/${member.subscription}/advance`, { outcome: 'renew' })
  await until(async () => (await subscriptionRow(member.id)).status === 'ended', 20_000)
  expect(await until(async () => (await paymentRows(member.id))[1]?.refunded_amount, 20_000)).toBe(amount)
})

test('An operator removes a paid member with the paid time, or at once with now=true', async () => {
  const [kept, gone, forever, page] = [
    await joined(club),
    await joined(club),
    await beginRows(club, { once: true }),
    await beginRows(club),
  ]
  expect((await remove(kept)).body).toEqual({ type: 'subscription_cancellation_requested' })
  expect((await remove(kept)).body).toEqual({ type: 'subscription_cancellation_requested' })
  await settled(kept.id)
  expect(await memberRow(kept.member_id)).toMatchObject({ status: 'active' })
  expect(codeOf(await (await manageLink(kept))('POST', 'subscription/resume'))).toEqual([409, 'cancelled_by_store'])
  const answers = await Promise.all(Array.from({ length: 8 }, () => remove(gone, '?now=true', eitherApi())))
  expect(answers.map(({ body }) => body.type).sort()).toEqual([...Array(7).fill('already_removed'), 'removed'])
  await until(async () => (await subscriptionRow(gone.id)).status === 'ended')
  expect(await atProvider(gone)).toMatchObject({ status: 'canceled' })
  expect(await memberRow(gone.member_id)).toMatchObject({ status: 'removed' })
  expect((await sentChanges(gone)).filter(({ effect }) => effect)).toHaveLength(1)
  await database().query(`update subscriptions set status = 'live', hold_until = null where id = $1`, [forever.id])
  await setMember(forever.member_id, { status: 'active', pending_since: null, joined_at: 5 })
  expect((await remove(forever)).body).toEqual({ type: 'removed' })
  expect(await subscriptionRow(forever.id)).toMatchObject({ status: 'ended', cancelled_by: 'operator' })
  expect((await remove(page)).body).toEqual({ type: 'subscription_cancellation_requested' })
  expect(await subscriptionRow(page.id)).toMatchObject({ cancel_requested: true })
})

/** As a round of the reconciler does. Members that a late event has locked are left to the next one. */
const endAllArchived = async () => {
  while (await unitOf(orm, null).transactional((em) => endArchived(em, 2, now())));
}

test('Archiving an audience cancels its subscriptions and closes its pages', async () => {
  const other = await clubShop()
  const members = [await joined(other), await joined(other)]
  const [page, paidLater] = [await beginRows(other), await beginRows(other)]
  expect((await other.shop.asOperator('PUT', `/audiences/${other.audience_id}`, { status: 'archived' })).status).toBe(
    200,
  )
  await until(async () => {
    await endAllArchived()
    return (await Promise.all(members.map(({ id }) => subscriptionRow(id)))).every(
      ({ cancelled_by }) => cancelled_by === 'archive',
    )
  })
  for (const member of members) {
    await until(async () => (await atProvider(member)).cancel_at_period_end, 20_000)
    expect(await subscriptionRow(member.id)).toMatchObject({ cancelled_by: 'archive' })
  }
  expect(await subscriptionRow(page.id)).toMatchObject({ cancel_requested: true })
  expect(await subscriptionRow(paidLater.id)).toMatchObject({ cancel_requested: true })
  expect(codeOf(await (await manageLink(members[0] as never))('POST', 'subscription/resume'))).toEqual([
    409,
    'cancelled_by_store',
  ])
})

test('No subscription of an archived audience is resumed, by its member or the dashboard', async () => {
  const other = await clubShop()
  const member = await joined(other)
  const call = await manageLink(member)
  await call('POST', 'subscription/cancel')
  await until(async () => (await subscriptionRow(member.id)).cancel_at !== null)
  expect((await other.shop.asOperator('PUT', `/audiences/${other.audience_id}`, { status: 'archived' })).status).toBe(
    200,
  )
  await until(async () => {
    await endAllArchived()
    return (await subscriptionRow(member.id)).cancelled_by === 'archive'
  })
  expect(codeOf(await call('POST', 'subscription/resume'))).toEqual([409, 'cancelled_by_store'])
  await sim('POST', `/subscriptions/${member.subscription}/cancel`, { mode: 'resume' })
  await settled(member.id, 2)
  expect(await until(async () => (await atProvider(member)).cancel_at_period_end, 20_000)).toBe(true)
})

test('Archiving an audience cancels the subscription of a member who was locked meanwhile', async () => {
  const other = await clubShop()
  const member = await joined(other)
  expect((await other.shop.asOperator('PUT', `/audiences/${other.audience_id}`, { status: 'archived' })).status).toBe(
    200,
  )
  await unitOf(orm, null).transactional(async (em) => {
    await em.execute(sql`select 1 from audience_members where id = ${member.member_id} for update`)
    await endAllArchived()
  })
  await until(async () => {
    await endAllArchived()
    return (await atProvider(member)).cancel_at_period_end
  }, 20_000)
})

test('Archiving a store cancels its plan and the subscriptions of its members', async () => {
  const own = await clubShop()
  const [member, page] = [await joined(own), await beginRows(own)]
  const plan = newId()
  await database().query(
    `insert into subscriptions (id, tenant_id, created_at, updated_at, plan_id, kind, status, amount, currency, "interval", billing_status, provider_subscription_id)
     values ($1, $2, 100, 100, 'pro', 'recurring', 'live', 900, 'EUR', '{"period":"month","count":1}', 'active', $3)`,
    [plan, own.shop.store_id, `sub_${plan}`],
  )
  expect((await own.shop.asOperator('PUT', '', { status: 'ARCHIVED' })).status).toBe(200)
  await endAllArchived()
  const { rows } = await database().query(
    'select kind, requested_by from subscription_changes where subscription_id = $1',
    [plan],
  )
  expect(rows).toEqual([{ kind: 'cancel', requested_by: 'operator' }])
  await until(async () => (await atProvider(member)).cancel_at_period_end, 20_000)
  expect(await subscriptionRow(page.id)).toMatchObject({ cancel_requested: true })
})

/** Moves the time of a membership so that it is over. */
async function overdue(member: { id: string; member_id: string }, change: Record<string, unknown> = {}): Promise<void> {
  const isLive = change.status === 'live'
  // An event that comes late computes the access of a running subscription again: its grace is over, too.
  const [at, until] = isLive ? [now() - 80 * 3600, now() - 8 * 3600] : [now() - 60, now() - 60]
  await database().query(
    'update subscriptions set paid_through_at = $2, cancelled_by = $3, status = $4, ended_at = $5, hold_until = null where id = $1',
    [...[member.id, at, change.cancelled_by ?? null, change.status ?? 'ended'], isLive ? null : at],
  )
  await setMember(member.member_id, {
    status: 'active',
    pending_since: null,
    joined_at: 5,
    ended_at: null,
    paid_through_at: at,
    access_until: until,
  })
}

/** Sweeps until it is true: a row that a late event has locked is left to the next round. */
const swept = (look: () => Promise<boolean>) =>
  until(async () => {
    await endMemberships(rowsRun(orm, now()))
    return look()
  }, 20_000)

test.each([
  ['member', 'cancelled'],
  ['provider', 'cancelled'],
  ['archive', 'cancelled'],
  ['operator', 'removed'],
  [null, 'expired'],
])('A membership whose subscription was ended by %s is %s when its time is over', async (by, status) => {
  const member = await beginRows(club)
  await overdue(member, { cancelled_by: by })
  await endMemberships(rowsRun(orm, now()))
  expect(await memberRow(member.member_id)).toMatchObject({ status })
})

test('An overdue member ends with the read of its subscription, not a round later', async () => {
  const member = await joined(club)
  await overdue(member, { status: 'live' })
  await database().query(
    `update subscriptions set provider_subscription_id = 'sub_unknown_to_the_provider' where id = $1`,
    [member.id],
  )
  await swept(async () => (await subscriptionRow(member.id)).read_at !== null)
  expect(await memberRow(member.member_id)).toMatchObject({ status: 'expired' })
})

test('The payment intent of an invoice is read again after the provider refused access to it', async () => {
  const own = await clubShop()
  await fault({ path: '/v1/invoice_payments', account: own.account, fault: 'status', status: 403, times: 2 })
  const { id } = await joined(own)
  expect(await until(async () => (await paymentRows(id))[0]?.provider_payment_id, 20_000)).toMatch(/^pi_/)
})

test('Every move of a paid membership is published once', async () => {
  const own = await clubShop()
  const types = ['audience.member_added', 'audience.member_access_cancelled', 'audience.member_removed']
  const hook = {
    key: unique(),
    url: 'https://hooks.example/',
    headers: {},
    secret: `whsec_${'signsAll'.repeat(4)}`,
    enabled: true,
  }
  expect(
    (await own.shop.asOperator('POST', '/webhooks', { ...hook, events: types.map((event) => ({ event })) })).status,
  ).toBe(201)
  const moves = async (member: { member_id: string }) => {
    const { rows } = await database().query('select type, data from events where tenant_id = $1 order by id', [
      own.shop.store_id,
    ])
    return rows
      .filter(({ data }) => data.member.id === member.member_id)
      .map(({ type, data }) => [type.replace('audience.member_', ''), data.member.status])
  }
  const [cancelled, removed, atOnce] = [await joined(own), await joined(own), await joined(own)]
  await overdue(cancelled, { cancelled_by: 'member' })
  await overdue(removed, { cancelled_by: 'operator' })
  await Promise.all([endMemberships(rowsRun(orm, now())), endMemberships(rowsRun(orm, now()))])
  for (const { member_id } of [cancelled, removed])
    await swept(async () => (await memberRow(member_id)).status !== 'active')
  const gone = () => own.shop.asOperator('DELETE', `/audiences/${own.audience_id}/members/${atOnce.member_id}?now=true`)
  await Promise.all([gone(), gone()])
  await until(async () => (await subscriptionRow(atOnce.id)).status === 'ended')
  expect(await moves(cancelled)).toEqual([
    ['added', 'active'],
    ['access_cancelled', 'cancelled'],
  ])
  expect(await moves(removed)).toEqual([
    ['added', 'active'],
    ['removed', 'removed'],
  ])
  expect(await moves(atOnce)).toEqual([
    ['added', 'active'],
    ['removed', 'removed'],
  ])
})

test('Access that the provider shows to be paid is held while the event of its payment is lost', async () => {
  const member = await joined(club)
  const { paid_through_at } = await subscriptionRow(member.id)
  await overdue(member, { status: 'live' })
  await swept(async () => (await subscriptionRow(member.id)).error !== null)
  const row = await subscriptionRow(member.id)
  expect(row).toMatchObject({ status: 'live', error: { code: 'event_missing' }, read_wanted_at: null })
  expect(row.paid_through_at).toBeLessThan(now())
  expect(paid_through_at).toBeGreaterThan(row.held_until)
  const { status, access_until } = await memberRow(member.member_id)
  expect([status, access_until]).toEqual(['active', Math.max(row.held_until, row.paid_through_at + 72 * 3600)])
  // A shorter grace leaves the time that is held.
  const { settings } = (await club.shop.asOperator('GET', '')).body
  expect((await club.shop.asOperator('PUT', '', { settings: { ...settings, membership_grace_hours: 0 } })).status).toBe(
    200,
  )
  expect(await memberRow(member.member_id)).toMatchObject({ access_until: row.held_until })
  await club.shop.asOperator('PUT', '', { settings: { ...settings, membership_grace_hours: 72 } })
  // The event arrives after all.
  await sim('POST', `/subscriptions/${member.subscription}/advance`, { outcome: 'renew' })
  await until(async () => (await subscriptionRow(member.id)).error === null)
})

test('A grace time that is set beside another change of it counts for running memberships', async () => {
  const member = await joined(club)
  const { settings } = (await club.shop.asOperator('GET', '')).body
  const set = (hours: number) =>
    club.shop.asOperator('PUT', '', { settings: { ...settings, membership_grace_hours: hours } })
  // As a request does that sets another one, until its commit.
  const other = await database().connect()
  await other.query('begin')
  await other.query(`update tenants set settings = settings || '{"membership_grace_hours": 0}' where id = $1`, [
    club.shop.store_id,
  ])
  await other.query('update audience_members set access_until = paid_through_at where id = $1', [member.member_id])
  const asked = set(72)
  await untilAwaited(other)
  await other.query('commit')
  other.release()
  expect((await asked).status).toBe(200)
  const { access_until, paid_through_at } = await memberRow(member.member_id)
  expect(access_until).toBe(paid_through_at + 72 * 3600)
})

test('A subscription whose first payment has no event is read, and says event_missing', async () => {
  const member = await joined(club)
  await database().query(
    'update subscriptions set paid_through_at = null, created_at = created_at - 7300 where id = $1',
    [member.id],
  )
  await setMember(member.member_id, {
    status: 'pending',
    pending_since: 5,
    joined_at: null,
    paid_through_at: null,
    access_until: null,
  })
  await swept(async () => (await subscriptionRow(member.id)).error !== null)
  expect(await subscriptionRow(member.id)).toMatchObject({ error: { code: 'event_missing' }, paid_through_at: null })
})

test('A read that is due signals a workflow that may have read its rows already', async () => {
  const { id } = await joined(club)
  const wanted = unitOf(orm, null).transactional(async (em) => {
    await em.execute(
      sql`update subscriptions set paid_through_at = null, created_at = ${now() - 7300} where id = ${id}`,
    )
    await readLapsed(em, 1_000, now())
    throw await em.execute(sql`select kind, again from outbox where row_id = ${id}`)
  })
  await expect(wanted).rejects.toEqual([{ kind: 'membership', again: true }])
})

test('A read that is wanted of a subscription without one at the provider ends, and is forgotten', async () => {
  const { id } = await joined(club)
  await database().query(
    'update subscriptions set provider_subscription_id = null, read_wanted_at = $2 where id = $1',
    [id, now()],
  )
  const start = `insert into outbox (id, tenant_id, kind, row_id, again) values ($1, $2, 'membership', $3, true)`
  await database().query(start, [newId(), club.shop.store_id, id])
  const wanted = async () =>
    (await database().query('select read_wanted_at from subscriptions where id = $1', [id])).rows[0].read_wanted_at
  await until(async () => (await wanted()) === null)
  const membership = new Client({ connection }).workflow.getHandle(`membership/${id}`)
  await until(async () => (await membership.describe()).status.name !== 'RUNNING')
})

test('An expired membership comes back when a daily read shows a payment whose event is lost', async () => {
  const member = await joined(club)
  const ended = now() - 80 * 3600
  const days = async (count: number) => {
    await database().query('update subscriptions set read_at = $2 where id = $1', [member.id, now() - count * 86_400])
    await endMemberships(rowsRun(orm, now()))
  }
  await database().query('update subscriptions set paid_through_at = $2, created_at = $2 where id = $1', [
    member.id,
    ended,
  ])
  await setMember(member.member_id, { status: 'expired', ended_at: ended, paid_through_at: ended, access_until: ended })
  await days(0.9)
  expect(await subscriptionRow(member.id)).toMatchObject({ read_wanted_at: null, held_until: null })
  await days(1.1)
  await swept(async () => (await memberRow(member.member_id)).status === 'active')
  expect(await subscriptionRow(member.id)).toMatchObject({ error: { code: 'event_missing' }, paid_through_at: ended })
})

test('A membership that the provider shows to be unpaid ends, and comes back when it is paid', async () => {
  const member = await joined(club)
  await sim('POST', `/subscriptions/${member.subscription}/advance`, { outcome: 'decline' })
  await until(async () => (await subscriptionRow(member.id)).billing_status === 'past_due')
  await database().query('update subscriptions set paid_through_at = $2 where id = $1', [member.id, now() - 80 * 3600])
  await setMember(member.member_id, { paid_through_at: now() - 80 * 3600, access_until: now() - 8 * 3600 })
  await swept(async () => (await memberRow(member.member_id)).status === 'expired')
  expect(await subscriptionRow(member.id)).toMatchObject({ status: 'live' })
  await sim('POST', `/subscriptions/${member.subscription}/advance`, { outcome: 'recover' })
  await until(async () => (await memberRow(member.member_id)).status === 'active')
})

test('Access is what the rule says, to the second, for any subscription, without the sweep', async () => {
  const at = now()
  const around = fc.integer({ min: -80 * 3600, max: 80 * 3600 })
  const facts = fc.record({
    paid: around,
    ends: fc.constantFrom(null, -1, 0, 1),
    grace: fc.constantFrom(0, 1, 72),
    clock: fc.oneof(fc.constantFrom(-1, 0, 1), around),
  })
  const member = await beginRows(club)
  const tenant = club.shop.store_id
  await fc.assert(
    fc.asyncProperty(facts, async ({ paid, ends, grace, clock }) => {
      await database().query(
        `update tenants set settings = settings || jsonb_build_object('membership_grace_hours', $2::int) where id = $1`,
        [tenant, grace],
      )
      const row = {
        status: 'active' as const,
        paid_through_at: at + paid,
        cancel_at: ends === null ? null : at + paid + ends,
      }
      await database().query(
        `update subscriptions set status = 'live', hold_until = null, paid_through_at = $2, cancel_at = $3 where id = $1`,
        [...[member.id, row.paid_through_at, row.cancel_at]],
      )
      const access_until = accessUntil(row, grace)
      const clockAt = (access_until ?? 0) + clock
      // The worker's sweep ends members whose access is over: one that it met is written again.
      const found = await until(async () => {
        await setMember(member.member_id, {
          status: 'active',
          pending_since: null,
          joined_at: 5,
          ended_at: null,
          paid_through_at: 5,
          access_until: 5,
        })
        await unitOf(orm, null).transactional((em) => followMembers(em, tenant, [member.member_id], at))
        const [now]: ({ has: boolean; status: string } & Record<string, unknown>)[] = await unitOf(
          orm,
          null,
        ).execute(sql`
          select m.status, m.paid_through_at::float8 as paid_through_at, m.cancel_at::float8 as cancel_at,
            m.access_until::float8 as access_until, ${accessSql('m', clockAt)} as has
          from audience_members m
          where m.tenant_id = ${tenant} and m.id = ${member.member_id}
        `)
        return now?.status === 'active' && now
      })
      expect(found).toEqual({ ...row, access_until, has: hasAccess({ status: 'active', access_until }, clockAt) })
    }),
    { numRuns: 60 },
  )
  await database().query(`update tenants set settings = settings - 'membership_grace_hours' where id = $1`, [tenant])
})

test('No event of a subscription that was removed at once brings its member back', async () => {
  const member = await joined(club)
  await remove(member, '?now=true')
  await until(async () => (await subscriptionRow(member.id)).status === 'ended')
  const events = (await eventsOf(club.account)).filter(({ event }) =>
    JSON.stringify(event.data.object).includes(member.subscription),
  )
  expect(events.length).toBeGreaterThan(3)
  await database().query('delete from provider_events where id = any ($1)', [events.map(({ id }) => id)])
  await sim('POST', '/events/deliver', { ids: events.map(({ id }) => id), order: 'shuffle' })
  expect(await memberRow(member.member_id)).toMatchObject({ status: 'removed' })
  expect(await paymentRows(member.id)).toMatchObject([{ captured_amount: amount }])
})

test('A removal holds where the answer to an earlier resumption comes after it', async () => {
  const member = await joined(club)
  await database().query(
    `update subscriptions set cancel_at = paid_through_at, cancelled_by = 'operator' where id = $1`,
    [member.id],
  )
  const asked = {
    subscription_id: member.id,
    tenant_id: club.shop.store_id,
    created_at: 1,
    updated_at: 1,
    fingerprint: '',
    settled_at: new Date(),
  }
  const answered = { billing_status: 'active', cancel_at: null, reported_at: now() + 60 }
  const resume = await insertRow('subscription_changes', {
    ...asked,
    kind: 'resume',
    requested_by: 'member',
    status: 'succeeded',
    ...answered,
  })
  const cancel = await insertRow('subscription_changes', {
    ...asked,
    kind: 'cancel_now',
    requested_by: 'operator',
    status: 'rejected',
  })
  await unitOf(orm, null).transactional((em) => recordAnswer(em, resume))
  expect(await subscriptionRow(member.id)).toMatchObject({ cancel_at: null, cancelled_by: 'operator' })
  // What the dashboard resumes after a cancellation goes on.
  await database().query(`update subscriptions set cancel_at = paid_through_at where id = $1`, [member.id])
  await database().query(`update subscription_changes set status = 'succeeded' where id = $1`, [cancel])
  await database().query('update subscription_changes set reported_at = reported_at + 60 where id = $1', [resume])
  await unitOf(orm, null).transactional((em) => recordAnswer(em, resume))
  expect(await subscriptionRow(member.id)).toMatchObject({ cancel_at: null, cancelled_by: null })
})

test('A membership removed at once stays so, though its subscription had time left', async () => {
  const member = await joined(club)
  await sim('POST', `/subscriptions/${member.subscription}/cancel`, { mode: 'now' })
  await until(async () => (await subscriptionRow(member.id)).status === 'ended')
  expect((await memberRow(member.member_id)).status).toBe('active')
  expect((await remove(member, '?now=true')).body).toEqual({ type: 'removed' })
  const events = (await eventsOf(club.account)).filter(({ event }) =>
    JSON.stringify(event.data.object).includes(member.subscription),
  )
  await database().query('delete from provider_events where id = any ($1)', [events.map(({ id }) => id)])
  await sim('POST', '/events/deliver', { ids: events.map(({ id }) => id) })
  await unitOf(orm, null).transactional((em) => followMembers(em, club.shop.store_id, [member.member_id], now()))
  expect(await memberRow(member.member_id)).toMatchObject({ status: 'removed' })
})

/** The payment is refunded, and the subscription cancelled at the provider. */
async function refundedInFull({ id }: { id: string }): Promise<void> {
  await until(async () => {
    const { rows } = await database().query('select status, amount::int from refunds where subscription_id = $1', [id])
    return rows[0]?.status === 'succeeded' && rows[0]?.amount === amount
  }, 20_000)
  expect(await settled(id)).toMatchObject([{ kind: 'cancel_now', requested_by: 'system', status: 'succeeded' }])
  expect(['given_up', 'ended']).toContain((await subscriptionRow(id)).status)
}

test('A payment on the page of a member who left the free membership meanwhile is refunded', async () => {
  const member = await begin(club, { member: { status: 'active', pending_since: null, joined_at: 1 } })
  await sim('POST', '/events', { hold: true, account: club.account })
  await payPage(member)
  const left = await (await manageLink(member))('POST', 'subscription/cancel')
  expect([left.status, left.body.status]).toEqual([200, 'cancelled'])
  await sim('POST', '/events', { hold: false, account: club.account })
  await refundedInFull(member)
  expect((await memberRow(member.member_id)).status).toBe('cancelled')
})

test.each(['pending', 'given_up'])(
  'A payment on the %s page of a member who was removed meanwhile is refunded',
  async (status) => {
    const member = await begin(club)
    await sim('POST', '/events', { hold: true, account: club.account })
    await payPage(member)
    expect((await remove(member)).body).toEqual({ type: 'subscription_cancellation_requested' })
    // Its page counts as closed, or not yet.
    if (status === 'given_up')
      await database().query(
        `update subscriptions set status = 'given_up', hold_until = null where id = $1 and status <> 'ended'`,
        [member.id],
      )
    await sim('POST', '/events', { hold: false, account: club.account })
    await refundedInFull(member)
    expect((await memberRow(member.member_id)).status).not.toBe('active')
  },
)
