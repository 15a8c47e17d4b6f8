// What all pages share: the store, the market, the terms, the visitor and their cart.
import { useSyncExternalStore } from 'react'
import type { Answer, Cart, PublicMarket, PublicStore, PublicTaxonomy } from 'tillwright-client'
import { call, config, forgetVisitor, hasVisitor, onVisitor } from './api.ts'
import { on } from './place.ts'

type Visitor = { cart: Cart | null; me: Answer<'GET /v1/storefront/account/me'> | null }
export type Shop = Visitor & { store: PublicStore; market: PublicMarket; terms: PublicTaxonomy[] }
export let shop: Shop
const onChange = on('shop')
export function set(change: Partial<Shop>): void {
  shop = { ...shop, ...change }
  dispatchEvent(new Event('shop'))
}
/** Pages are shown once the shop is open. */
export const useShop = (): Shop => useSyncExternalStore(onChange, () => shop)

/** A returning visitor has a cart and may be signed in; one whose token has expired is new. */
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
  const all = { query: { limit: 100, sort_direction: 'asc' } } as const
  const [store, { items: markets }, { items: terms }, visitor] = await Promise.all([
    call('GET /v1/storefront/store'),
    call('GET /v1/storefront/markets', all),
    call('GET /v1/storefront/taxonomies', all),
    readVisitor(),
  ])
  const market = markets.find(({ key }) => key === config.market)
  if (!market) throw new Error(`The store has no market ${config.market}.`)
  shop = { store, market, terms, ...visitor }
  onVisitor(() => void readVisitor().then(set, console.warn))
}

/** Tells the store the address of the visitor; it is theirs once they have signed in by a code. */
export async function identify(email: string): Promise<void> {
  if (shop.me?.is_verified || shop.me?.contact.email === email) return
  set({ me: await call('POST /v1/storefront/account/identify', { body: { email } }) })
}

export async function signIn(challenge_id: string, code: string): Promise<void> {
  await call('POST /v1/storefront/account/verify', { body: { challenge_id, code } })
  set(await readVisitor())
}

export async function signOut(): Promise<void> {
  await call('POST /v1/storefront/account/logout')
  forgetVisitor()
}
