// Every published event has the documented shape, to the last field.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { remind } from '../../entities/bookings/reminders.ts'
import { lookAtConnection } from '../../entities/connections/connections.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { endPublication } from '../../entities/publications/reveals.ts'
import { SocialPublication } from '../../entities/publications/social-publication.ts'
import { serialize } from '../../rules/serialize.ts'
import { eventShapes } from '../../rules/webhooks/event-shapes.ts'
import { eventTypes, type StoreEventType } from '../../rules/webhooks/events.ts'
import { bookable, bookingsOf } from '../kit/bookings/booking.ts'
import { webhook } from '../kit/bookings/booking-reminders.ts'
import { until } from '../kit/codes.ts'
import { collection, entry, made } from '../kit/content/content.ts'
import { buyer, card, cash, checkOut, connected, order, pay, product, update } from '../kit/orders/buying.ts'
import { database, newShop, operator, type Shop, unique } from '../kit/shop.ts'
import { created } from '../kit/social/publications.ts'
import { connect } from '../kit/social/social.ts'

jest.setTimeout(60_000)

/** Those of audiences: test/audiences/contact-moves.test.ts. */
const published = eventTypes.filter((type) => !type.startsWith('audience.'))

type Row = { id: string; type: StoreEventType; created_at: string; store_id: string; data: unknown }
let shop: Shop
let orm: Orm
const events = async (): Promise<Row[]> =>
  (
    await database().query(
      'select id, type, created_at, tenant_id as store_id, data from events where tenant_id = $1 order by id',
      [shop.store_id],
    )
  ).rows

beforeAll(async () => {
  shop = await newShop()
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })
  await connected(shop)
  await webhook(shop.store_id, [...eventTypes])
})
afterAll(async () => {
  await orm?.close(true)
  await database().end()
})

async function content(): Promise<void> {
  const posts = await collection(shop, [{ key: 'title', type: 'text' }])
  const post = await entry(shop, posts.id, {
    slug: { en: unique() },
    blocks: [{ key: 'title', type: 'text', value: 'Hello' }],
  })
  await made(shop.asOperator('PUT', `/entries/${post.id}`, { status: 'draft' }))
  await made(
    shop.asOperator('PUT', `/collections/${posts.id}`, {
      schema: [{ key: 'title', type: 'text', required: true, properties: { max: 3 } }],
    }),
  )
  await made(shop.asOperator('DELETE', `/entries/${post.id}`))
  await entry(shop, posts.id, { blocks: [{ key: 'title', type: 'text', value: 'Bye' }] })
  await made(shop.asOperator('DELETE', `/collections/${posts.id}`))
  const form = await made(shop.asOperator('POST', '/forms', { key: unique(), schema: [{ key: 'name', type: 'text' }] }))
  await made(shop.asOperator('POST', `/forms/${form.id}/submissions`, { fields: [{ key: 'name', value: 'Ann' }] }))
}

async function orders(): Promise<void> {
  const tea = await product(shop, { stock: 10 })
  await made(
    shop.asOperator('PUT', `/products/${tea.id}`, {
      variants: [{ sku: 'a', weight: 3, prices: [{ market: 'us', amount: 5 }], attributes: [{ size: 'xl' }] }],
    }),
  )
  const coffee = await product(shop, { stock: 10 })
  const paid = await order(shop, [coffee.item()], card)
  await pay(paid.session)
  const cut = await bookable(shop)
  const [slot] = await cut.free()
  const { visitor, cart } = await buyer(shop, [coffee.item()], {
    booking_items: [cut.item(slot as never)],
    shipping_address: { name: 'Ann', country: 'US', street1: 'Main Street 1' },
    forms: [{ key: 'notes', entries: [{ key: 'text', value: 'ring twice' }] }],
  })
  const { order_id } = (await made(checkOut(visitor, cart, cash))) as unknown as { order_id: string }
  await update(shop, order_id, { confirm: true })
  const [booked] = await bookingsOf(shop, order_id)
  const almost = (slot as unknown as { from: number }).from - 60
  await unitOf(orm, shop.store_id).transactional((em) => remind(em, booked.id as string, almost))
  await update(shop, order_id, { cancel: true })
  await made(shop.asOperator('DELETE', `/products/${tea.id}`))
}

async function team(): Promise<void> {
  const { email, account_id } = await operator()
  await made(shop.asOperator('PUT', `/v1/stores/${shop.store_id}`, { settings: { name: 'Tea & Co' } }))
  await made(shop.asOperator('POST', '/members', { email }))
  await made(shop.asOperator('POST', '/members', { email, role: 'owner' }))
  await made(shop.asOperator('DELETE', `/members/${account_id}`))
}

async function networks(): Promise<void> {
  const id = await connect(shop, 'network_a_page', unique())
  const { rows } = await database().query(
    'update social_connections set reconnect_by = refreshed_at + 6 * 86400 where id = $1 returning reconnect_by',
    [id],
  )
  const ends = Number(rows[0].reconnect_by)
  const on = await connect(shop, 'network_d_account', unique())
  for (const ended of [
    { status: 'published' },
    { status: 'failed', error: { code: 'too_late', message: 'Late.' } },
    { status: 'unknown' },
  ] as const) {
    const publication = await created(shop, on, { type: 'network_d_account', caption: 'Hello' })
    await unitOf(orm, shop.store_id).transactional(async (em) =>
      endPublication(
        em,
        await em.findOneOrFail(SocialPublication, { id: publication.id }),
        { published_at: 1, ...ended },
        ends,
      ),
    )
  }
  for (const now of [ends - 60, ends])
    await unitOf(orm, shop.store_id).transactional((em) => lookAtConnection(em, id, now, async () => {}))
}

test('Every published event type has data of its declared shape', async () => {
  await Promise.all([content(), orders(), team(), networks()])
  const seen = await until(async () => {
    const rows = await events()
    return published.every((type) => rows.some((row) => row.type === type)) && rows
  }, 20_000).catch(events)
  expect([...new Set(seen.map(({ type }) => type))].sort()).toEqual([...published].sort())
  for (const row of seen) {
    const event = { ...row, created_at: Number(row.created_at) }
    expect([row.type, eventShapes[row.type].safeParse(event).error?.issues]).toEqual([row.type, undefined])
    // Fields that the shape does not declare would be dropped here.
    expect(serialize(eventShapes[row.type], event)).toEqual(event)
  }
})
