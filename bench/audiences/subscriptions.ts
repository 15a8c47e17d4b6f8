// Paid memberships: subscribing by card until the payment page is open, and a signed `invoice.paid` until the paid time
// has moved.
import { createHmac } from 'node:crypto'
import { client } from '../../client/client.ts'
import { newId } from '../../entities/kit/ids.ts'
import { json, lanesOf, type Path } from '../kit/path.ts'
import type { Shop } from '../kit/shop.ts'

const amount = 900

type Club = { audience_id: string; tier_id: string; price_id: string; provider_price_id: string; account: string }

let opened: Promise<Club> | undefined
/** One for all measurements: its prices are created at the provider. */
const clubOf = (shop: Shop): Promise<Club> => (opened ??= openClub(shop))

async function openClub({ api, operator, store_id, shared, db }: Shop): Promise<Club> {
  const call = client({ base: api, headers: operator })
  const path = { storeId: store_id }
  const { id: audience_id } = await call('POST /v1/stores/{storeId}/audiences', {
    path,
    body: { key: `bench-${newId()}`, type: { type: 'paid' } },
  })
  const { items } = await call('GET /v1/stores/{storeId}/payment-providers', { path })
  const provider = items[0]
  if (!provider) throw new Error('The demo store has no payment provider.')
  const tier = await call('POST /v1/stores/{storeId}/audiences/{audienceId}/tiers', {
    path: { ...path, audienceId: audience_id },
    body: {
      key: 'member',
      provider: { type: 'card_payment', payment_provider_id: provider.id },
      prices: [{ amount, currency: 'USD', interval: { period: 'month', count: 1 } }],
    },
  })
  await call('PUT /v1/stores/{storeId}/audiences/{id}', {
    path: { ...path, id: audience_id },
    body: { status: 'active' },
  })
  const [price] = tier.prices
  if (!price) throw new Error('The tier has no price.')
  const { rows } = await db.query<{ provider_price_id: string; account: string }>(
    `select p.provider_price_id, v.account_id as account from audience_prices p join payment_providers v on v.id = $2 where p.id = $1`,
    [price.id, provider.id],
  )
  for (const id of [audience_id, tier.id, price.id]) shared.add(id)
  return {
    audience_id,
    tier_id: tier.id,
    price_id: price.id,
    ...(rows[0] as { provider_price_id: string; account: string }),
  }
}

export const cardSubscribe: Path = {
  name: 'card-subscribe',
  floor: 'workflow',
  target: { sql: 26, of_floor: 0.4 },
  once: 800,
  async lanes(shop, clients, each) {
    const [{ audience_id, price_id }, buyers] = [await clubOf(shop), await shop.buyers(clients * each)]
    // A visitor without an address cannot pay.
    await shop.db.query(
      `insert into contact_channels (id, tenant_id, created_at, updated_at, contact_id, type, address)
       select gen_random_uuid(), $1, 1, 1, c, 'email', c || '@example.com' from unnest($2::uuid[]) c`,
      [shop.store_id, buyers.map(({ contact_id }) => contact_id)],
    )
    return lanesOf(buyers, clients, ({ headers }) => ({
      method: 'POST',
      path: `/v1/storefront/audiences/${audience_id}/subscribe`,
      headers: json(headers),
      body: JSON.stringify({ price_id, return_url: 'http://127.0.0.1:3000/club' }),
    }))
  },
}

/** Members with a live subscription whose first month is over. */
async function fillMembers({ db, store_id }: Shop, club: Club, count: number, since: number) {
  const made = Array.from({ length: count }, () => ({
    contact: newId(),
    member: newId(),
    row: newId(),
    billed: newId(),
    invoice: newId(),
    event: newId(),
  }))
  for (let at = 0; at < count; at += 2_000)
    await db.query(
      `with x as materialized (select * from jsonb_to_recordset($2) as x (contact uuid, member uuid, "row" uuid, billed text)),
       c as (insert into contacts (id, tenant_id, created_at, updated_at, status, taxonomies, anonymous) select contact, $1, $3, $3, 'active', '[]', false from x),
       m as (insert into audience_members (id, tenant_id, created_at, updated_at, audience_id, contact_id, status, source, tier_id, price_id, paid_through_at, access_until, fields, joined_at)
         select member, $1, $3, $3, $4, contact, 'active', 'storefront', $5, $6, $7::bigint, $7::bigint + 259200, '{}', $3 from x)
       insert into subscriptions (id, tenant_id, created_at, updated_at, member_id, tier_id, price_id, kind, status, billing_status, provider_account_id, provider_subscription_id, amount, currency,
         "interval", paid_through_at)
       select "row", $1, $3, $3, member, $5, $6, 'recurring', 'live', 'active', $8, 'sub_' || billed, ${amount}, 'USD', '{"period": "month", "count": 1}', $7 from x`,
      [
        store_id,
        JSON.stringify(made.slice(at, at + 2_000)),
        since - 2_592_000,
        club.audience_id,
        club.tier_id,
        club.price_id,
        since,
        club.account,
      ],
    )
  await db.query('analyze contacts, audience_members, subscriptions')
  return made
}

/** Renewals that earlier measurements applied. */
let before = 0

export const invoicePaid: Path = {
  name: 'invoice-paid',
  floor: 'statements',
  target: { sql: 12, of_floor: 0.45 },
  once: 6_000,
  async lanes(shop, clients, each) {
    const club = await clubOf(shop)
    const since = Math.floor(Date.now() / 1000)
    const members = await fillMembers(shop, club, clients * each, since)
    return lanesOf(members, clients, ({ contact, member, row, billed, invoice, event }) => {
      const subscription = `sub_${billed}`
      const line = {
        parent: { subscription_item_details: { subscription, proration: false } },
        period: { start: since, end: since + 2_592_000 },
        pricing: { price_details: { price: club.provider_price_id } },
        quantity: 1,
        subtotal: amount,
      }
      const object = {
        ...{
          id: `in_${invoice}`,
          object: 'invoice',
          status: 'paid',
          currency: 'usd',
          amount_paid: amount,
          billing_reason: 'subscription_cycle',
          customer: `cus_${billed}`,
        },
        ...{
          parent: { subscription_details: { subscription, metadata: {} } },
          lines: { has_more: false, data: [line] },
        },
      }
      const facts = {
        id: `evt_${event}`,
        object: 'event',
        type: 'invoice.paid',
        account: club.account,
        created: since,
        livemode: false,
        data: { object },
      }
      const body = JSON.stringify(facts)
      const signature = createHmac('sha256', shop.stripe_secret).update(`${since}.${body}`).digest('hex')
      return {
        method: 'POST',
        path: '/v1/webhooks/stripe',
        headers: json({ 'stripe-signature': `t=${since},v1=${signature}` }),
        body,
        own: [contact, member, row, billed, invoice, event],
      }
    })
  },
  async check({ db, store_id }, answered) {
    const { rows } = await db.query<{ count: number }>(
      `select count(*)::int as count from payments p join subscriptions s on s.id = p.subscription_id and s.tenant_id = p.tenant_id
       where p.tenant_id = $1 and p.kind = 'renewal' and p.status = 'paid' and s.paid_through_at = p.period_end`,
      [store_id],
    )
    const applied = (rows[0]?.count ?? 0) - before
    before += applied
    if (applied < answered)
      throw new Error(`invoice-paid: ${answered} events were answered and ${applied} moved the paid time`)
  },
}
