// Merging contacts and signing in keep every subscription, its payments and its paid time, also while events arrive.
import { beforeAll, expect, test } from '@jest/globals'
import { newContact } from '../kit/audiences/audiences.ts'
import {
  begin,
  beginRows,
  type Club,
  clubShop,
  insertRow,
  joined,
  memberRow,
  paymentRows,
  payPage,
  subscriptionRow,
} from '../kit/audiences/subscribing.ts'
import { promoCode } from '../kit/bookings/booking.ts'
import { prove } from '../kit/codes.ts'
import { sim, until } from '../kit/orders/buying.ts'
import { type Answer, api, database, eitherApi, secondApi } from '../kit/shop.ts'

let club: Club
beforeAll(async () => {
  club = await clubShop()
})

const codeOf = ({ status, body }: Answer) => [status, body.code]
const merge = (source: string, target: string, base?: string) =>
  club.shop.asOperator('POST', `/contacts/${target}/merge`, { source_contact_id: source }, base)
/** A membership without a subscription. */
const plainMember = (contact_id: string, status: 'active' | 'expired') =>
  insertRow('audience_members', {
    ...{
      tenant_id: club.shop.store_id,
      audience_id: club.audience_id,
      contact_id,
      status,
      source: 'operator',
      fields: '{}',
      joined_at: 5,
    },
    ended_at: status === 'active' ? null : 6,
  })

test('Contacts who are both subscribed to an audience are not merged, and nothing is moved', async () => {
  const [one, other, pending] = [await joined(club), await joined(club), await beginRows(club)]
  const state = async () =>
    (
      await database().query(
        'select id, member_id, status, paid_through_at from subscriptions where id = any ($1) order by id',
        [[one.id, other.id, pending.id]],
      )
    ).rows
  const before = await state()
  for (const [source, target] of [
    [one, other],
    [other, one],
    [pending, one],
    [one, pending],
  ] as const) {
    const refused = await merge(source.contact_id, target.contact_id)
    expect(codeOf(refused)).toEqual([409, 'both_subscribed'])
    expect(refused.body.errors[0].detail).toContain(source.member_id)
    expect(refused.body.errors[0].detail).toContain(target.member_id)
  }
  expect(await state()).toEqual(before)
  for (const { contact_id } of [one, other, pending])
    expect((await database().query('select 1 from contacts where id = $1', [contact_id])).rows).toHaveLength(1)
})

test('A merge moves the subscription of the source to the membership that stays', async () => {
  for (const status of ['active', 'expired'] as const) {
    const source = await joined(club)
    const target = await newContact(club.shop)
    const theirs = await plainMember(target.id, status)
    expect((await merge(source.contact_id, target.id)).status).toBe(200)
    expect((await merge(source.contact_id, target.id)).status).toBe(200)
    const { member_id, paid_through_at } = await subscriptionRow(source.id)
    expect(await memberRow(member_id)).toMatchObject({
      contact_id: target.id,
      status: 'active',
      paid_through_at,
      price_id: club.price_id,
    })
    expect([source.member_id, theirs]).toContain(member_id)
    // Who paid does not change.
    expect(await paymentRows(source.id)).toMatchObject([{ payer_contact_id: source.contact_id }])
    await sim('POST', `/subscriptions/${source.subscription}/advance`, { outcome: 'renew' })
    await until(async () => (await memberRow(member_id)).paid_through_at > paid_through_at)
  }
})

test('A merge with an ended subscription keeps the greater paid time', async () => {
  const [source, target] = [await joined(club), await joined(club)]
  await sim('POST', `/subscriptions/${target.subscription}/cancel`, { mode: 'now' })
  await until(async () => (await subscriptionRow(target.id)).status === 'ended')
  await database().query('update subscriptions set paid_through_at = paid_through_at + 999 where id = $1', [target.id])
  expect((await merge(source.contact_id, target.contact_id)).status).toBe(200)
  const [one, other] = [await subscriptionRow(source.id), await subscriptionRow(target.id)]
  expect(one.member_id).toBe(other.member_id)
  expect(await memberRow(one.member_id)).toMatchObject({
    status: 'active',
    paid_through_at: other.paid_through_at,
    billing_status: 'active',
  })
})

test('A subscription gives time after a merge with a later one that was removed at once', async () => {
  const target = await joined(club)
  const source = await joined(club)
  await database().query('update subscriptions set created_at = created_at - 60 where id = $1', [target.id])
  const path = `/audiences/${club.audience_id}/members/${source.member_id}?now=true`
  expect((await club.shop.asOperator('DELETE', path)).body).toEqual({ type: 'removed' })
  await until(async () => (await subscriptionRow(source.id)).status === 'ended')
  expect((await merge(source.contact_id, target.contact_id)).status).toBe(200)
  const { access_until } = await memberRow(target.member_id)
  await sim('POST', `/subscriptions/${target.subscription}/advance`, { outcome: 'renew' })
  await until(async () => (await paymentRows(target.id)).length === 2)
  expect((await memberRow(target.member_id)).access_until).toBeGreaterThan(access_until)
})

