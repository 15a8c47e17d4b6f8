// The storefront's cart: read, updated field by field, and quoted. No effects.
import { z } from 'zod'
import { type CartRow, currentCart, findCart, referencedBy, writeCart } from '../../entities/carts/carts.ts'
import { priceCart } from '../../entities/carts/pricing.ts'
import { CartStatus } from '../../rules/carts/carts.ts'
import { BookingItem, ProductItem, Quantity } from '../../rules/carts/items.ts'
import { OrderQuote } from '../../rules/carts/quote.ts'
import { FormEntry } from '../../rules/content/form-entries.ts'
import { Key } from '../../rules/input/identities.ts'
import { ComparedText } from '../../rules/input/texts.ts'
import { conflict, type Fault, invalidInput, notFound, type Refusal } from '../../rules/refusal.ts'
import { CreatedAt, Id, UpdatedAt } from '../../rules/shapes.ts'
import { Address } from '../../rules/stores/addresses.ts'
import { formerVisitor } from '../kit/caller.ts'
import { route } from '../kit/route.ts'
import { pricingProblems } from './pricing-problems.ts'

export const Cart = z
  .object({
    id: z.string().describe('Identifier of the cart, a UUIDv7 made by the server.'),
    contact_id: z.string().describe('Identifier of the contact whose cart it is.'),
    status: CartStatus.describe('`open` carts can be changed and checked out; `ordered` ones were checked out.'),
    market: z.string().describe('Key of the market whose prices, currency and taxes apply.'),
    product_items: z.array(ProductItem).describe('Products in the cart.'),
    booking_items: z.array(BookingItem).describe('Bookings in the cart.'),
    shipping_address: Address.nullable().describe('Where the goods are shipped; null until it is set.'),
    billing_address: Address.nullable().describe('Address of the invoice; null until it is set.'),
    forms: z.array(FormEntry).describe('Form values that are copied to the order.'),
    payment_method_key: z
      .string()
      .nullable()
      .describe("Key of the market's payment method to pay with; null until one is chosen."),
    shipping_method_id: z
      .string()
      .nullable()
      .describe('Id of the chosen shipping method of the zone; null until one is chosen.'),
    pickup_location_id: z
      .string()
      .nullable()
      .describe('Identifier of the location where the goods are picked up instead of shipped; null for none.'),
    promo_code: z
      .string()
      .nullable()
      .describe('Promo code as it was entered; null for none. It is checked when the cart is quoted.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Cart' })

const slotsMax = 500
/** Each slot is checked against a calendar of its own, so the limits are lower than those of products. */
export const BookingItems = z
  .array(BookingItem)
  .max(100)
  .refine(
    (items) => items.reduce((sum, { slots }) => sum + slots.length, 0) <= slotsMax,
    `Expected at most ${slotsMax} slots.`,
  )

const body = z.object({
  market: Key.optional().describe('Key of the market whose prices, currency and taxes apply.'),
  product_items: z
    .array(ProductItem)
    .max(500)
    .nullable()
    .optional()
    .describe('Replaces the products, 500 lines at most; null removes all.'),
  shipping_address: Address.nullable().optional().describe('Where the goods are shipped; null removes it.'),
  billing_address: Address.nullable().optional().describe('Address of the invoice; null removes it.'),
  forms: z
    .array(FormEntry)
    .max(100)
    .nullable()
    .optional()
    .describe('Replaces the form values that are copied to the order; null removes all.'),
  payment_method_key: Key.nullable()
    .optional()
    .describe("Key of one of the market's payment methods; null removes it."),
  shipping_method_id: ComparedText.max(255)
    .nullable()
    .optional()
    .describe('Id of a shipping method of the zone; null removes it.'),
  pickup_location_id: Id.nullable()
    .optional()
    .describe('Identifier of a pickup location, used instead of shipping; null removes it.'),
  promo_code: ComparedText.trim()
    .max(64)
    .nullable()
    .optional()
    .describe('Promo code, 64 characters at most; null removes it. It is checked when the cart is quoted.'),
  booking_items: BookingItems.nullable().optional().describe('Replaces the bookings; null removes all.'),
})

type Write = z.output<typeof body>

/** Errors of lines whose variant exceeds the limit of one line: lines of the same variant are added up. */
export function quantityFaults(items: readonly ProductItem[]): Fault[] {
  const sums = new Map<string, number>()
  return items.flatMap(({ variant_id, quantity }, at) => {
    const sum = (sums.get(variant_id) ?? 0) + quantity
    sums.set(variant_id, sum)
    return Quantity.safeParse(sum).success
      ? []
      : [
          {
            pointer: `/product_items/${at}/quantity`,
            code: 'too_big',
            detail: 'The lines of this variant exceed 1,000,000 units together.',
          },
        ]
  })
}

/** 422 with every item, market or pickup location of the changes that the store does not have. */
async function check(em: Parameters<typeof referencedBy>[0], tenantId: string, changes: Write): Promise<void> {
  const items = changes.product_items ?? []
  const bookings = changes.booking_items ?? []
  if (items.length === 0 && bookings.length === 0 && changes.market === undefined && !changes.pickup_location_id) return
  const found = await referencedBy(em, tenantId, {
    variants: items.map(({ variant_id }) => variant_id),
    bookings,
    market: changes.market ?? null,
    pickup: changes.pickup_location_id ?? null,
  })
  const faults = items.flatMap(({ product_id, variant_id }, at) =>
    found.variants.has(`${product_id}/${variant_id}`)
      ? []
      : [
          {
            pointer: `/product_items/${at}/variant_id`,
            code: 'variant_unknown',
            detail: 'The product has no such variant.',
          },
        ],
  )
  faults.push(...quantityFaults(items))
  bookings.forEach(({ service_id, provider_id }, at) => {
    if (!found.links.has(`${service_id}/${provider_id}`))
      faults.push({
        pointer: `/booking_items/${at}/provider_id`,
        code: 'link_unknown',
        detail: 'The provider does not offer the service.',
      })
  })
  if (changes.market !== undefined && !found.market)
    faults.push({ pointer: '/market', code: 'market_unknown', detail: 'The {store} has no such market.' })
  if (changes.pickup_location_id && !found.pickup)
    faults.push({
      pointer: '/pickup_location_id',
      code: 'pickup_location_unknown',
      detail: 'The {store} has no such pickup location.',
    })
  if (faults.length > 0) throw invalidInput(faults)
}

const lists = ['product_items', 'booking_items', 'forms'] as const

const notOpen = (cart: CartRow | null): Refusal =>
  cart ? conflict('cart_ordered', 'The cart was checked out and cannot be changed.') : notFound('cart')

export const carts = [
  route('POST /v1/storefront/carts/current', {
    operation: 'getCurrentCart',
    may: 'visitor',
    accepts: 'former-token',
    refuses: ['no_market'],
    contact: 'created',
    summary: "Read or create the visitor's current cart",
    description:
      'Creates a visitor if the request has no visitor token; the new token is in the header `X-Service-Visitor-Token`. Creates an open cart if the visitor has none. 409 `no_market` ' +
      'if the {store} has no market.',
    body: z.object({}),
    out: Cart,
    async run({ em, tenant_id, caller, now }) {
      const cart = await currentCart(em, tenant_id, caller, now)
      if (!cart && caller.former !== null) throw formerVisitor()
      if (!cart) throw conflict('no_market', 'The {store} has no market.')
      return cart
    },
  }),
  route('GET /v1/storefront/carts/{id}', {
    operation: 'getCart',
    may: 'visitor',
    accepts: 'former-token',
    summary: 'Read a cart',
    out: Cart,
    async run({ em, tenant_id, caller, path }) {
      const cart = await findCart(em, tenant_id, caller, path.id)
      if (!cart) throw notFound('cart')
      return cart
    },
  }),
  route('PUT /v1/storefront/carts/{id}', {
    operation: 'updateCart',
    may: 'visitor',
    accepts: 'former-token',
    refuses: ['cart_ordered'],
    summary: 'Update a cart',
    description:
      'Replaces the fields that are sent; null clears them. Fields that are left out are kept. 409 `cart_ordered` if the cart was checked out. 422 for an unknown product, service, ' +
      'market or pickup location.',
    body,
    out: Cart,
    async run({ em, tenant_id, caller, path, body, now }) {
      await check(em, tenant_id, body)
      const changes = Object.fromEntries(
        Object.entries(body).map(([name, value]) => [
          name,
          value === null && lists.some((list) => list === name) ? [] : value === '' ? null : value,
        ]),
      )
      const cart = await writeCart(em, { tenant_id, by: caller, id: path.id }, changes, now)
      if (!cart) throw notOpen(await findCart(em, tenant_id, caller, path.id))
      return cart
    },
  }),
  route('POST /v1/storefront/carts/{id}/quote', {
    operation: 'quoteCart',
    may: 'visitor',
    accepts: 'former-token',
    refuses: ['cart_ordered', ...pricingProblems],
    summary: 'Quote a cart',
    description:
      'Prices the cart as a checkout would price it now: lines, discounts, shipping, tax, and the shipping and payment methods to choose from. Nothing is reserved. 422 names the ' +
      'field that prevents pricing.',
    transaction: false,
    body: z.object({}),
    out: OrderQuote,
    async run({ em, tenant_id, caller, path, now }) {
      const cart = await findCart(em, tenant_id, caller, path.id)
      if (cart?.status !== 'open') throw notOpen(cart)
      const { quote } = await priceCart(em, cart, { for_checkout: false, now })
      return quote
    },
  }),
]
