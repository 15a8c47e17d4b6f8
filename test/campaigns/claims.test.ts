// Claims of messages, and the end of a campaign, under every order of the transactions that change them.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { unslottedMessage } from '../../entities/campaigns/campaign-messages.ts'
import { completeCampaigns } from '../../entities/campaigns/completing.ts'
import { leave } from '../../entities/campaigns/dispatching.ts'
import { claimMessages, giveBackClaim } from '../../entities/campaigns/sending.ts'
import { newId, uuids } from '../../entities/kit/ids.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/orm.ts'
import { addMessage, enroll, enrollmentsOf, newCampaign, setCampaign } from '../kit/campaigns.ts'
import { until } from '../kit/codes.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
let orm: Orm
beforeAll(async () => {
  ;[shop, orm] = await Promise.all([newShop(), openOrm({ url: process.env.DATABASE_URL as string, pool: 4 })])
})
afterAll(async () => {
  await orm.close(true)
  await database().end()
})

/** A running campaign that no drain sends, with one message that was written ahead. */
async function written() {
  const campaign = await newCampaign(shop)
  await enroll(shop, campaign.id)
  const mailbox = { id: campaign.mailbox_ids[0] as string, tenant_id: shop.store_id }
  const enrollment_id = (await enrollmentsOf(campaign.id))[0]?.id as string
  await database().query('update enrollments set mailbox_id = $2, due_at = null where id = $1', [enrollment_id, mailbox.id])
  const message = await addMessage(shop, campaign.id, { enrollment_id, mailbox_id: mailbox.id, status: 'requested', due_at: new Date(0) })
  await database().query(`insert into campaign_stats (tenant_id, campaign_id, step, mailbox_id, requested) values ($1, $2, 0, $3, 1)`, [
    shop.store_id,
    campaign.id,
    mailbox.id,
  ])
  await setCampaign(campaign.id, { status: 'running', launched_at: 1 })
  return { id: campaign.id as string, mailbox, enrollment_id, message }
}
const statusOf = async (table: string, id: string) => (await database().query(`select status from ${table} where id = $1`, [id])).rows[0].status
/** A statement of another connection waits for a lock. */
const untilWaits = () =>
  until(async () => (await database().query(`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%campaign_messages%'`)).rows[0])

test('A claim whose commit comes after it was given up is given back', async () => {
  const { id, mailbox, message } = await written()
  const token = newId()
  const claiming = unitOf(orm, null)
  await claiming.begin()
  const claim = { ids: [message], campaignIds: [id], unread: [], token, limitMs: 5_000 }
  expect(await claimMessages(claiming, mailbox, claim)).toMatchObject([{ id: message, holds: true }])
  const back = unitOf(orm, null).transactional((em) => giveBackClaim(em as never, mailbox, [message], token))
  await untilWaits()
  await claiming.commit()
  await back
  expect(await statusOf('campaign_messages', message)).toBe('requested')
})

test('A message of a step that was given back is left to its drain, and a reply is not', async () => {
  const { id, mailbox, enrollment_id, message } = await written()
  expect(await unslottedMessage(unitOf(orm, null), message)).toBe('waits')
  const reply = await addMessage(shop, id, { enrollment_id, mailbox_id: mailbox.id, kind: 'reply', step: null, status: 'requested', due_at: new Date(0) })
  expect(await unslottedMessage(unitOf(orm, null), reply)).toMatchObject({ queue: 'campaigns', row_id: reply })
})

test('A campaign of which an enrollment becomes active meanwhile is not completed', async () => {
  const { id, enrollment_id } = await written()
  await database().query(`update enrollments set status = 'unknown' where id = $1`, [enrollment_id])
  const completing = unitOf(orm, null)
  // What a resolution commits between the two statements.
  const execute = completing.execute.bind(completing)
  completing.execute = (async (...given: Parameters<typeof execute>) => {
    const rows = await execute(...given)
    await database().query(`update enrollments set status = 'active' where id = $1`, [enrollment_id])
    return rows
  }) as typeof execute
  await completeCampaigns(completing, uuids([id]))
  expect(await statusOf('campaigns', id)).toBe('running')
  await database().query(`update enrollments set status = 'completed' where id = $1`, [enrollment_id])
  await completeCampaigns(unitOf(orm, null), uuids([id]))
  expect(await statusOf('campaigns', id)).toBe('completed')
})

test('What was written ahead of a cancelled campaign has failed when its drain ends', async () => {
  const { id, mailbox, message } = await written()
  expect((await shop.asOperator('POST', `/campaigns/${id}/cancel`)).status).toBe(200)
  await leave(unitOf(orm, null), mailbox, Math.floor(Date.now() / 1000))
  const { body } = await shop.asOperator('GET', `/campaign-messages/${message}`)
  expect(body).toMatchObject({ status: 'failed', error: { code: 'no_longer_wanted' } })
  expect((await shop.asOperator('GET', `/campaigns/${id}`)).body.stats.messages).toMatchObject({ requested: 0, failed: 1 })
})
