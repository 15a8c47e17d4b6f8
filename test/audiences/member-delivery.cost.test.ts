// What opting in and out costs in an audience with 100,000 members, most of whom opted out.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newAudience, tokenIn } from '../kit/audiences/audiences.ts'
import { readsOf, recordStatementsAlone, rowsOf } from '../kit/database/statements.ts'
import { database, http, newEmail, newShop, type Shop } from '../kit/shop.ts'

let own: Awaited<ReturnType<typeof recordStatementsAlone>>
let shop: Shop
let audience: string
beforeAll(async () => {
  own = await recordStatementsAlone('delivery')
  shop = await newShop()
  audience = (await newAudience(shop)).id
  const client = await database().connect()
  await client.query("set session_replication_role = 'replica'")
  await client.query(
    `insert into audience_members (id, created_at, updated_at, tenant_id, audience_id, contact_id, status, source, fields, joined_at, opted_out, delivery_status)
     select gen_random_uuid(), n, n, $1, $2, gen_random_uuid(), 'active', 'import', '{}', n, n % 4 > 0, case when n % 4 > 0 then 'unsubscribed' else 'subscribed' end
     from generate_series(1, 100000) n`,
    [shop.store_id, audience],
  )
  await client.query('analyze audience_members')
  client.release(true)
}, 180_000)
afterAll(async () => {
  await database().end()
  await own.close()
})

test('Opting in and out reads the members with the address alone, of 100,000 in the audience', async () => {
  const visitor = await shop.visitor(newEmail())
  const { body } = await visitor.call('POST', `/audiences/${audience}/subscribe`, {})
  const token = tokenIn(body.member.manage_url)
  for (const path of ['unsubscribe', 'resubscribe']) {
    const statements = await own.said((base) => http('POST', `/v1/customer/audiences/${path}?token=${token}`, { base }))
    const reading = statements.filter(({ text }) => /^(select|with)/.test(text) && /audience_members/.test(text))
    expect(reading.length).toBeGreaterThanOrEqual(3)
    for (const statement of reading) {
      const plan = await own.planOf(statement)
      expect(readsOf(plan, 'audience_members').map((node) => node['Node Type'])).not.toContain('Seq Scan')
      expect(rowsOf(plan)).toBeLessThan(150)
    }
  }
})
