// A service of many providers, half an hour at a time, fourteen times a day. Past bookings are inserted by one
// statement, in the form that checkout writes.
import type pg from 'pg'
import { client } from '../../client/client.ts'
import type { Shop } from './shop.ts'

export type Salon = { service_id: string; provider_ids: string[] }

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
const windows = [{ from: '10:00', to: '17:00' }]

/** Created through the API, with prices in both markets. */
export async function openSalon({ api, operator }: Shop, storeId: string, providers: number): Promise<Salon> {
  const call = client({ base: api, headers: operator })
  const path = { storeId }
  const { id: service_id } = await call('POST /v1/stores/{storeId}/services', { path, body: { key: 'bench-haircut' } })
  const provider_ids: string[] = []
  for (let n = 0; n < providers; n++) {
    const { id: provider_id } = await call('POST /v1/stores/{storeId}/providers', {
      path,
      body: { key: `bench-provider-${n}` },
    })
    provider_ids.push(provider_id)
    await call('POST /v1/stores/{storeId}/service-providers', {
      path,
      body: {
        service_id,
        provider_id,
        working_days: days.map((day) => ({ day, windows })),
        slot_interval: 30,
        prices: ['us', 'eu'].map((market) => ({ market, amount: 4500 })),
      },
    })
  }
  return { service_id, provider_ids }
}

/** Inserts past bookings, each with its own order, and two per day of the next thirty. The store is in UTC. */
export async function fillSchedule(
  db: pg.Pool,
  storeId: string,
  { service_id, provider_ids }: Salon,
  past: number,
): Promise<void> {
  await db.query(
    `with s as materialized (
       select gen_random_uuid() as order_id, row_number() over () as number, p.id as provider_id, a.begins, a.begins + 1800 as ends, d.day < 0 as past,
         jsonb_build_array(jsonb_build_object('from', a.begins, 'to', a.begins + 1800)) as slots, to_char(to_timestamp(a.begins) at time zone 'UTC', 'YYYY-MM-DD') as local_date
       from (select n % $5 as who, -1 - n / (14 * $5) as day, n / $5 % 14 as slot from generate_series(0, $6 - 1) n
             union all select who, day, slot from generate_series(0, $5 - 1) who, generate_series(1, 30) day, unnest('{4,9}'::int[]) slot) d
       join unnest($3::uuid[]) with ordinality p(id, place) on p.place = d.who + 1
       cross join lateral (select $4::bigint + d.day * 86400 + 36000 + d.slot * 1800 as begins) a),
     o as (insert into orders (id, tenant_id, created_at, updated_at, number, status, fulfillment_status, contact_id, verified, source_cart_id, payment_id, market, money, forms)
       select order_id, $1, begins, begins, number, 'confirmed', 'none', gen_random_uuid(), false, gen_random_uuid(), gen_random_uuid(), 'us',
         '{"currency": "USD", "subtotal": 4500, "discount": 0, "shipping": 0, "tax": null, "total": 4500}', '[]' from s),
     b as (insert into order_bookings (id, tenant_id, created_at, updated_at, order_id, ordered_at, position, service_id, provider_id, service_key, provider_key, slots, starts_at, ends_at,
         quantity, unit_price, subtotal, discount, tax, total, status)
       select gen_random_uuid(), $1, begins, begins, order_id, begins, 0, $2, provider_id, 'bench-haircut', 'bench-provider', slots, begins, ends,
         1, 4500, 4500, 0, 0, 4500, case when past then 'completed' else 'confirmed' end from s)
     insert into schedule_days (provider_id, local_date, tenant_id, taken)
     select provider_id, local_date, $1, jsonb_agg(jsonb_build_array(begins, ends) order by begins) from s group by provider_id, local_date`,
    [storeId, service_id, provider_ids, Math.floor(Date.now() / 86_400_000) * 86_400, provider_ids.length, past],
  )
  await db.query('analyze orders, order_bookings, schedule_days')
}