test('A new grace counts for members who are not ending, and not for time that a removal took', async () => {
  const own = await clubShop()
  const { shop } = own
  const [target, source, ending] = [await joined(own), await joined(own), await joined(own)]
  await sim('POST', `/subscriptions/${source.subscription}/advance`, {})
  await until(async () => (await paymentRows(source.id)).length === 2)
  await shop.asOperator('DELETE', `/audiences/${own.audience_id}/members/${source.member_id}?now=true`)
  await sim('POST', `/subscriptions/${ending.subscription}/cancel`, {})
  await until(
    async () => (await subscriptionRow(source.id)).status === 'ended' && (await memberRow(ending.member_id)).cancel_at,
  )
  expect(
    (await shop.asOperator('POST', `/contacts/${target.contact_id}/merge`, { source_contact_id: source.contact_id }))
      .status,
  ).toBe(200)
  const grace = (hours: number) => shop.asOperator('PUT', '', { settings: { membership_grace_hours: hours } })
  expect((await grace(721)).status).toBe(422)
  expect((await grace(24)).status).toBe(200)
  const [{ paid_through_at }, member] = [await subscriptionRow(target.id), await memberRow(target.member_id)]
  expect(member.paid_through_at).toBeGreaterThan(paid_through_at)
  expect(member.access_until).toBe(paid_through_at + 24 * 3600)
  const { paid_through_at: paid, access_until } = await memberRow(ending.member_id)
  expect(access_until).toBe(paid)
})

test('Signing in leaves a second subscription with the contact before, and does not fail', async () => {
  const owner = await newContact(club.shop)
  const theirs = await joined(club, { contact_id: owner.id })
  const visitor = await club.shop.visitor()
  const anonymous = await joined(club, { contact_id: visitor.contact_id })
  await prove(visitor, owner.email)
  expect(await memberRow(anonymous.member_id)).toMatchObject({ contact_id: visitor.contact_id, status: 'active' })
  expect(await memberRow(theirs.member_id)).toMatchObject({ contact_id: owner.id, status: 'active' })
})

test('A use of a promo code stays with the subscription that used it, and moves with it', async () => {
  const { id } = await promoCode(club.shop)
  const owner = await newContact(club.shop)
  await joined(club, { contact_id: owner.id })
  const [visitor, moving] = [await club.shop.visitor(), await newContact(club.shop)]
  const [stays, moves] = [
    await joined(club, { contact_id: visitor.contact_id }),
    await joined(club, { contact_id: moving.id }),
  ]
  for (const { id: subscription_id, contact_id } of [stays, moves])
    await insertRow('promo_redemptions', {
      tenant_id: club.shop.store_id,
      promo_code_id: id,
      subscription_id,
      contact_id,
    })
  await prove(visitor, owner.email)
  const target = await newContact(club.shop)
  expect((await merge(moving.id, target.id)).status).toBe(200)
  const { rows } = await database().query(
    'select subscription_id, contact_id from promo_redemptions where promo_code_id = $1 order by id',
    [id],
  )
  expect(rows).toEqual([
    { subscription_id: stays.id, contact_id: visitor.contact_id },
    { subscription_id: moves.id, contact_id: target.id },
  ])
})

test('Merges beside the events of a page that is paid lose no payment and no time', async () => {
  await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const source = await begin(club)
      const target = await newContact(club.shop)
      if (n % 2 === 0) await plainMember(target.id, 'expired')
      const [merged] = await Promise.all([
        merge(source.contact_id, target.id, eitherApi()),
        payPage(source, { period_s: 40 * 86_400 }),
        merge(source.contact_id, target.id, n % 2 === 0 ? api() : secondApi()),
      ])
      expect(merged.status).toBe(200)
      await until(
        async () =>
          (await subscriptionRow(source.id)).billing_status === 'active' &&
          (await subscriptionRow(source.id)).paid_through_at !== null,
        20_000,
      )
      const row = await subscriptionRow(source.id)
      expect(await memberRow(row.member_id)).toMatchObject({
        contact_id: target.id,
        status: 'active',
        paid_through_at: row.paid_through_at,
      })
      expect(await paymentRows(source.id)).toMatchObject([{ status: 'paid', payer_contact_id: source.contact_id }])
    }),
  )
})
