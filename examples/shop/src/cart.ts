// The cart and its checkout, which orders once: in several tabs, after a lost answer, and when stock was sold
// meanwhile.
import type { Body, Cart, StorefrontOrder } from 'tillwright-client'
import { call, hasVisitor, inTurn, isAnswer, isProblem } from './api.ts'
import { go } from './place.ts'
import { set, shop } from './shop.ts'

/** The cart of this tab's checkout, until its answer is there: a lost answer and a reload leave it. */
const sent = 'checkout'
const endCheckout = () => sessionStorage.removeItem(sent)

function showOrder(id: string): void {
  endCheckout()
  // The next cart begins with the first item.
  set({ cart: null })
  go(`/orders/${id}?pay`)
}
export async function orderOf(cartId: string | null): Promise<StorefrontOrder | undefined> {
  // The provider may have returned to another browser.
  if (!hasVisitor()) return undefined
  const { items } = await call('GET /v1/storefront/orders')
  return items.find(({ source_cart_id }) => source_cart_id === cartId)
}
/** Shows the order of a cart, if it has one: nothing is ordered a second time because an answer was lost. */
async function showOrderOf(cartId: string): Promise<boolean> {
  const order = await orderOf(cartId)
  if (order) showOrder(order.id)
  return order !== undefined
}
export async function showLostOrder(cart = shop.cart): Promise<boolean> {
  const lost = sessionStorage.getItem(sent)
  if (!lost || lost === cart?.id) return false
  const isShown = await showOrderOf(lost)
  endCheckout()
  return isShown
}

export type Change = Body<'PUT /v1/storefront/carts/{id}'>
async function write(id: string, change: Change): Promise<void> {
  const body = { market: shop.market.key, ...change }
  set({ cart: await call('PUT /v1/storefront/carts/{id}', { path: { id }, body }) })
}

/** The cart that is open now, or the one of this id. */
async function takeCart(id?: string): Promise<void> {
  const taking = id
    ? call('GET /v1/storefront/carts/{id}', { path: { id } })
    : call('POST /v1/storefront/carts/current')
  set({ cart: await taking })
}

/** Null if the cart was checked out, here without an answer or in another tab: its order is shown then. */
async function whileOpen<T>(id: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await inTurn('cart', work)
  } catch (error) {
    if (!isProblem(error, 'cart_ordered', 'not_found')) throw error
    if (!(await showOrderOf(id))) await takeCart()
    return null
  }
}

/** Whether a record has all these values. */
const holds = (record: unknown, wanted: unknown): boolean =>
  wanted !== null && typeof wanted === 'object'
    ? Object.entries(wanted).every(([name, value]) => holds(Object(record)[name], value))
    : record === wanted

/** What the cart costs with these changes, which are written if they are any. */
export const quoteCart = (id: string, change: Change) =>
  whileOpen(id, async () => {
    if (!holds(shop.cart, { market: shop.market.key, ...change })) await write(id, change)
    return call('POST /v1/storefront/carts/{id}/quote', { path: { id } })
  })

/** Orders the cart as this page shows it, also if another tab has changed it meanwhile, and shows the order. */
export async function checkOut(id: string, change: Change, payment: Body<'POST /v1/storefront/carts/{id}/checkout'>) {
  const body = { ...payment, return_url: `${location.origin}/thanks?cart=${id}` }
  try {
    const done = await whileOpen(id, async () => {
      await write(id, change)
      sessionStorage.setItem(sent, id)
      return call('POST /v1/storefront/carts/{id}/checkout', { path: { id }, body })
    })
    if (done) showOrder(done.order_id)
  } catch (error) {
    if (!isAnswer(error)) throw error
    endCheckout()
    const { cart_id, order_id } = error.document as { cart_id?: string | null; order_id?: string }
    // The next cart has the same lines. What was ordered is shown.
    if (cart_id) await takeCart(cart_id)
    else if (order_id) showOrder(order_id)
    throw error
  }
}

type Lists = Pick<Cart, 'product_items' | 'booking_items'>
/** Changes a list of the cart as it is now: another tab, or a change a moment ago, may have written it. */
const changeList = <N extends keyof Lists>(name: N, change: (before: Lists[N]) => Lists[N]) =>
  inTurn('cart', async () => {
    const cart = await call('POST /v1/storefront/carts/current')
    if (await showLostOrder(cart)) return
    const lines: unknown[] = change(cart[name])
    const put = (items: unknown[]) => write(cart.id, { [name]: items } as Change)
    await put(lines).catch((error: unknown) => {
      // What the store has deleted would refuse every change of the others. What is added has to be there.
      const faults = isProblem(error, 'invalid_input') ? error.errors : []
      const gone = faults.filter(({ code }) => code === 'variant_unknown' || code === 'link_unknown')
      const isGone = (at: number) => gone.some(({ pointer }) => pointer.startsWith(`/${name}/${at}/`))
      const isAdded = lines.length > cart[name].length && isGone(lines.length - 1)
      if (gone.length === 0 || isAdded) throw error
      return put(lines.filter((_, at) => !isGone(at)))
    })
  })

type Item = Cart['product_items'][number]
/** Sets the quantity of a variant, or adds to it; 0 removes it. */
export const putItem = (item: Item, { add = false } = {}) =>
  changeList('product_items', (items) => {
    const isIt = ({ variant_id }: Item) => variant_id === item.variant_id
    const changed = (one: Item) => ({ ...one, quantity: item.quantity + (add ? one.quantity : 0) })
    const all = items.some(isIt) ? items.map((one) => (isIt(one) ? changed(one) : one)) : [...items, item]
    return all.filter(({ quantity }) => quantity > 0)
  })

type Booking = Cart['booking_items'][number]
/** Books a time, once, or removes it. */
export const putBooking = (booking: Booking, isWanted: boolean) =>
  changeList('booking_items', (before) => {
    const others = before.filter((one) => !holds(one, booking))
    return isWanted ? [...others, booking] : others
  })
