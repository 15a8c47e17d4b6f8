// The erasure of a business with 100,000 rows in five tables, beside batches of 1,000 of the same rows that `pg`
// deletes alone. A rate counts such batches.
import { setTimeout as pause } from 'node:timers/promises'
import { client } from '../client/client.ts'
import type { Measure } from './kit/path.ts'
import { resultOf } from './kit/report.ts'
import type { Shop } from './kit/shop.ts'

const batch = 1_000
/** In the order in which they can be deleted. */
const tables = ['contact_channels', 'contacts', 'product_variants', 'products', 'events'] as const
const each = 20_000
const batches = (tables.length * each) / batch
const limitMs = 300_000

async function filled({ db, api, operator }: Shop, key: string): Promise<string> {
  const { id } = await client({ base: api, headers: operator })('POST /v1/businesses', {
    body: { key, timezone: 'UTC', billingEmail: 'bench@shop.example' },
  })
  await db.query(
    `with n as materialized (select n, extract(epoch from clock_timestamp())::bigint as now from generate_series(1, ${each}) n),
     c as (insert into contacts (id, created_at, updated_at, tenant_id, status, taxonomies, anonymous) select gen_random_uuid(), now, now, $1, 'active', '[]', false from n returning id),
     h as (insert into contact_channels (id, tenant_id, created_at, updated_at, contact_id, address, owned) select gen_random_uuid(), $1, 1, 1, id, id || '@shop.example', true from c),
     p as (insert into products (id, created_at, updated_at, tenant_id, key, slug, blocks, taxonomies) select gen_random_uuid(), now, now, $1, 'p' || n, '{}', '[]', '[]' from n returning id),
     v as (insert into product_variants (id, created_at, updated_at, tenant_id, product_id, position, prices, attributes) select gen_random_uuid(), 1, 1, $1, id, 0, '[]', '[]' from p)
     insert into events (id, created_at, updated_at, tenant_id, type, data) select gen_random_uuid(), now, now, $1, 'order.created', '{}' from n`,
    [id],
  )
  for (const table of tables) await db.query(`vacuum analyze ${table}`)
  return id
}

/** The floor: nothing but the deletions, each a commit. */
async function deleteAlone({ db }: Shop, tenant: string): Promise<number> {
  const since = performance.now()
  for (const table of tables)
    for (let deleted = batch; deleted === batch; )
      deleted =
        (
          await db.query(
            `delete from ${table} where ctid = any (array(select ctid from ${table} where tenant_id = $1 limit ${batch}))`,
            [tenant],
          )
        ).rowCount ?? 0
  return performance.now() - since
}

async function erase({ db, api, operator }: Shop, tenant: string): Promise<number> {
  const since = performance.now()
  const answer = await fetch(`${api}/v1/businesses/${tenant}`, { method: 'DELETE', headers: operator })
  if (!answer.ok) throw new Error(`erasure: ${answer.status} ${await answer.text()}`)
  const isOver = async () =>
    (await db.query("select 1 from erasures where erased_id = $1 and status in ('deleted', 'succeeded')", [tenant]))
      .rowCount === 1
  while (!(await isOver())) {
    if (performance.now() - since > limitMs) throw new Error('erasure: the business is still there')
    await pause(20)
  }
  const ms = performance.now() - since
  for (const table of tables)
    if ((await db.query(`select 1 from ${table} where tenant_id = $1 limit 1`, [tenant])).rowCount !== 0)
      throw new Error(`erasure: ${table} has rows`)
  return ms
}

const timesOf = (ms: number) => ({ ms, each: Array.from({ length: batches }, () => ms / batches) })

export const erasure: Measure = {
  name: 'erasure',
  target: { of_floor: 0.5, clients: 1 },
  async measure(_, shop) {
    const [bare, whole] = [await filled(shop, `bare-${Date.now()}`), await filled(shop, `whole-${Date.now()}`)]
    const floor = await deleteAlone(shop, bare)
    return resultOf('erasure', 1, 0, timesOf(await erase(shop, whole)), timesOf(floor))
  },
}
