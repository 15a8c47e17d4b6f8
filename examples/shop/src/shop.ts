// What all pages share: the store, the market, the visitor and their cart.
import { useSyncExternalStore } from 'react'
import type {
  Body,
  Cart,
  GetVisitorResult,
  OrderQuote,
  PublicMarket,
  PublicStore,
  StorefrontOrder,
} from 'tillwright-client'
import { call, config, forgetVisitor, hasVisitor, inTurn, isProblem, onVisitor } from './api.ts'
import { go } from './place.ts'

type Visitor = { cart: Cart | null; me: GetVisitorResult | null }
export type Shop = Visitor & { store: PublicStore; market: PublicMarket }
let shop: Shop | null = null
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
function set(change: Partial<Shop>): void {
  shop = { ...current(), ...change }
  for (const listener of listeners) listener()
}
function current(): Shop {
  if (!shop) throw new Error('The shop is not open yet.')
  return shop
}
export const useShop = (): Shop => useSyncExternalStore(subscribe, current)

/** A returning visitor has a cart and may be signed in; one whose token is over is nobody yet. */
async function readVisitor(): Promise<Visitor> {
  if (!hasVisitor()) return { cart: null, me: null }
  const [cart, me] = await Promise.all([
    call('POST /v1/storefront/carts/current'),
    call('GET /v1/storefront/account/me').catch(() => null),
  ])
  return { cart, me }
}

/** One request each, side by side. */
export async function openShop(): Promise<void> {
  const [store, { items: markets }, visitor, { market: first }] = await Promise.all([
    call('GET /v1/storefront/store'),
    call('GET /v1/storefront/markets', { query: { sort_direction: 'asc' } }),
    readVisitor(),
    config,
  ])
  const market = markets.find(({ key }) => key === first) ?? markets[0]
  if (!market) throw new Error('The store has no market.')
  shop = { store, market, ...visitor }
  onVisitor(() => void readVisitor().then(set, console.warn))
  await showLostOrder(visitor.cart)
}

/** The cart of this tab's checkout, until its answer is there: a lost answer and a reload leave it. */
const sent = 'checkout'
export const noteCheckout = (cartId: string) => sessionStorage.setItem(sent, cartId)
export const endCheckout = () => sessionStorage.removeItem(sent)

export function showOrder(id: string): void {
  endCheckout()
  // The next cart begins with the first item.
  set({ cart: null })
  go(`/orders/${id}?pay`)
}
export async function orderOf(cartId: string | null): Promise<StorefrontOrder | undefined> {
  const { items } = await call('GET /v1/storefront/orders')
  return items.find(({ source_cart_id }) => source_cart_id === cartId)
}
/** Shows the order of a cart, if it has one: nothing is ordered a second time because an answer was lost. */
async function showOrderOf(cartId: string): Promise<boolean> {
  const order = await orderOf(cartId)
  if (order) showOrder(order.id)
  return order !== undefined
}
async function showLostOrder(cart: Cart | null): Promise<boolean> {
  const lost = sessionStorage.getItem(sent)
  if (!lost || lost === cart?.id) return false
  const isShown = await showOrderOf(lost)
  endCheckout()
  return isShown
}

type Change = Body<'PUT /v1/storefront/carts/{id}'>
async function write(id: string, change: Change): Promise<void> {
  const body = { market: current().market.key, ...change }
  set({ cart: await call('PUT /v1/storefront/carts/{id}', { path: { id }, body }) })
}

/** The cart that is open now, or the one of this id. */
export async function takeCart(id?: string): Promise<void> {
  const current = 'POST /v1/storefront/carts/current'
  set({ cart: id ? await call('GET /v1/storefront/carts/{id}', { path: { id } }) : await call(current) })
}

export type Priced = { id: string; quote: OrderQuote }
/** Changes where the cart goes, and prices it. Null if it was checked out, here without an answer or in another tab. */
export async function quoteCart({ id }: Cart, change: Change): Promise<Priced | null> {
  try {
    await inTurn('cart', () => write(id, change))
    return { id, quote: await call('POST /v1/storefront/carts/{id}/quote', { path: { id } }) }
  } catch (error) {
    if (!isProblem(error, 'cart_ordered', 'not_found')) throw error
    if (!(await showOrderOf(id))) await takeCart()
    return null
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
    const others = before.filter((one) => nameOf(one) !== nameOf(booking))
    return isWanted ? [...others, booking] : others
  })
const nameOf = ({ service_id, provider_id, slots }: Booking) =>
  [service_id, provider_id, ...slots.map(({ from, to }) => `${from}-${to}`)].join()

/** Tells the store the address of the visitor; it is theirs once they have signed in by a code. */
export async function identify(email: string): Promise<void> {
  const { me } = current()
  if (me?.is_verified || me?.contact.email === email) return
  set({ me: await call('POST /v1/storefront/account/identify', { body: { email } }) })
}

export async function signIn(challenge_id: string, code: string): Promise<void> {
  set({ me: await call('POST /v1/storefront/account/verify', { body: { challenge_id, code } }) })
  await takeCart()
}

export async function signOut(): Promise<void> {
  await call('POST /v1/storefront/account/logout')
  forgetVisitor()
}
