// Members with access get the discounts of their audience in carts, and are found in the lists of a store.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newAudience, newContact, setMember } from '../kit/audiences/audiences.ts'
import { promoCode } from '../kit/bookings/booking.ts'
import { recordStatements } from '../kit/database/statements.ts'
import { type Buyer, buyer, cartOf, cash, checkOut, product, type Sold, update } from '../kit/orders/buying.ts'
import { database, newShop, type Shop, type Visitor } from '../kit/shop.ts'

let shop: Shop
let tea: Sold
let own: Awaited<ReturnType<typeof recordStatements>>
const now = () => Math.floor(Date.now() / 1000)
beforeAll(async () => {
  ;[shop, own] = await Promise.all([newShop(), recordStatements()])
  tea = await product(shop)
})
afterAll(() => own.close())

const half = (audience_id: string, more: object = {}) =>
  promoCode(shop, { discounts: [{ type: 'audience_percentage', audience_id, bps: 5000, ...more }] })
const quote = (visitor: Visitor, cart: { id: string }, base?: string) =>
  visitor.call('POST', `/carts/${cart.id}/quote`, {}, base)
/** A member of the audience with a cart of two and the code. */
async function member(audience: string, code: string): Promise<Buyer & { member_id: string }> {
  const visitor = await shop.visitor()
  const { body } = await visitor.call('POST', `/audiences/${audience}/subscribe`, {})
  return { visitor, cart: await cartOf(visitor, [tea.item(2)], { promo_code: code }), member_id: body.member.id }
}
const discountOf = async ({ visitor, cart }: Buyer) => {
  const { status, body } = await quote(visitor, cart)
  return status === 200 ? body.money.discount : body.code
}

test('A code for an audience takes its percentage off the carts of members with access only', async () => {
  const { id } = await newAudience(shop)
  const { code } = await half(id)
  const one = await member(id, code)
  expect(await discountOf(one)).toBe(1000)
  expect(await discountOf(await buyer(shop, [tea.item(2)], { promo_code: code }))).toBe('promo_code_not_applicable')
  for (const [values, expected] of [
    [{ paid_through_at: now() - 100, access_until: now() + 60 }, 1000],
    [{ access_until: now() - 1 }, 'promo_code_not_applicable'],
    [{ paid_through_at: null, access_until: null, status: 'removed', ended_at: 1 }, 'promo_code_not_applicable'],
  ] as const) {
    await setMember(one.member_id, values)
    expect(await discountOf(one)).toBe(expected)
  }
})

test('A code that applies to memberships alone gives nothing in a cart', async () => {
  const { id } = await newAudience(shop)
  expect(await discountOf(await member(id, (await half(id, { applies_to: 'membership' })).code))).toBe(
    'promo_code_not_applicable',
  )
  expect(await discountOf(await member(id, (await half(id, { applies_to: 'items' })).code))).toBe(1000)
})

test('Quote and checkout take as many statements with a code for members as with any other', async () => {
  const { id } = await newAudience(shop)
  const counts = async (code: string) => {
    const { visitor, cart } = await member(id, code)
    const quoted = await own.said((base) => quote(visitor, cart, base))
    const ordered = await own.said((base) => checkOut(visitor, cart, cash, base))
    return [quoted.length, ordered.length]
  }
  expect(await counts((await half(id)).code)).toEqual(await counts((await promoCode(shop)).code))
})

test('An order keeps the discount of its code when the membership has ended', async () => {
  const { id } = await newAudience(shop)
  const one = await member(id, (await half(id)).code)
  const { order_id } = (await checkOut(one.visitor, one.cart, cash)).body
  await database().query(
    "update audience_members set status = 'expired', ended_at = $2, access_until = $2, paid_through_at = $2 where id = $1",
    [one.member_id, now() + 5],
  )
  const changed = await update(shop, order_id, { product_items: [tea.item(4)] })
  expect([changed.status, changed.body.money.discount]).toEqual([200, 2000])
})

test('Orders are filtered by the audience of their contact, to members with access', async () => {
  const { id } = await newAudience(shop)
  const one = await member(id, (await half(id)).code)
  const { order_id } = (await checkOut(one.visitor, one.cart, cash)).body
  await shop.asOperator('POST', `/audiences/${id}/members`, { contact_id: (await newContact(shop)).id })
  const found = async () =>
    (await shop.asOperator('GET', `/orders?audience_id=${id}`)).body.items.map((order: { id: string }) => order.id)
  expect(await found()).toEqual([order_id])
  await setMember(one.member_id, { paid_through_at: 5, access_until: 5 })
  expect(await found()).toEqual([])
})
