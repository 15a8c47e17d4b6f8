// The statistics of a campaign equal its rows, and cost the same few statements with 100,000 enrollments.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { enroll, launch, newCampaign, newTemplate, setCampaign } from '../kit/campaigns/campaigns.ts'
import type { Made } from '../kit/content/content.ts'
import { readsOf, recordStatementsAlone, rowsOf, type Statement } from '../kit/database/statements.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'

let own: Awaited<ReturnType<typeof recordStatementsAlone>>
let shop: Shop
beforeAll(async () => {
  own = await recordStatementsAlone('statistics')
  shop = await newShop()
})
afterAll(async () => {
  await database().end()
  await own.close()
})

const twoSteps = async (): Promise<Made> => {
  const { id } = await newTemplate(shop)
  return newCampaign(shop, { steps: [{ template_id: id }, { template_id: id, delay_s: 3600 }] })
}
const statsOf = async (id: string) => (await shop.asOperator('GET', `/campaigns/${id}`)).body.stats
const sent = (campaign: Made, count: number, ago: string) =>
  database().query(
    `insert into campaign_messages (id, tenant_id, created_at, updated_at, campaign_id, kind, step, mailbox_id, address, attachments, fingerprint, status)
     select gen_random_uuid(), $1, extract(epoch from now())::bigint - ${ago}, 1, $2, 'reply', null, $3, 'a@tillwright.test', '[]', '', 'succeeded' from generate_series(1, $4) n`,
    [shop.store_id, campaign.id, campaign.mailbox_ids[0], count],
  )

test('The statistics count enrollments and messages by status, in all and for each step', async () => {
  const campaign = await twoSteps()
  expect(await statsOf(campaign.id)).toMatchObject({
    enrolled: 0,
    per_minute: 0,
    estimated_end_at: null,
    steps: [{ position: 0 }, { position: 1 }],
  })
  await enroll(shop, campaign.id, 3)
  await launch(shop, campaign.id)
  await enroll(shop, campaign.id, 2, { step: 1 })
  await enroll(shop, campaign.id, 4, { step: 2, status: 'completed' })
  await enroll(shop, campaign.id, 1, { step: 1, status: 'replied' })
  await database().query(
    'update campaign_stats set requested = 5, succeeded = 7 - step, unknown = 1, bounced = 2, replied = step where campaign_id = $1',
    [campaign.id],
  )
  await sent(campaign, 100, '30')
  const begun = Math.floor(Date.now() / 1000) - 60
  await setCampaign(campaign.id, { launched_at: begun })
  const stats = await statsOf(campaign.id)
  expect(stats).toMatchObject({
    enrolled: 10,
    enrollments: { active: 5, completed: 4, replied: 1, cancelled: 0, unknown: 0 },
    messages: { requested: 10, sent: 13, rejected: 0, failed: 0, unknown: 2 },
    bounced: 4,
    replied: 1,
    steps: [
      { position: 0, enrollments: { active: 3, replied: 0 }, messages: { sent: 7 }, replied: 0 },
      { position: 1, enrollments: { active: 2, replied: 1, completed: 0 }, messages: { sent: 6 }, replied: 1 },
    ],
  })
  expect(stats.per_minute).toBeGreaterThan(90)
  expect(stats.per_minute).toBeLessThanOrEqual(100)
  expect(stats.estimated_end_at).toBeGreaterThanOrEqual(begun + 60 + 3600)
  await shop.asOperator('POST', `/campaigns/${campaign.id}/cancel`)
  expect(await statsOf(campaign.id)).toMatchObject({
    enrollments: { active: 0, cancelled: 5 },
    per_minute: 0,
    estimated_end_at: null,
  })
})

test('The statistics of a campaign read its own rows alone, beside one with 100,000', async () => {
  const [large, small] = [await twoSteps(), await twoSteps()]
  await Promise.all([enroll(shop, large.id, 100_000), enroll(shop, small.id, 10)])
  await database().query('analyze enrollments')
  await launch(shop, small.id)
  // A launch reads as little of many enrollments as of few.
  const launching = await own.statementsOf(shop, 'POST', `/campaigns/${large.id}/launch`, {})
  for (const statement of launching.filter(({ text }) => /^select.* enrollments/s.test(text)))
    expect(rowsOf(await own.planOf(statement))).toBeLessThan(100)
  expect(launching.length).toBeLessThan(20)
  await Promise.all([sent(large, 40_000, '(n / 240)'), sent(small, 20, '1')])
  await database().query('analyze enrollments, campaign_messages')
  const counting = async ({ id }: Made) =>
    (await own.statementsOf(shop, 'GET', `/campaigns/${id}`)).filter(({ text }) => /enrollments|campaign_/.test(text))
  const statements = await counting(small)
  for (const statement of statements) expect(rowsOf(await own.planOf(statement))).toBeLessThan(100)
  const many = await counting(large)
  expect([many.length, statements.length]).toEqual([4, 4])
  // What it waits for is known after few rows, too.
  expect(
    rowsOf(await own.planOf(many.find(({ text }) => text.includes('with campaign_mailboxes')) as Statement)),
  ).toBeLessThan(100)
  // Of its messages, only the newest.
  const pace = many.find(({ text }) => text.includes('campaign_messages')) as Statement
  expect(readsOf(await own.planOf(pace), 'campaign_messages').map((node) => node['Actual Rows'])).toEqual([10_000])
})
