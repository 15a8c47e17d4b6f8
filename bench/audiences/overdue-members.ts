// 100,000 members whose paid time and grace are over: the seconds until the reconciler has ended all of them, beside
// checkouts by card.
import { setTimeout as pause } from 'node:timers/promises'
import { client } from '../../client/client.ts'
import type { Measure, Result } from '../kit/path.ts'
import { resultOf } from '../kit/report.ts'
import { newStore, type Shop } from '../kit/shop.ts'
import { card } from '../orders/card-checkout.ts'
import { checkout } from '../orders/cash-checkout.ts'
import { openPlace } from '../webhooks.ts'

const count = 100_000
/** Every so many members have a subscription that runs at the provider, which is read before they end. */
const eachLive = 250
const clients = 4
const aloneMs = 5_000
const limitMs = 600_000

const seconds = () => Math.floor(Date.now() / 1000)

/**
 * Members of one audience whose access ends at `at`, a second in the future: until then the reconciler leaves them
 * alone.
 */
async function fillMembers({ db, store_id }: Shop, storeId: string, audienceId: string, at: number): Promise<void> {
  await db.query(
    `with v as (select account_id from payment_providers where tenant_id = $2 and account_id is not null limit 1),
     x as materialized (select n, gen_random_uuid() as contact, gen_random_uuid() as member, gen_random_uuid() as row, n % ${eachLive} = 0 as live from generate_series(1, ${count}) n),
     c as (insert into contacts (id, tenant_id, created_at, updated_at, status, taxonomies, anonymous) select contact, $1, 1, 1, 'active', '[]', false from x),
     h as (insert into contact_channels (id, tenant_id, created_at, updated_at, contact_id, address, owned) select gen_random_uuid(), $1, 1, 1, contact, 'late' || n || '@shop.example', true from x),
     t as (insert into audience_tiers (id, tenant_id, created_at, updated_at, audience_id, key, name, benefits) values (gen_random_uuid(), $1, 1, 1, $3, 'member', 'Member', '[]') returning id),
     p as (insert into audience_prices (id, tenant_id, created_at, updated_at, tier_id, amount, currency, "interval", position, ready)
       select gen_random_uuid(), $1, 1, 1, id, 900, 'USD', '{"period": "month", "count": 1}', 0, true from t returning id, tier_id),
     m as (insert into audience_members (id, tenant_id, created_at, updated_at, audience_id, contact_id, status, source, tier_id, price_id, paid_through_at, access_until, fields, joined_at)
       select member, $1, 1, 1, $3, contact, 'active', 'storefront', p.tier_id, p.id, $4::bigint - 1, $4, '{}', 1 from x, p)
     insert into subscriptions (id, tenant_id, created_at, updated_at, member_id, tier_id, price_id, kind, status, billing_status, provider_account_id, provider_customer_id, provider_subscription_id,
       amount, currency, "interval", paid_through_at, ended_at)
     select x.row, $1, 1, 1, member, p.tier_id, p.id, 'recurring', case when live then 'live' else 'ended' end, case when live then 'active' else 'canceled' end, v.account_id,
       'cus_' || member, 'sub_' || member, 900, 'USD', '{"period": "month", "count": 1}', $4::bigint - 1, case when not live then 1 end from x, p, v`,
    [storeId, store_id, audienceId, at],
  )
  for (const table of ['contacts', 'contact_channels', 'audience_members', 'subscriptions'])
    await db.query(`vacuum analyze ${table}`)
}

/** Checks out one cart after the other until `over` says so. */
async function buy(shop: Shop, over: () => boolean): Promise<{ ms: number; each: number[] }> {
  const buyers = await shop.buyers(clients * 800)
  const each: number[] = []
  const since = performance.now()
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let buyer = buyers.pop(); buyer && !over(); buyer = buyers.pop()) {
        const { method, path, headers, body } = checkout(buyer, card)
        const begun = performance.now()
        const answer = await fetch(`${shop.api}${path}`, { method, headers, body })
        if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
        await answer.arrayBuffer()
        each.push(performance.now() - begun)
      }
    }),
  )
  return { ms: performance.now() - since, each }
}

export const overdueMembers: Measure = {
  name: 'overdue-members',
  parts: [
    { name: 'overdue-100000', target: { p95_ms: 60_000, clients: 1 } },
    { name: 'overdue-checkouts', target: { clients } },
  ],
  async measure(_, shop): Promise<Result[]> {
    const [{ id: storeId }, place] = [await newStore(shop, 'overdue-members'), await openPlace()]
    const call = client({ base: shop.api, headers: shop.operator })
    const path = { storeId }
    const audience = await call('POST /v1/stores/{storeId}/audiences', {
      path,
      body: { key: 'club', type: { type: 'paid' } },
    })
    const events = [{ event: 'audience.member_access_cancelled' as const }]
    const hook = await call('POST /v1/stores/{storeId}/webhooks', {
      path,
      body: { key: 'ended', url: place.url, events, headers: {}, enabled: true },
    })
    const end = performance.now() + aloneMs
    const alone = await buy(shop, () => performance.now() > end)
    const at = seconds() + 40
    await fillMembers(shop, storeId, audience.id, at)
    if (seconds() >= at) throw new Error('The members were overdue before all of them were there.')
    while (seconds() <= at) await pause(50)
    const since = performance.now()
    let over = false
    const buying = buy(shop, () => over)
    const left = async () =>
      (
        await shop.db.query<{ left: number }>(
          `select count(*)::int as left from audience_members where tenant_id = $1 and status = 'active'`,
          [storeId],
        )
      ).rows[0]?.left
    while ((await left()) !== 0) {
      if (performance.now() - since > limitMs)
        throw new Error(`overdue-members: ${await left()} members are still active`)
      await pause(250)
    }
    const ms = performance.now() - since
    over = true
    const beside = await buying
    const { rows } = await shop.db.query<{ members: number; events: number }>(
      `select (select count(*)::int from audience_members where tenant_id = $1 and status = 'expired' and ended_at = access_until) as members,
       (select count(distinct data #>> '{member,id}')::int from events where tenant_id = $1 having count(*) = ${count}) as events`,
      [storeId],
    )
    if (rows[0]?.members !== count || rows[0].events !== count)
      throw new Error(`overdue-members: ${JSON.stringify(rows[0])} instead of ${count} of each`)
    await call('DELETE /v1/stores/{storeId}/webhooks/{id}', { path: { storeId, id: hook.id } })
    await place.stop()
    const checkouts = resultOf('overdue-checkouts', clients, 0, beside, null)
    return [
      resultOf('overdue-100000', 1, 0, { ms, each: [ms] }, null),
      { ...checkouts, alone_p95_ms: resultOf('', clients, 0, alone, null).p95_ms },
    ]
  },
}
