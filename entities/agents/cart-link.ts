// The cart that an agent fills for its visitor: one of a turn, however often the model asks. It reserves nothing and is
// checked as a quote and the stock say now.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ToolInput } from '../../rules/agents/tools.ts'
import { allocate } from '../../rules/orders/stock.ts'
import { Refusal } from '../../rules/refusal.ts'
import { saidOn } from '../../rules/spelling.ts'
import { bookingMarket } from '../bookings/bookings.ts'
import { Cart } from '../carts/cart.ts'
import { priceCart } from '../carts/pricing.ts'
import { levelsOf } from '../catalog/inventory.ts'
import { insertSelect } from '../kit/database/insert.ts'
import { sql } from '../kit/database/sql.ts'
import { derivedId, uuids } from '../kit/ids.ts'
import type { ToolVisitor } from './tool-visitor.ts'

type Lines = Extract<ToolInput, { name: 'cart_link' }>['input']

/**
 * The first market of the tenant, in which visitors' carts begin; of bookings alone the one that bookings are sold in.
 * 409 no_market.
 */
async function marketOf(em: EntityManager, tenantId: string, onlyBookings: boolean): Promise<string> {
  if (onlyBookings) return bookingMarket(em, tenantId)
  const [market]: { key: string }[] = await em.execute(
    sql`select key from markets where tenant_id = ${tenantId} order by created_at, id limit 1`,
  )
  return market?.key ?? bookingMarket(em, tenantId)
}

/** The page of the business that shows a cart, with the cart's id; null if it has none. */
const linkTo = (page: string | null, cartId: string): string | null => {
  if (page === null || !URL.canParse(page)) return null
  const url = new URL(page)
  url.searchParams.set('cart_id', cartId)
  return url.href
}

/**
 * Writes the cart, or the lines of the one that this turn made before; null if it was checked out, or the visitor is
 * being merged with another. It is the current cart of a visitor without one.
 */
async function writeCart(
  em: EntityManager,
  { tenant_id, contact_id, turn_id }: ToolVisitor,
  cart: Pick<Cart, 'market' | 'product_items' | 'booking_items'>,
  now: number,
) {
  const id = derivedId('cart', turn_id)
  const row = {
    id,
    tenant_id,
    contact_id: sql`c.id`,
    created_at: now,
    updated_at: now,
    forms: [],
    is_current: false,
    ...cart,
  }
  const rows: unknown[] = await em.execute(
    // A merge locks the contact, then its chats, of which this transaction holds one: waiting for the contact would be
    // a deadlock.
    sql`
      ${insertSelect(em, Cart, row)}
      from contacts c
      where c.tenant_id = ${tenant_id} and c.id = ${contact_id}
      for key share of c skip locked
      on conflict (id) do update
      set market = excluded.market, product_items = excluded.product_items, booking_items = excluded.booking_items,
        updated_at = excluded.updated_at
      where carts.tenant_id = excluded.tenant_id and carts.contact_id = excluded.contact_id and carts.status = 'open'
      returning id
    `,
  )
  if (rows.length === 0) return null
  await em.execute(sql`
    update carts k
    set is_current = true
    where k.tenant_id = ${tenant_id}
      and k.id = ${id}
      and not exists (select 1 from carts o where o.contact_id = k.contact_id and o.is_current and o.status = 'open')
  `)
  return id
}

/** What the tool `cart_link` returns. `now` in Unix seconds. */
export async function cartLink(
  em: EntityManager,
  whose: ToolVisitor,
  { products = [], bookings = [] }: Lines,
  now: number,
): Promise<object> {
  const { tenant_id, contact_id } = whose
  if (contact_id === null) return { error: 'The chat has no visitor who could have a cart.' }
  if (products.length + bookings.length === 0) return { error: 'The cart would be empty.' }
  const wanted = products.map(({ variant_id }) => variant_id)
  const variants: { id: string; product_id: string }[] = await em.execute(sql`
    select v.id, v.product_id
    from product_variants v
    join products p on p.id = v.product_id and p.tenant_id = v.tenant_id and p.status = 'active'
    where v.tenant_id = ${tenant_id} and v.id = any (${uuids(wanted)})
  `)
  const productOf = new Map(variants.map(({ id, product_id }) => [id, product_id]))
  const unknown = wanted.find((id) => !productOf.has(id))
  if (unknown !== undefined) return { error: 'There is no such variant.', variant_id: unknown }
  const stock = allocate(products, await levelsOf(em, tenant_id, wanted))
  if (!stock.ok) return { error: 'Not enough in stock.', variant_id: stock.variant_id, available: stock.available }
  const product_items = products.map((one) => ({
    product_id: productOf.get(one.variant_id) as string,
    variant_id: one.variant_id,
    quantity: one.quantity,
  }))
  const booking_items = bookings.map(({ service_id, provider_id, from, to }) => ({
    service_id,
    provider_id,
    slots: [{ from, to }],
  }))
  try {
    const market = await marketOf(em, tenant_id, products.length === 0)
    const none = {
      shipping_address: null,
      billing_address: null,
      payment_method_key: null,
      shipping_method_id: null,
      pickup_location_id: null,
      promo_code: null,
    }
    const cart = { market, product_items, booking_items }
    const priced = await priceCart(
      em,
      { ...none, ...cart, id: '', tenant_id, contact_id, status: 'open', forms: [] },
      { for_checkout: false, now },
    )
    const cart_id = await writeCart(em, whose, cart, now)
    if (cart_id === null) return { error: 'The cart cannot be made now.' }
    const { total, currency } = priced.quote.money
    return { cart_id, link: linkTo(whose.cart_url, cart_id), total, currency }
  } catch (error) {
    // What prevents that it is priced, such as a slot that is not offered.
    if (error instanceof Refusal) return { error: saidOn('business', error.message) }
    throw error
  }
}
