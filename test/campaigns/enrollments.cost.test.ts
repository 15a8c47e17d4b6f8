// The cost of the lists of a large campaign: every filter finds its page by an index.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { newCampaign } from '../kit/campaigns/campaigns.ts'
import { nodesOf, recordStatementsAlone, rowsOf, type Statement } from '../kit/database/statements.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'

jest.setTimeout(60_000)

const count = 20_000

let own: Awaited<ReturnType<typeof recordStatementsAlone>>
let shop: Shop
let campaign: string
let contact: string

beforeAll(async () => {
  own = await recordStatementsAlone('campaign-lists')
  shop = await newShop()
  campaign = (await newCampaign(shop)).id
  // Few ended early, few messages did not arrive: their filters must not read the others.
  await database().query(
    `with e as (insert into enrollments (id, created_at, updated_at, tenant_id, campaign_id, contact_id, address, variables, shuffle, status, step, due_at)
       select gen_random_uuid(), 1700000000 + n / 5000, 1700000000 + (n * 7919) % 100000, $1, $2, gen_random_uuid(), 'person' || n || '@tillwright.test', '{}', n,
         case when n % 2000 = 7 then 'bounced' when n % 3 = 0 then 'active' else 'completed' end, case when n % 2000 = 9 then 2 else n % 2 end, now()
       from generate_series(1, $3::int) n returning id, created_at, shuffle as n)
     insert into campaign_messages (id, created_at, updated_at, tenant_id, campaign_id, enrollment_id, kind, step, mailbox_id, address, attachments, status, fingerprint, bounced_at, content)
     select gen_random_uuid(), created_at + s, created_at + (n * 7919) % 100000, $1, $2, e.id, case when n % 2000 = 5 then 'reply' else 'step' end, case when n % 2000 <> 5 then s end,
       e.id, 'a@tillwright.test', '[]', case when n % 2000 = 3 then 'unknown' when n % 2000 = 1 then 'rejected' else 'succeeded' end, '', case when n % 2000 = 7 then 1 end, decode(repeat('ab', 300), 'hex')
     from e, generate_series(0, 1) s`,
    [shop.store_id, campaign, count],
  )
  await database().query('vacuum analyze enrollments')
  await database().query('vacuum analyze campaign_messages')
  contact = (await database().query('select contact_id from enrollments where campaign_id = $1 limit 1', [campaign]))
    .rows[0].contact_id
})
afterAll(async () => {
  await database().end()
  await own.close()
})

test.each<[list: string, by: string, query: () => string]>([
  ['enrollments', 'default', () => ''],
  ['enrollments', 'age', () => 'sort_direction=asc'],
  ['enrollments', 'a rare status', () => 'status=bounced'],
  ['enrollments', 'a frequent status', () => 'status=completed'],
  ['enrollments', 'a status that none has', () => 'status=replied'],
  ['enrollments', 'a step', () => 'step=1'],
  ['enrollments', 'a rare step', () => 'step=2'],
  ['enrollments', 'status and step', () => 'status=bounced&step=1'],
  ['enrollments', 'a contact', () => `contact_id=${contact}`],
  ['enrollments', 'an address', () => 'query=person77@'],
  ['enrollments', 'a frequent prefix', () => 'query=person'],
  ['enrollments', 'a rare prefix', () => 'query=PERSON77'],
  ['enrollments', 'a prefix that none has', () => 'query=nobody'],
  ['messages', 'default', () => ''],
  ['messages', 'age', () => 'sort_direction=asc'],
  ['messages', 'a rare status', () => 'status=unknown'],
  ['messages', 'two rare statuses', () => 'status=unknown,rejected'],
  ['messages', 'a frequent status', () => 'status=succeeded'],
  ['messages', 'a kind', () => 'kind=reply'],
  ['messages', 'the frequent kind', () => 'kind=step'],
  ['messages', 'a step', () => 'step=1'],
  ['messages', 'a step that none has', () => 'step=5'],
  ['messages', 'bounces', () => 'bounced=true'],
  ['messages', 'no bounce', () => 'bounced=false'],
])('A page of 20 %s of a campaign by %s reads what it shows', async (list, _, query) => {
  const at = `/campaigns/${campaign}/${list}?limit=20&${query()}`
  const statements = await own.statementsOf(shop, 'GET', at)
  const table = list === 'messages' ? 'campaign_messages' : list
  const plan = await own.planOf(statements.find(({ text }) => new RegExp(`from "?${table}\\b`).test(text)) as Statement)
  expect(statements.length).toBeLessThanOrEqual(5)
  expect(nodesOf(plan)).not.toContain('Seq Scan')
  expect(rowsOf(plan)).toBeLessThan(500)
})
