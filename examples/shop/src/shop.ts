// What all pages share: the store, the market, the visitor and their cart.
import { useSyncExternalStore } from 'react'
import type { Body, Cart, GetVisitorResult, PublicMarket, PublicStore } from 'tillwright-client'
import { call, config, forgetVisitor, hasVisitor, isProblem } from './api.ts'

export type Shop = {
  store: PublicStore
  market: PublicMarket
  cart: Cart | null
  me: GetVisitorResult | null
}
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

/** One request each, side by side; a returning visitor has a cart and may be signed in. */
export async function openShop(): Promise<void> {
  const known = hasVisitor()
  const [store, { items: markets }, cart, me, { market: first }] = await Promise.all([
    call('GET /v1/storefront/store'),
    call('GET /v1/storefront/markets', { query: { sort_direction: 'asc' } }),
    known ? call('POST /v1/storefront/carts/current') : null,
    // One whose token is over is nobody yet.
    known ? call('GET /v1/storefront/account/me').catch(() => null) : null,
    config,
  ])
  const market = markets.find(({ key }) => key === first) ?? markets[0]
  if (!market) throw new Error('The store has no market.')
  shop = { store, market, cart, me }
}

/** Changes the cart. One that was checked out elsewhere is followed by another. */
export async function changeCart(change: Body<'PUT /v1/storefront/carts/{id}'>): Promise<Cart> {
  const write = async ({ id }: Cart) =>
    call('PUT /v1/storefront/carts/{id}', { path: { id }, body: { market: current().market.key, ...change } })
  const begun = current().cart ?? (await call('POST /v1/storefront/carts/current'))
  const cart = await write(begun).catch(async (error: unknown) => {
    if (!isProblem(error, 'cart_ordered') && !isProblem(error, 'not_found')) throw error
    return write(await call('POST /v1/storefront/carts/current'))
  })
  set({ cart })
  return cart
}

type Item = Cart['product_items'][number]
/** Sets the quantity of a variant, or adds to it; 0 removes it. */
export async function putItem(item: Item, { add = false } = {}): Promise<void> {
  const items = current().cart?.product_items ?? []
  const before = items.find(({ variant_id }) => variant_id === item.variant_id)
  const quantity = item.quantity + (add ? (before?.quantity ?? 0) : 0)
  const others = items.filter(({ variant_id }) => variant_id !== item.variant_id)
  await changeCart({ product_items: quantity > 0 ? [...others, { ...item, quantity }] : others })
}

type Booking = Cart['booking_items'][number]
export const putBookings = (change: (before: Booking[]) => Booking[]) =>
  changeCart({ booking_items: change(current().cart?.booking_items ?? []) })

/** After a checkout the next cart begins with the first item. */
export const leaveCart = () => set({ cart: null })

/** Tells the store the address of the visitor; it is theirs once they have signed in by a code. */
export async function identify(email: string): Promise<void> {
  const { me } = current()
  if (me?.is_verified || me?.contact.email === email) return
  set({ me: await call('POST /v1/storefront/account/identify', { body: { email } }) })
}

export async function signIn(challenge_id: string, code: string): Promise<void> {
  set({ me: await call('POST /v1/storefront/account/verify', { body: { challenge_id, code } }) })
  set({ cart: await call('POST /v1/storefront/carts/current') })
}

export async function signOut(): Promise<void> {
  await call('POST /v1/storefront/account/logout')
  forgetVisitor()
  set({ me: null, cart: null })
}
