// The storefront's cart: read, changed field by field, quoted. Nothing here waits or leaves the building.

import { z } from 'zod'
import { currentCart, type FullCart, findCart, unknownOf, writeCart } from '../../entities/orders/carts.ts'
import { priceCart } from '../../entities/orders/pricing.ts'
import { Key } from '../../rules/identities.ts'
import { conflict, type Fault, invalidInput, notFound, type Refusal } from '../../rules/refusal.ts'
import { Address, BookingItem, FormEntry, Id, OrderQuote, ProductItem, Quantity } from '../../rules/shapes.ts'
import { route } from '../kit/route.ts'

export const Cart = z
  .object({
    id: z.string(),
    contact_id: z.string(),
    status: z.enum(['open', 'ordered']),
    market: z.string(),
    product_items: z.array(ProductItem),
    booking_items: z.array(BookingItem),
    shipping_address: Address.nullable(),
    billing_address: Address.nullable(),
    forms: z.array(FormEntry),
    payment_method_key: z.string().nullable(),
    shipping_method_id: z.string().nullable(),
    pickup_location_id: z.string().nullable(),
    promo_code: z.string().nullable(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'Cart' })

const slotsMax = 500
/** Every slot is time of its own in somebody's calendar, so there are not as many as of goods. */
export const BookingItems = z
  .array(BookingItem)
  .max(100)
  .refine((items) => items.reduce((sum, { slots }) => sum + slots.length, 0) <= slotsMax, `at most ${slotsMax} slots`)

const body = z.object({
  market: Key.optional(),
  product_items: z.array(ProductItem).max(500).nullable().optional(),
  shipping_address: Address.nullable().optional(),
  billing_address: Address.nullable().optional(),
  forms: z.array(FormEntry).max(100).nullable().optional(),
  payment_method_key: Key.nullable().optional(),
  shipping_method_id: z.string().max(255).nullable().optional(),
  pickup_location_id: Id.nullable().optional(),
  promo_code: z.string().trim().max(64).nullable().optional().describe('looked at when the cart is quoted'),
  booking_items: BookingItems.nullable().optional(),
})

type Write = z.output<typeof body>

/** Lines of the same variant are one line, and so is their limit. */
export function overfull(items: readonly ProductItem[]): Fault[] {
  const sums = new Map<string, number>()
  return items.flatMap(({ variant_id, quantity }, at) => {
    const sum = (sums.get(variant_id) ?? 0) + quantity
    sums.set(variant_id, sum)
    return Quantity.safeParse(sum).success
      ? []
      : [{ pointer: `/product_items/${at}/quantity`, code: 'too_big', detail: 'Together the lines of this variant are more than a cart holds.' }]
  })
}

/** A cart refers only to what the store has; each fault has its place. */
async function check(em: Parameters<typeof unknownOf>[0], tenantId: string, changes: Write): Promise<void> {
  const items = changes.product_items ?? []
  const bookings = changes.booking_items ?? []
  if (items.length === 0 && bookings.length === 0 && changes.market === undefined && !changes.pickup_location_id) return
  const known = await unknownOf(em, tenantId, {
    variants: items.map(({ variant_id }) => variant_id),
    bookings,
    market: changes.market ?? null,
    pickup: changes.pickup_location_id ?? null,
  })
  const faults = items.flatMap(({ product_id, variant_id }, at) =>
    known.variants.has(`${product_id}/${variant_id}`)
      ? []
      : [{ pointer: `/product_items/${at}/variant_id`, code: 'variant_unknown', detail: 'There is no such variant of this product.' }],
  )
  faults.push(...overfull(items))
  bookings.forEach(({ service_id, provider_id }, at) => {
    if (!known.links.has(`${service_id}/${provider_id}`))
      faults.push({ pointer: `/booking_items/${at}/provider_id`, code: 'link_unknown', detail: 'This provider does not do this service.' })
  })
  if (changes.market !== undefined && !known.market) faults.push({ pointer: '/market', code: 'market_unknown', detail: 'The store has no such market.' })
  if (changes.pickup_location_id && !known.pickup)
    faults.push({ pointer: '/pickup_location_id', code: 'pickup_location_unknown', detail: 'This is no pickup location of the store.' })
  if (faults.length > 0) throw invalidInput(faults)
}

const lists = ['product_items', 'booking_items', 'forms'] as const

const notOpen = (cart: FullCart | null): Refusal => (cart ? conflict('cart_ordered', 'The cart was checked out.') : notFound('cart'))

export const carts = [
  route('POST /v1/storefront/carts/current', {
    operation: 'getCurrentCart',
    may: 'visitor',
    contact: 'created',
    summary: "The visitor's current cart, made if there is none",
    body: z.object({}),
    out: Cart,
    async run({ em, tenant_id, caller, now }) {
      const cart = await currentCart(em, tenant_id, caller.contact_id, now)
      if (!cart) throw conflict('no_market', 'The store has no market to sell in.')
      return cart as never
    },
  }),
  route('GET /v1/storefront/carts/{id}', {
    operation: 'getCart',
    may: 'visitor',
    summary: 'Read a cart',
    out: Cart,
    async run({ em, tenant_id, caller, path }) {
      const cart = await findCart(em, tenant_id, caller.contact_id, path.id)
      if (!cart) throw notFound('cart')
      return cart as never
    },
  }),
  route('PUT /v1/storefront/carts/{id}', {
    operation: 'updateCart',
    may: 'visitor',
    summary: 'Change a cart: the fields sent are replaced, null clears',
    body,
    out: Cart,
    async run({ em, tenant_id, caller, path, body, now }) {
      await check(em, tenant_id, body)
      const changes = Object.fromEntries(
        Object.entries(body).map(([name, value]) => [name, value === null && lists.some((list) => list === name) ? [] : value === '' ? null : value]),
      )
      const cart = await writeCart(em, { tenant_id, contact_id: caller.contact_id, id: path.id }, changes, now)
      if (!cart) throw notOpen(await findCart(em, tenant_id, caller.contact_id, path.id))
      return cart as never
    },
  }),
  route('POST /v1/storefront/carts/{id}/quote', {
    operation: 'quoteCart',
    may: 'visitor',
    summary: 'What the cart costs now',
    reads: true,
    body: z.object({}),
    out: OrderQuote,
    async run({ em, tenant_id, caller, path, now }) {
      const cart = await findCart(em, tenant_id, caller.contact_id, path.id)
      if (cart?.status !== 'open') throw notOpen(cart)
      const { quote } = await priceCart(em, cart, { for_checkout: false, now })
      return quote
    },
  }),
]
