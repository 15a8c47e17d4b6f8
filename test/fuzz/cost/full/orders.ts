// Carts and orders as large as they may be, to their end.
import type { Sold } from './catalog.ts'
import { type Maker, many } from './maker.ts'
import type { Calendar } from './scheduling.ts'

export async function fillOrders(
  { asOperator, asVisitor }: Maker,
  sold: readonly Sold[],
  calendar: Calendar,
  promoCode: string,
): Promise<void> {
  const { service_id, providers, slotsOf } = calendar
  const forms = many(100, (nth) => ({
    key: `f${nth}`,
    entries: many(100, (n) => ({ key: `e${n}`, value: 'v'.repeat(20) })),
  }))
  const address = { country: 'US', state: 'nowhere', postal_code: '39999', city: 'c'.repeat(200) }
  const items = sold.map((one) => ({ ...one, quantity: 3 }))
  const booking_items = [
    ...many(5, (day) => ({ service_id, provider_id: providers[0], slots: slotsOf(day) })),
    ...many(5, (day) => ({ service_id, provider_id: providers[1], slots: slotsOf(day) })),
  ]
  const fillings: [string, Record<string, unknown>][] = [
    [
      'goods',
      {
        product_items: items,
        booking_items: [],
        forms,
        promo_code: promoCode,
        billing_address: address,
        shipping_address: { ...address, postal_code: '1' },
      },
    ],
    [
      'goods for no state',
      {
        market: 'eu',
        product_items: items.slice(0, 1),
        booking_items: [],
        billing_address: { country: 'GB', state: 'nowhere' },
        promo_code: null,
      },
    ],
    ['time', { product_items: [], booking_items, promo_code: null }],
    ['both', { product_items: items, booking_items, promo_code: promoCode }],
  ]
  for (const [what, filling] of fillings) {
    const cart = await asVisitor('the cart', 'POST', '/carts/current', () => ({}))
    await asVisitor(`a cart full of ${what}`, 'PUT', `/carts/${cart.id}`, () => ({
      market: 'us',
      billing_address: address,
      shipping_address: address,
      ...filling,
    }))
    await asVisitor(`a quote for a cart full of ${what}`, 'POST', `/carts/${cart.id}/quote`, () => ({}))
    const done = await asVisitor(`a checkout of a cart full of ${what}`, 'POST', `/carts/${cart.id}/checkout`, () => ({
      payment_method_key: 'cash',
    }))
    if (!done?.order_id) continue
    const at = `/orders/${done.order_id}`
    const version = async () => (await asOperator('an order', 'GET', at)).version
    for (const part of ['/products', '/digital-products', '/bookings'])
      await asOperator(`an order's ${part}`, 'GET', `${at}${part}`)
    let now = await version()
    await asOperator('an order with all items replaced', 'PUT', at, (attempt) => ({
      version: now + attempt,
      ...(what === 'time' ? {} : { product_items: items.map((one) => ({ ...one, quantity: 2 + (attempt % 2) })) }),
      ...(what === 'goods' ? {} : { booking_items: booking_items.toReversed() }),
    }))
    now = await version()
    await asOperator('an order confirmed', 'PUT', at, () => ({ version: now, confirm: true }))
    const lines = (await asOperator("an order's /products", 'GET', `${at}/products`)) as { id: string }[]
    if (lines.length > 0)
      await asOperator('a shipment of all lines', 'POST', `${at}/shipments`, () => ({
        items: lines.map(({ id }) => ({ line_id: id, quantity: 1 })),
      }))
    now = await version()
    if (what === 'time') await asOperator('an order cancelled', 'PUT', at, () => ({ version: now, cancel: true }))
  }
}
