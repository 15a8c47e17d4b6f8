// Changes of a subscription reach the provider once: cancelled, resumed and charged to another card. A membership ends when its time is over, and not before.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { accessSql } from '../../entities/audiences/access.ts'
import { newId } from '../../entities/kit/ids.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/orm.ts'
import { sql } from '../../entities/kit/sql.ts'
import { endArchived } from '../../entities/subscriptions/archiving.ts'
import { repeatCancellations } from '../../entities/subscriptions/changes.ts'
import { followMembers } from '../../entities/subscriptions/follow.ts'
import { accessUntil, hasAccess } from '../../rules/audiences/memberships.ts'
import { endMemberships } from '../../workers/reconciler.ts'
import { setMember } from '../kit/audiences.ts'
import { eventsOf, fault, sim, stripe, until } from '../kit/buying.ts'
import { type Answer, database, eitherApi, unique } from '../kit/shop.ts'
import {
  amount,
  atProvider,
  beginRows,
  type Club,
  changeRows,
  clubShop,
  insertRow,
  joined,
  manageLink,
  memberRow,
  paymentRows,
  sentChanges,
  subscriptionRow,
} from '../kit/subscribing.ts'

let club: Club
let orm: Orm
beforeAll(async () => {
  ;[club, orm] = await Promise.all([clubShop(), openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })])
})
afterAll(() => orm.close(true))

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
  expect(await memberRow(member.member_id)).toMatchObject({ status: 'active', access_until: paid_through_at, cancel_at })
  expect((await call('GET', 'manage')).body).toMatchObject({
    ...{ payment_method_update_available: true, subscription_cancellation_available: false, subscription_resumption_available: true },
  })
})

