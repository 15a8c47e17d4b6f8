// What is paid in a sequence: an order by card, a booking with approval, a membership or a plan. A lane has a tenant
// for each, and a sequence that deletes its tenant one of its own.

import { type Club, forever, monthly, paidAudience, subscribe } from '../../kit/audiences/paid-audiences.ts'
import { bookable, dateIn } from '../../kit/bookings/booking.ts'
import { card, cartOf, type Item, product, return_url, sim } from '../../kit/orders/buying.ts'
import { type Answer, database, http, newEmail, newShop, type Shop, unique, type Visitor } from '../../kit/shop.ts'

export type Kind = 'order' | 'booking' | 'membership' | 'plan'

/** A tenant, its account at the provider ('' for the platform's own, which charges plans), and what it sells. */
export type Seller = {
  kind: Kind
  shop: Shop
  account: string
  item?: Item
  /** The body of a request for the n-th booking. */
  booking?: (n: number) => object
  club?: Club
}

/** `never`: a type of events that the provider does not deliver in this sequence. */
export type Scene = Seller & {
  /** The number of events that the provider had at the beginning. */
  since: number
  label: string
  never: string | null
  order_id: string | null
  visitor: Visitor | null
  contact_id: string | null
  /** The ids of the subscriptions of its buyer, or of its tenant. */
  subscriptions(): Promise<string[]>
  /** What belongs to the scene among the events of the platform's own account. */
  known: Set<string>
  erasure: string | null
  erased: boolean
  /** The erasure waits for a person. */
  stuck: boolean
  /** Requests whose outcome was unknown when the rows were deleted. */
  unresolved: string[]
  /**
   * The payment intents and invoices that our books had when the erasure began: what was taken by them was a person's
   * to refund.
   */
  kept: Set<string>
  /** The order was cancelled before the provider took anything that we know of. */
  cancelledUnpaid: boolean
  /** The next answer comes after its deadline. */
  slow: boolean
}

const due = 3_000

async function chargingTenant(settings: object = {}): Promise<{ shop: Shop; account: string; provider_id: string }> {
  const shop = await newShop({ timezone: 'UTC', settings })
  const account = `acct_${unique()}`
  await sim('POST', `/accounts/${account}`, { charges_enabled: true, details_submitted: true, payouts_enabled: true })
  const { rows } = await database().query(
    `insert into payment_providers (id, created_at, updated_at, tenant_id, type, country, charges_enabled, payouts_enabled, details_submitted, status, fingerprint, attempt, account_id)
     values (gen_random_uuid(), 1, 1, $1, 'stripe', 'US', true, true, true, 'succeeded', '', 1, $2) returning id`,
    [shop.store_id, account],
  )
  return { shop, account, provider_id: rows[0].id }
}

const becomesBusiness = (shop: Shop) =>
  database().query("update tenants set kind = 'business' where id = $1", [shop.store_id])

async function newOffice(kind: Kind): Promise<Seller> {
  const { shop, account } = await chargingTenant({ approval_hours: 48 })
  const payment_methods = [{ key: 'credit_card', type: 'card' }]
  await shop.asOperator('POST', '/markets', {
    key: 'booking',
    currency: 'USD',
    tax_mode: 'exclusive',
    zones: [],
    payment_methods,
  })
  const cut = await bookable(shop, { prices: [{ market: 'booking', amount: due }], concurrent_limit: 500 })
  const slots = await cut.free(dateIn(3), dateIn(5))
  await database().query('update services set is_approval_required = true where id = $1', [cut.service_id])
  await becomesBusiness(shop)
  const booking = (n: number) => {
    const { from, to } = slots[n % slots.length] as { from: number; to: number }
    return {
      items: [{ serviceId: cut.service_id, providerId: cut.provider_id, slots: [{ from, to }] }],
      paymentMethodId: 'credit_card',
    }
  }
  return { kind, shop, account, booking }
}

export async function newSeller(kind: Kind): Promise<Seller> {
  if (kind === 'booking') return newOffice(kind)
  if (kind === 'plan') return { kind, shop: await newShop(), account: '' }
  const { shop, account, provider_id } = await chargingTenant()
  if (kind === 'membership')
    return { kind, shop, account, club: await paidAudience(shop, account, [monthly, forever], provider_id) }
  return { kind, shop, account, item: (await product(shop, { amount: due })).item() }
}

const bought = {
  plan: 'select id from subscriptions where tenant_id = $1 and plan_id is not null order by id',
  membership:
    'select u.id from subscriptions u join audience_members m on m.id = u.member_id where m.contact_id = $1 order by u.id',
}

export async function newScene(seller: Seller, never: string | null): Promise<Scene> {
  const { shop, kind } = seller
  const scene: Scene = {
    ...seller,
    ...{
      since: await eventsSoFar(),
      label: unique(),
      never,
      order_id: null,
      visitor: null,
      contact_id: null,
      known: new Set([shop.store_id]),
    },
    ...{
      erasure: null,
      erased: false,
      stuck: false,
      unresolved: [],
      kept: new Set(),
      cancelledUnpaid: false,
      slow: false,
    },
    async subscriptions() {
      if (kind !== 'plan' && kind !== 'membership') return []
      const { rows } = await database().query<{ id: string }>(bought[kind], [
        kind === 'plan' ? shop.store_id : scene.contact_id,
      ])
      return rows.map(({ id }) => id)
    },
  }
  return scene
}

async function eventsSoFar(): Promise<number> {
  return (await sim('GET', '/events/count')).count
}

/** Its checkout: without a worker, no request waits for the payment form. */
export async function checkOut(scene: Scene, n: number): Promise<void> {
  const { kind, shop, item, booking, club } = scene
  const expected = ({ status, body }: Answer) => {
    if (status >= 300 && status !== 503) throw new Error(`no checkout: ${status} ${JSON.stringify(body)}`)
  }
  if (kind === 'plan') return expected(await choosePlan(scene, 'pro'))
  const visitor = await shop.visitor(kind === 'membership' ? newEmail() : undefined)
  Object.assign(scene, { visitor, contact_id: visitor.contact_id })
  if (kind === 'membership' && club)
    return expected(await subscribe(visitor, club, n % 4 === 0 ? 1 : 0, { return_url }))
  if (kind === 'booking' && booking)
    expected(
      await http('POST', `/v1/businesses/${shop.store_id}/bookings/checkout`, {
        body: booking(n),
        headers: visitor.headers,
      }),
    )
  if (kind === 'order' && item)
    expected(await visitor.call('POST', `/carts/${(await cartOf(visitor, [item])).id}/checkout`, card))
  const { rows } = await database().query('select id from orders where tenant_id = $1 and contact_id = $2', [
    shop.store_id,
    visitor.contact_id,
  ])
  scene.order_id = rows[0].id
}

export const choosePlan = ({ shop }: Scene, plan_id: 'pro' | 'free') =>
  shop.asOperator('POST', '/subscription', { plan_id, return_url: 'https://shop.example/billing' })

/** The tenant is deleted, as its owner asks for it. */
export async function erase(scene: Scene): Promise<Answer> {
  const { shop } = scene
  await becomesBusiness(shop)
  const answer = await http('DELETE', `/v1/businesses/${shop.store_id}`, { headers: shop.op.headers })
  const { rows } = await database().query('select id from erasures where erased_id = $1', [shop.store_id])
  scene.erasure = rows[0]?.id ?? null
  return answer
}
