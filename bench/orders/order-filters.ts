// A page of 20 out of 100,000 orders with three filters: common ones, rare ones, and combinations that no order meets.
import { createHash } from 'node:crypto'
import { client } from '../../client/client.ts'
import type { Path } from '../kit/path.ts'
import type { Shop } from '../kit/shop.ts'

const count = 100_000
const since = 1_700_000_000
const apart = 300
/** The n-th id of a kind, in statements and in requests. */
const id = (kind: string, n: string) => `md5('${kind}' || (${n}))::uuid`
const idOf = (kind: string, n: number) =>
  createHash('md5')
    .update(`${kind}${n}`)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/**
 * Each order has one line and one booking. Products: 0 in three of five orders, 1 in five orders, 2 in none, 3 in the
 * oldest twentieth. Services: 0 only where product 0 is not, 3 in half of them. Statuses: nine of ten confirmed, ten
 * orders partially cancelled.
 */
async function fillOrders({ db }: Shop, storeId: string): Promise<void> {
  const x = `select n, ${since} + n * ${apart} as at, abs(hashint8(n)) % 1000 as a, abs(hashint8(n + 777)) % 1000 as b, abs(hashint8(n + 999999)) % 1000 as c
    from generate_series(0, ${count - 1}) n`
  const line = `case when a < 900 then 'confirmed' when a < 950 then 'pending' else 'cancelled' end`
  await db.query(
    `insert into orders (id, tenant_id, created_at, updated_at, number, status, fulfillment_status, contact_id, verified, source_cart_id, payment_id, market, money,
       shipping_address, forms)
     select ${id('order', 'n')}, $1, at, at, 1001 + n, case when n % 10000 = 77 then 'partially_cancelled' else ${line} end, 'unfulfilled',
       ${id('contact', 'case when b < 200 then 0 else 1 + n % 5000 end')}, c < 500, gen_random_uuid(), gen_random_uuid(), 'us',
       '{"currency": "USD", "subtotal": 1900, "discount": 0, "shipping": 0, "tax": null, "total": 1900}',
       '{"name": "Ada Buyer", "street1": "5 Elm Street", "city": "Portland", "state": "OR", "postal_code": "97201", "country": "US"}', '[]' from (${x}) x`,
    [storeId],
  )
  await db.query(
    `insert into order_lines (id, tenant_id, created_at, updated_at, order_id, ordered_at, kind, position, product_id, variant_id, requires_shipping, taxable, quantity, unit_price, subtotal,
       discount, tax, total, status, allocations)
     select gen_random_uuid(), $1, at, at, ${id('order', 'n')}, at, 'product', 0,
       ${id('product', 'case when n % 20000 = 5 then 1 when n < 5000 then 3 when b < 600 then 0 else 4 + n % 200 end')},
       gen_random_uuid(), true, true, 1, 1900, 1900, 0, 0, 1900, ${line}, '[]' from (${x}) x`,
    [storeId],
  )
  await db.query(
    `insert into order_bookings (id, tenant_id, created_at, updated_at, order_id, ordered_at, position, service_id, provider_id, service_key, provider_key, slots, starts_at, ends_at, quantity,
       unit_price, subtotal, discount, tax, total, status)
     select gen_random_uuid(), $1, at, at, ${id('order', 'n')}, at, 0, ${id('service', 'case when b >= 600 then 0 when b < 550 then 3 else 4 + n % 20 end')},
       ${id('provider', 'case when c % 10 < 6 then 0 else 4 + n % 30 end')}, 's', 'p', '[]', at, at + 3600, 1, 0, 0, 0, 0, 0,
       case when n % 10000 = 88 then 'no_show' when c < 500 then 'completed' when c < 900 then 'confirmed' else 'cancelled' end from (${x}) x`,
    [storeId],
  )
  // Autovacuum would do it within a minute; these rows were inserted within seconds.
  for (const table of ['orders', 'order_lines', 'order_bookings']) await db.query(`vacuum analyze ${table}`)
}

type Named = [name: string, kind: string, n: number][]
const asked: { ids: Named; more: string }[] = [
  { ids: [['product_ids', 'product', 0]], more: 'statuses=confirmed&verified=true' },
  { ids: [['product_ids', 'product', 1]], more: 'statuses=confirmed&verified=true' },
  { ids: [['product_ids', 'product', 2]], more: 'statuses=confirmed&verified=true' },
  { ids: [['product_ids', 'product', 3]], more: 'statuses=confirmed&verified=true' },
  { ids: [['product_ids', 'product', 0]], more: 'statuses=partially_cancelled&verified=true' },
  {
    ids: [
      ['contact_id', 'contact', 0],
      ['provider_ids', 'provider', 0],
    ],
    more: 'booking_statuses=completed',
  },
  {
    ids: [
      ['contact_id', 'contact', 9],
      ['provider_ids', 'provider', 0],
    ],
    more: 'booking_statuses=no_show',
  },
  {
    ids: [
      ['product_ids', 'product', 0],
      ['service_ids', 'service', 3],
    ],
    more: `created_at_from=${since}`,
  },
  {
    ids: [
      ['product_ids', 'product', 0],
      ['service_ids', 'service', 0],
    ],
    more: `created_at_from=${since}`,
  },
  { ids: [['provider_ids', 'provider', 0]], more: 'product_statuses=cancelled&statuses=confirmed' },
]

let paths: Promise<string[]> | undefined

export const orderFilters: Path = {
  name: 'order-filters-100000',
  floor: 'statements',
  target: { p95_ms: 30, clients: 1 },
  async lanes(shop, clients) {
    paths ??= (async () => {
      const body = { key: 'many-orders', timezone: 'UTC', languages: ['en'], emails: { billing: null, support: null } }
      const { id: storeId } = await client({ base: shop.api, headers: shop.operator })('POST /v1/stores', { body })
      await fillOrders(shop, storeId)
      return asked.map(
        ({ ids, more }) =>
          `/v1/stores/${storeId}/orders?limit=20&${[more, ...ids.map(([name, kind, n]) => `${name}=${idOf(kind, n)}`)].join('&')}`,
      )
    })()
    const all = (await paths).map((path) => ({ method: 'GET' as const, path, headers: shop.operator }))
    // Each client begins with another request.
    return Array.from({ length: clients }, (_, lane) => [
      ...all.slice(lane % all.length),
      ...all.slice(0, lane % all.length),
    ])
  },
}
