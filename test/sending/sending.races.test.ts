// Claims of messages, and the end of a campaign, under every order of the transactions that change them.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MockActivityEnvironment } from '@temporalio/testing'
import { DefaultLogger } from '@temporalio/worker'
import { closeDatabase } from '../../activities/kit/database.ts'
import { drainMailbox } from '../../activities/sending/dispatch.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { newId, uuids } from '../../entities/kit/ids.ts'
import { unslottedMessage } from '../../entities/sending/campaign-messages.ts'
import { completeCampaigns, completeIdleCampaigns } from '../../entities/sending/completion.ts'
import { clear, leave } from '../../entities/sending/dispatch.ts'
import { claimMessages, giveBackClaim } from '../../entities/sending/sending.ts'
import { addMessage, newMailbox, setCampaign, writtenMessage } from '../kit/campaigns/campaigns.ts'
import { until } from '../kit/codes.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
let orm: Orm
beforeAll(async () => {
  ;[shop, orm] = await Promise.all([newShop(), openOrm({ url: process.env.DATABASE_URL as string, pool: 4 })])
})
afterAll(async () => {
  await orm.close(true)
  await closeDatabase()
  await database().end()
})

const written = () => writtenMessage(shop)
const statusOf = async (table: string, id: string) =>
  (await database().query(`select status from ${table} where id = $1`, [id])).rows[0].status

test('A claim whose commit comes after it was given up is given back', async () => {
  const { id, mailbox, message } = await written()
  const token = newId()
  const claiming = unitOf(orm, null)
  await claiming.begin()
  const [{ pid } = { pid: 0 }]: { pid: number }[] = await claiming.execute('select pg_backend_pid() as pid')
  const claim = { ids: [message], campaignIds: [id], unread: [], token, limitMs: 5_000 }
  expect(await claimMessages(claiming, mailbox, claim)).toMatchObject([{ id: message, holds: true }])
  const back = unitOf(orm, null).transactional((em) => giveBackClaim(em as never, mailbox, [message], token))
  await untilAwaited(pid)
  await claiming.commit()
  await back
  expect(await statusOf('campaign_messages', message)).toBe('requested')
})

test('A claim that waits for its campaign stamps nothing after it was given up', async () => {
  const { id, mailbox, message } = await written()
  const holding = await database().connect()
  await holding.query('begin')
  await holding.query('select 1 from campaigns where id = $1 for no key update', [id])
  const token = newId()
  const claim = claimMessages(unitOf(orm, null), mailbox, {
    ids: [message],
    campaignIds: [id],
    unread: [],
    token,
    limitMs: 5_000,
  })
  await untilAwaited(holding)
  await unitOf(orm, null).transactional((em) => giveBackClaim(em as never, mailbox, [message], token))
  await holding.query('commit')
  holding.release()
  expect(await claim).toEqual([])
  expect(await statusOf('campaign_messages', message)).toBe('requested')
})

test('A message of a step that was given back is left to its drain, and a reply is not', async () => {
  const { id, mailbox, enrollment_id, message } = await written()
  for (const status of ['requested', 'processing']) {
    await database().query('update campaign_messages set status = $2 where id = $1', [message, status])
    expect(await unslottedMessage(unitOf(orm, null), message)).toBe('waits')
  }
  const reply = await addMessage(shop, id, {
    enrollment_id,
    mailbox_id: mailbox.id,
    kind: 'reply',
    step: null,
    status: 'requested',
    due_at: new Date(Date.now() - 1_000),
  })
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

test('A campaign whose last enrollment ended under a lock is completed by the reconciler', async () => {
  const { id, enrollment_id } = await written()
  await database().query(`update enrollments set status = 'completed' where id = $1`, [enrollment_id])
  await setCampaign(id, { updated_at: 1 })
  await completeIdleCampaigns(unitOf(orm, null), 30)
  expect(await statusOf('campaigns', id)).toBe('completed')
})

test('What was written ahead of a cancelled campaign fails also where its mailbox was archived', async () => {
  const { id, mailbox, message } = await written()
  expect((await shop.asOperator('POST', `/campaigns/${id}/cancel`)).status).toBe(200)
  await clear(unitOf(orm, null), mailbox.id)
  expect(await statusOf('campaign_messages', message)).toBe('failed')
})

test('The next drain settles what a lost one had stamped, as soon as its deadline has passed', async () => {
  const { id, mailbox, enrollment_id, message } = await written()
  await database().query(
    `update campaign_messages set status = 'processing', attempt = 1, token = 'lost', claimed_at = now() - interval '20 s', sent_at = now() - interval '20 s',
       deadline_at = now() + interval '4 s' where id = $1`,
    [message],
  )
  const drain = (): ReturnType<typeof drainMailbox> =>
    new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') }).run(drainMailbox, mailbox.id)
  const { wait_ms } = await drain()
  expect([await statusOf('campaign_messages', message), Number(wait_ms) > 0 && Number(wait_ms) <= 4_000]).toEqual([
    'processing',
    true,
  ])
  await until(
    async () =>
      (await database().query('select 1 from campaign_messages where id = $1 and deadline_at < now()', [message]))
        .rows[0],
  )
  await drain()
  expect([await statusOf('campaign_messages', message), await statusOf('enrollments', enrollment_id)]).toEqual([
    'unknown',
    'unknown',
  ])
  expect((await shop.asOperator('GET', `/campaigns/${id}`)).body.stats.messages).toMatchObject({
    requested: 0,
    unknown: 1,
  })
})

test('A campaign waits for its mailboxes only while those with all that is left of it rest', async () => {
  const { id, mailbox } = await written()
  const other = await newMailbox(shop)
  await setCampaign(id, { mailbox_ids: JSON.stringify([mailbox.id, other.id]) })
  const waitsFor = async () => (await shop.asOperator('GET', `/campaigns/${id}`)).body.stats.waits_for
  const rest = (mailboxId: string) =>
    database().query(`update mailboxes set sending_again_at = now() + interval '1 hour' where id = $1`, [mailboxId])
  await rest(other.id)
  expect(await waitsFor()).toBeNull()
  await rest(mailbox.id)
  expect(await waitsFor()).toEqual({ code: 'mailboxes', until: expect.any(Number) })
})

test('What was written ahead of a cancelled campaign has failed when its drain ends', async () => {
  const { id, mailbox, message } = await written()
  expect((await shop.asOperator('POST', `/campaigns/${id}/cancel`)).status).toBe(200)
  await leave(unitOf(orm, null), mailbox, Math.floor(Date.now() / 1000))
  const { body } = await shop.asOperator('GET', `/campaign-messages/${message}`)
  expect(body).toMatchObject({ status: 'failed', error: { code: 'no_longer_wanted' } })
  expect((await shop.asOperator('GET', `/campaigns/${id}`)).body.stats.messages).toMatchObject({
    requested: 0,
    failed: 1,
  })
})