test('A member who resumes is charged again, and the opposite of an open change is 409', async () => {
  const member = await joined(club)
  const call = await manageLink(member)
  await insertRow('subscription_changes', {
    ...{ tenant_id: club.shop.store_id, subscription_id: member.id, kind: 'resume', requested_by: 'member', status: 'requested', fingerprint: '', attempt: 0 },
    created_at: now() + 3600,
  })
  expect(codeOf(await call('POST', 'subscription/cancel'))).toEqual([409, 'change_in_flight'])
  await database().query('delete from subscription_changes where subscription_id = $1', [member.id])
  await call('POST', 'subscription/cancel')
  await settled(member.id)
  await call('POST', 'subscription/resume')
  await settled(member.id, 2)
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

test('A cancellation in the dashboard, by cancel_at alone, ends access with the paid time', async () => {
  const member = await joined(club)
  await sim('POST', `/subscriptions/${member.subscription}/cancel`, { mode: 'cancel_at' })
  await until(async () => (await subscriptionRow(member.id)).cancel_at !== null)
  const { paid_through_at } = await subscriptionRow(member.id)
  expect(await memberRow(member.member_id)).toMatchObject({ status: 'active', access_until: paid_through_at })
  expect(await subscriptionRow(member.id)).toMatchObject({ cancelled_by: 'provider' })
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
  expect(await stripe(club.account, `/payment_intents/${renewal?.provider_payment_id}`)).toMatchObject({ payment_method: payment_method.id })
  expect((await changeRows(member.id)).map(({ kind }) => kind)).not.toContain('cancel')
})

test('A cancellation whose answer is lost is found at the provider and is not sent again', async () => {
  const member = await joined(club)
  await fault({ path: `/v1/subscriptions/${member.subscription}`, method: 'POST', fault: 'reset_after_read', after_effect: true })
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

test.each(['rejected', 'failed', 'unknown'])('A cancellation that is %s and that the provider does not show is requested again', async (status) => {
  const member = await joined(club)
  await database().query(`update subscriptions set cancelled_by = 'operator' where id = $1`, [member.id])
  const repeat = () => unitOf(orm, null).transactional((em) => repeatCancellations(em, 1_000, now()))
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  const id = await insertRow('subscription_changes', {
    ...{ tenant_id: club.shop.store_id, subscription_id: member.id, kind: 'cancel', requested_by: 'operator', status, fingerprint: '', attempt: 1 },
    ...{ created_at: now() - 600, settled_at: minutesAgo(4) },
  })
  await repeat()
  expect(await changeRows(member.id)).toHaveLength(1)
  await database().query('update subscription_changes set settled_at = $2 where id = $1', [id, minutesAgo(6)])
  await Promise.all([repeat(), repeat()])
  expect(await until(async () => (await atProvider(member)).cancel_at_period_end, 20_000)).toBe(true)
  expect((await changeRows(member.id)).map((one) => one.status)).toEqual([status, expect.stringMatching(/succeeded|processing/)])
})

test('A second subscription that could not be cancelled is cancelled by a later request', async () => {
  const member = await joined(club)
  await database().query(`update subscriptions set status = 'given_up' where id = $1`, [member.id])
  await insertRow('subscription_changes', {
    ...{
      tenant_id: club.shop.store_id,
      subscription_id: member.id,
      kind: 'cancel_now',
      requested_by: 'system',
      status: 'rejected',
      fingerprint: '',
      attempt: 1,
    },
    ...{ created_at: now() - 600, settled_at: new Date(Date.now() - 360_000) },
  })
  await unitOf(orm, null).transactional((em) => repeatCancellations(em, 1_000, now()))
  await until(async () => (await subscriptionRow(member.id)).status === 'ended', 20_000)
  expect(await atProvider(member)).toMatchObject({ status: 'canceled' })
})

test('An operator removes a paid member with the paid time, or at once with now=true', async () => {
  const [kept, gone, forever, page] = [await joined(club), await joined(club), await beginRows(club, { once: true }), await beginRows(club)]
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

test('Archiving an audience cancels its subscriptions and closes its pages', async () => {
  const other = await clubShop()
  const members = [await joined(other), await joined(other)]
  const [page, paidLater] = [await beginRows(other), await beginRows(other)]
  expect((await other.shop.asOperator('PUT', `/audiences/${other.audience_id}`, { status: 'archived' })).status).toBe(200)
  // As the reconciler does.
  while (await unitOf(orm, null).transactional((em) => endArchived(em, 2, now())));
  for (const member of members) {
    await until(async () => (await atProvider(member)).cancel_at_period_end, 20_000)
    expect(await subscriptionRow(member.id)).toMatchObject({ cancelled_by: 'archive' })
  }
  expect(await subscriptionRow(page.id)).toMatchObject({ cancel_requested: true })
  expect(await subscriptionRow(paidLater.id)).toMatchObject({ cancel_requested: true })
  expect(codeOf(await (await manageLink(members[0] as never))('POST', 'subscription/resume'))).toEqual([409, 'cancelled_by_store'])
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
  // As the reconciler does.
  while (await unitOf(orm, null).transactional((em) => endArchived(em, 2, now())));
  const { rows } = await database().query('select kind, requested_by from subscription_changes where subscription_id = $1', [plan])
  expect(rows).toEqual([{ kind: 'cancel', requested_by: 'operator' }])
  await until(async () => (await atProvider(member)).cancel_at_period_end, 20_000)
  expect(await subscriptionRow(page.id)).toMatchObject({ cancel_requested: true })
})

/** Moves the time of a membership so that it was over a minute ago. */
async function overdue(member: { id: string; member_id: string }, change: Record<string, unknown> = {}): Promise<void> {
  const at = now() - 60
  await database().query('update subscriptions set paid_through_at = $2, cancelled_by = $3, status = $4, ended_at = $5, hold_until = null where id = $1', [
    ...[member.id, at, change.cancelled_by ?? null, change.status ?? 'ended'],
    change.status === 'live' ? null : at,
  ])
  await setMember(member.member_id, { status: 'active', pending_since: null, joined_at: 5, ended_at: null, paid_through_at: at, access_until: at })
}

test.each([
  ['member', 'cancelled'],
  ['provider', 'cancelled'],
  ['archive', 'cancelled'],
  ['operator', 'removed'],
  [null, 'expired'],
])('A membership whose subscription was ended by %s is %s when its time is over', async (by, status) => {
  const member = await beginRows(club)
  await overdue(member, { cancelled_by: by })
  await endMemberships(orm, now())
  expect(await memberRow(member.member_id)).toMatchObject({ status })
})

test('Every move of a paid membership is published once', async () => {
  const own = await clubShop()
  const types = ['audience.member_added', 'audience.member_access_cancelled', 'audience.member_removed']
  const hook = { key: unique(), url: 'https://hooks.example/', headers: {}, secret: `whsec_${'signsAll'.repeat(4)}`, enabled: true }
  expect((await own.shop.asOperator('POST', '/webhooks', { ...hook, events: types.map((event) => ({ event })) })).status).toBe(201)
  const moves = async (member: { member_id: string }) => {
    const { rows } = await database().query('select type, data from events where tenant_id = $1 order by id', [own.shop.store_id])
    return rows.filter(({ data }) => data.member.id === member.member_id).map(({ type, data }) => [type.replace('audience.member_', ''), data.member.status])
  }
  const [cancelled, removed, atOnce] = [await joined(own), await joined(own), await joined(own)]
  await overdue(cancelled, { cancelled_by: 'member' })
  await overdue(removed, { cancelled_by: 'operator' })
  await Promise.all([endMemberships(orm, now()), endMemberships(orm, now())])
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
  await endMemberships(orm, now())
  await until(async () => (await subscriptionRow(member.id)).error !== null, 20_000)
  const row = await subscriptionRow(member.id)
  expect(row).toMatchObject({ status: 'live', error: { code: 'event_missing' }, read_wanted_at: null })
  expect(row.paid_through_at).toBeLessThan(now())
  expect(paid_through_at).toBeGreaterThan(row.held_until)
  const { status, access_until } = await memberRow(member.member_id)
  expect([status, access_until]).toEqual(['active', Math.max(row.held_until, row.paid_through_at + 72 * 3600)])
  // The event arrives after all.
  await sim('POST', `/subscriptions/${member.subscription}/advance`, { outcome: 'renew' })
  await until(async () => (await subscriptionRow(member.id)).error === null)
})

test('A membership that the provider shows to be unpaid ends, and comes back when it is paid', async () => {
  const member = await joined(club)
  await sim('POST', `/subscriptions/${member.subscription}/advance`, { outcome: 'decline' })
  await until(async () => (await subscriptionRow(member.id)).billing_status === 'past_due')
  await database().query('update subscriptions set paid_through_at = $2 where id = $1', [member.id, now() - 80 * 3600])
  await setMember(member.member_id, { paid_through_at: now() - 80 * 3600, access_until: now() - 8 * 3600 })
  await until(async () => {
    await endMemberships(orm, now())
    return (await memberRow(member.member_id)).status === 'expired'
  }, 20_000)
  expect(await subscriptionRow(member.id)).toMatchObject({ status: 'live' })
  await sim('POST', `/subscriptions/${member.subscription}/advance`, { outcome: 'recover' })
  await until(async () => (await memberRow(member.member_id)).status === 'active')
})

test('Access is what the rule says, to the second, for any subscription, without the sweep', async () => {
  const at = now()
  const around = fc.integer({ min: -80 * 3600, max: 80 * 3600 })
  const facts = fc.record({
    paid: around,
    ending: fc.boolean(),
    grace: fc.constantFrom(0, 1, 72),
    clock: fc.oneof(fc.constantFrom(-1, 0, 1), around),
  })
  const member = await beginRows(club)
  const tenant = club.shop.store_id
  await fc.assert(
    fc.asyncProperty(facts, async ({ paid, ending, grace, clock }) => {
      await database().query(`update tenants set settings = settings || jsonb_build_object('membership_grace_hours', $2::int) where id = $1`, [tenant, grace])
      const row = { status: 'active' as const, paid_through_at: at + paid, cancel_at: ending ? at + paid : null }
      await database().query(`update subscriptions set status = 'live', hold_until = null, paid_through_at = $2, cancel_at = $3 where id = $1`, [
        ...[member.id, row.paid_through_at, row.cancel_at],
      ])
      await setMember(member.member_id, { status: 'active', pending_since: null, joined_at: 5, ended_at: null, paid_through_at: null, access_until: null })
      await unitOf(orm, null).transactional((em) => followMembers(em, tenant, [member.member_id], at))
      const access_until = accessUntil(row, grace)
      expect(await memberRow(member.member_id)).toMatchObject({ ...row, access_until })
      const clockAt = (access_until ?? 0) + clock
      const [found]: { has: boolean }[] = await unitOf(orm, null).execute(
        sql`select ${accessSql('m', clockAt)} as has from audience_members m where m.tenant_id = ${tenant} and m.id = ${member.member_id}`,
      )
      expect(found?.has).toBe(hasAccess({ status: 'active', access_until }, clockAt))
    }),
    { numRuns: 60 },
  )
  await database().query(`update tenants set settings = settings - 'membership_grace_hours' where id = $1`, [tenant])
})

test('No event of a subscription that was removed at once brings its member back', async () => {
  const member = await joined(club)
  await remove(member, '?now=true')
  await until(async () => (await subscriptionRow(member.id)).status === 'ended')
  const events = (await eventsOf(club.account)).filter(({ event }) => JSON.stringify(event.data.object).includes(member.subscription))
  expect(events.length).toBeGreaterThan(3)
  await database().query('delete from provider_events where id = any ($1)', [events.map(({ id }) => id)])
  await sim('POST', '/events/deliver', { ids: events.map(({ id }) => id), order: 'shuffle' })
  expect(await memberRow(member.member_id)).toMatchObject({ status: 'removed' })
  expect(await paymentRows(member.id)).toMatchObject([{ captured_amount: amount }])
})
