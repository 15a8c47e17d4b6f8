// The measured store: the demo store with 200 products, and as many buyers with filled carts as a path needs.
// Rows that the API would need minutes for are inserted by a few statements, in the form that the API writes.
import type pg from 'pg'
import { digest, newToken } from '../../api/kit/caller.ts'
import { client } from '../../client/client.ts'
import type { Seeded } from '../../dev/seed/seed.ts'
import { newId } from '../../entities/kit/ids.ts'
import type { BookingItem } from '../../rules/carts/items.ts'

export type Item = { product_id: string; variant_id: string; quantity: number }
export type Buyer = {
  cart_id: string
  contact_id: string
  session_id: string
  token: string
  headers: Record<string, string>
}
/** What a cart has beside two lines of goods. */
export type Also = { booking_items: BookingItem[]; promo_code: string }
export type Store = { id: string; publishable_key: string }
export type Shop = {
  api: string
  stripe: string
  /** The simulator of models. */
  models: string
  /** The simulator of networks. */
  social: string
  /** Signs events of connected accounts. */
  stripe_secret: string
  db: pg.Pool
  store_id: string
  /** The business `old-town`. */
  business_id: string
  key: string
  operator: Record<string, string>
  /** Ids that requests share. */
  shared: Set<string>
  /** Cart lines; each n has other products. */
  items(lines: number, n: number): Item[]
  buyers(count: number, also?: (n: number) => Also): Promise<Buyer[]>
}

const now = () => Math.floor(Date.now() / 1000)
const address = {
  name: 'Ada Buyer',
  street1: '5 Elm Street',
  city: 'Portland',
  state: 'OR',
  postal_code: '97201',
  country: 'US',
}

async function inParts<T>(all: readonly T[], work: (part: T[]) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < all.length; at += 2000) await work(all.slice(at, at + 2000))
}

/** Products with slugs, search words, a variant with two prices, and stock, created one second apart. */
export async function fill(db: pg.Pool, storeId: string, count: number): Promise<void> {
  const since = now() - count
  const rows = Array.from({ length: count }, (_, n) => ({ n, id: newId(), variant_id: newId(), at: since + n }))
  await inParts(rows, (part) =>
    db.query(
      `with x as materialized (select * from jsonb_to_recordset($2) as x (n int, id uuid, variant_id uuid, at bigint)),
       p as (insert into products (id, tenant_id, created_at, updated_at, key, slug, blocks, taxonomies, status, search)
         select id, $1, at, at, 'bench-' || n, jsonb_build_object('en', 'bench-' || n),
           jsonb_build_array(jsonb_build_object('key', 'name', 'type', 'text', 'value', 'Thing number ' || n),
             jsonb_build_object('key', 'text', 'type', 'text', 'value', repeat('What a good thing it is. ', 8))),
           '[]', 'active', to_tsvector('simple', 'thing number bench ' || n) from x returning id),
       v as (insert into product_variants (id, tenant_id, created_at, updated_at, product_id, position, sku, prices, attributes, weight, requires_shipping, taxable, is_digital)
         select x.variant_id, $1, at, at, p.id, 0, 'BENCH-' || n, $3::jsonb, '[]', 500, true, true, false from x join p using (id) returning id),
       s as (insert into slugs (tenant_id, kind, locale, slug, owner_id) select $1, 'product', 'en', 'bench-' || n, id from x)
       insert into inventory_levels (variant_id, location_id, tenant_id, available, updated_at)
       select v.id, l.id, $1, 1000000000, 0 from v cross join locations l where l.tenant_id = $1`,
      [
        storeId,
        JSON.stringify(part),
        JSON.stringify(
          ['us', 'eu'].map((market) => ({ market, currency: market === 'us' ? 'USD' : 'EUR', amount: 1900 })),
        ),
      ],
    ),
  )
  await db.query('analyze')
}

export async function insertBuyers(
  shop: Shop,
  count: number,
  also: (n: number) => Partial<Also> = () => ({}),
): Promise<Buyer[]> {
  const made = Array.from({ length: count }, (): Buyer => {
    const token = newToken('till_vt')
    const headers = { 'x-service-publishable-key': shop.key, 'x-service-visitor-token': token }
    return { cart_id: newId(), contact_id: newId(), session_id: newId(), token, headers }
  })
  const rows = made.map(({ token, headers: _, ...ids }, n) => ({
    ...ids,
    digest: digest(token),
    items: shop.items(2, n),
    booking_items: [],
    ...also(n),
  }))
  await inParts(rows, (part) =>
    shop.db.query(
      `with x as materialized (select * from jsonb_to_recordset($3) as x (cart_id uuid, contact_id uuid, session_id uuid, digest text, items jsonb, booking_items jsonb, promo_code text)),
       c as (insert into contacts (id, tenant_id, created_at, updated_at, status, taxonomies) select contact_id, $1, $2, $2, 'active', '[]' from x returning id),
       s as (insert into contact_sessions (id, tenant_id, created_at, updated_at, contact_id, token_digest) select x.session_id, $1, $2, $2, c.id, x.digest from x join c on c.id = x.contact_id)
       insert into carts (id, tenant_id, contact_id, created_at, updated_at, status, is_current, market, product_items, booking_items, shipping_address, forms, shipping_method_id, promo_code)
       select cart_id, $1, contact_id, $2, $2, 'open', true, 'us', items, booking_items, $4, '[]', 'us-standard', promo_code from x`,
      [shop.store_id, now(), JSON.stringify(part), JSON.stringify(address)],
    ),
  )
  await shop.db.query('analyze contacts, contact_sessions, carts')
  return made
}

/** Another store of the same operator, in UTC. */
export function newStore({ api, operator }: Shop, key: string): Promise<Store> {
  const body = { key, timezone: 'UTC', languages: ['en'], emails: { billing: null, support: null } }
  return client({ base: api, headers: operator })('POST /v1/stores', { body })
}

export async function openShop(
  seeded: Seeded,
  o: Pick<Shop, 'api' | 'stripe' | 'models' | 'social' | 'stripe_secret' | 'db'>,
): Promise<Shop> {
  const { store_id, business_id, api_token, publishable_key } = seeded
  if (!store_id || !business_id || !api_token || !publishable_key)
    throw new Error('The demo store could not be created.')
  await fill(o.db, store_id, 197)
  // Far from every other number in a statement: a replay finds the order's number by its value.
  await o.db.query('update counters set value = 5000000 where tenant_id = $1', [store_id])
  await o.db.query('update inventory_levels set available = 1000000000 where tenant_id = $1', [store_id])
  const { rows: variants } = await o.db.query<{ product_id: string; variant_id: string }>(
    'select product_id, id as variant_id from product_variants where tenant_id = $1 order by id',
    [store_id],
  )
  const { rows: locations } = await o.db.query<{ id: string }>('select id from locations where tenant_id = $1', [
    store_id,
  ])
  const shop: Shop = {
    ...o,
    store_id,
    business_id,
    key: publishable_key,
    operator: { authorization: `Bearer ${api_token}` },
    shared: new Set([
      store_id,
      ...locations.map(({ id }) => id),
      ...variants.flatMap(({ product_id, variant_id }) => [product_id, variant_id]),
    ]),
    items: (lines, n) =>
      Array.from({ length: lines }, (_, at) => ({
        ...(variants[(n * 7 + at * 31) % variants.length] as Omit<Item, 'quantity'>),
        quantity: 1 + (n % 3),
      })),
    buyers: (count, also) => insertBuyers(shop, count, also),
  }
  return shop
}
