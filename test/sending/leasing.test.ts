// The mailboxes of a campaign share its recipients by what they can send, and what was answered while a server
// hesitates is honoured.
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals'
import { closeDatabase, transaction } from '../../activities/kit/database.ts'
import { newAllowance } from '../../activities/sending/allowance.ts'
import { type Ahead, roomOfDay } from '../../activities/sending/preparation.ts'
import { newPreparing } from '../../activities/sending/preparing.ts'
import { unsubscribeTokens } from '../../entities/audiences/member-tokens.ts'
import { openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import { newId } from '../../entities/kit/ids.ts'
import type { Attended } from '../../entities/sending/dispatch.ts'
import { leaseEnrollments } from '../../entities/sending/leasing.ts'
import { reserve } from '../../entities/sending/sending.ts'
import { usualLimits } from '../../rules/mail/mailboxes.ts'
import { newSendQueue } from '../../rules/sending/send-queue.ts'
import { launch, newTemplate } from '../kit/campaigns/campaigns.ts'
import {
  campaignOf,
  copiesOf,
  drafted,
  enrollmentsOf,
  mailboxAt,
  messagesOf,
  type SendingLab,
  sentTo,
  startSendingLab,
  untilStatus,
} from '../kit/campaigns/sending-lab.ts'
import { until } from '../kit/codes.ts'
import { api, database } from '../kit/shop.ts'

jest.setTimeout(120_000)

let world: SendingLab
beforeAll(async () => {
  world = await startSendingLab('sharing', { MAIL_LIMIT_MS: '20000', RECONCILE_EVERY_MS: '1000' })
})
afterAll(async () => {
  await closeDatabase()
  await world.stop()
})
afterEach(() => {
  world.sink.delayMs = 0
})

const boxesOf = async (campaignId: string): Promise<number[]> => {
  const { rows } = await database().query(
    'select count(*)::int as n from campaign_messages where campaign_id = $1 and sent_at is not null group by mailbox_id order by n',
    [campaignId],
  )
  return rows.map(({ n }) => n)
}
const waitsFor = async (id: string) => (await world.shop.asOperator('GET', `/campaigns/${id}`)).body.stats.waits_for

test('Two mailboxes with a limit of the day send what both may', async () => {
  const { shop, sink } = world
  const boxes = [await mailboxAt(shop, sink, { per_day: 20 }), await mailboxAt(shop, sink, { per_day: 20 })]
  const campaign = await sentTo(shop, 40, { mailbox_ids: boxes.map(({ id }) => id) })
  await untilStatus(campaign.id, 'completed')
  expect([await boxesOf(campaign.id), await enrollmentsOf(campaign.id)]).toEqual([[20, 20], { completed: 40 }])
})

test('What a mailbox may not send today another one sends; the campaign says when both wait', async () => {
  const { shop, sink } = world
  const boxes = [await mailboxAt(shop, sink, { per_day: 5 }), await mailboxAt(shop, sink, { per_day: 30 })]
  const campaign = await sentTo(shop, 50, { mailbox_ids: boxes.map(({ id }) => id) })
  await until(async () => (await waitsFor(campaign.id)) !== null, 30_000)
  expect(await waitsFor(campaign.id)).toEqual({ code: 'mailboxes', until: expect.any(Number) })
  // The last ones may still be on their way.
  await until(async () => copiesOf(sink, campaign.id).size >= 35, 20_000, 20)
  expect([await boxesOf(campaign.id), copiesOf(sink, campaign.id).size]).toEqual([[5, 30], 35])
  // Those that are left have no mailbox: a third mailbox would take them all.
  const { rows } = await database().query(
    `select count(*)::int as n from enrollments where campaign_id = $1 and status = 'active' and mailbox_id is null`,
    [campaign.id],
  )
  expect(rows[0].n).toBe(15)
})

test('Messages that are given up give the limit of the day what they had taken, once', async () => {
  const { shop, sink } = world
  sink.delayMs = 300
  const campaign = await sentTo(shop, 90, { mailbox_ids: [(await mailboxAt(shop, sink, { per_day: 30 })).id] })
  await until(async () => (await messagesOf(campaign.id)).processing)
  const cancelled: unknown[] = await transaction(async (em) => {
    // Claims lock the campaign: none is between its look and its stamp.
    await em.execute(sql`select 1 from campaigns where id = ${campaign.id} for update`)
    return em.execute(sql`
      update enrollments
      set status = 'cancelled'
      where id = any (array(
        select enrollment_id from campaign_messages where campaign_id = ${campaign.id} and status = 'requested'))
      returning id
    `)
  })
  sink.delayMs = 0
  await until(async () => {
    const { requested, processing } = await messagesOf(campaign.id)
    return !requested && !processing && (await waitsFor(campaign.id)) !== null
  }, 30_000)
  expect([await messagesOf(campaign.id), copiesOf(sink, campaign.id).size]).toEqual([
    { failed: cancelled.length, succeeded: 30 },
    30,
  ])
})

test('Of a campaign that one lease would hold, a mailbox takes its share', async () => {
  const { shop, sink } = world
  const boxes = [await mailboxAt(shop, sink), await mailboxAt(shop, sink)].map(({ id }) => id)
  // The drains of the workers leave it alone.
  await database().query(`update mailboxes set sending_again_at = now() + interval '1 hour' where id = any ($1)`, [
    boxes,
  ])
  const { id } = await sentTo(shop, 120, { mailbox_ids: boxes })
  await until(async () => (await campaignOf(id)).status === 'running')
  const leased = (mailboxes: number) => {
    const mailbox = { id: boxes[0] as string, tenant_id: shop.store_id }
    return transaction((em) => leaseEnrollments(em, mailbox, [{ id, mailboxes }], 200))
  }
  // Among two that can send, and alone.
  expect([(await leased(2)).length, (await leased(1)).length]).toEqual([60, 60])
  await database().query(`update campaigns set status = 'cancelled' where id = $1`, [id])
})

test('Two mailboxes without limits share a campaign', async () => {
  const { shop, sink } = world
  sink.delayMs = 5
  const boxes = [await mailboxAt(shop, sink), await mailboxAt(shop, sink)]
  // More than one mailbox writes ahead, so that one that begins later has its share.
  const campaign = await sentTo(shop, 1_500, { mailbox_ids: boxes.map(({ id }) => id) })
  await untilStatus(campaign.id, 'completed', 60_000)
  const [fewer = 0, more = 0] = await boxesOf(campaign.id)
  expect([fewer + more, fewer >= 100]).toEqual([1_500, true])
})

test('A mailbox that may send one message a second leaves the others to a quicker one', async () => {
  const { shop, sink } = world
  const boxes = [await mailboxAt(shop, sink, { per_second: 1 }), await mailboxAt(shop, sink)]
  const campaign = await sentTo(shop, 200, { mailbox_ids: boxes.map(({ id }) => id) })
  await untilStatus(campaign.id, 'completed', 40_000)
  const [fewer = 0, more = 0] = await boxesOf(campaign.id)
  expect([fewer + more, fewer > 0 && fewer <= 30]).toEqual([200, true])
})

const attendedTo = (campaigns: Attended['campaigns']): Attended => ({
  ...{
    id: newId(),
    tenant_id: newId(),
    account_id: newId(),
    store: { key: 'a', name: 'A' },
    email: 'a@tillwright.test',
    name: null,
    reply_to: null,
  },
  ...{
    edited_at: 0,
    smtp: { host: 'localhost', port: 25, security: 'none', username: null, password: null },
    limits: usualLimits,
  },
  ...{ campaigns, again_ms: 0, failures: 0, error_code: null, others_wait: false },
})

test('A mailbox whose limit of the day was used up and is taken away may send again', async () => {
  const mailbox: Attended = {
    ...attendedTo([{ id: newId(), name: 'A campaign', variables: {}, reply_to: null, mailboxes: 1 }]),
    limits: { ...usualLimits, per_day: 0 },
  }
  const preparing = newPreparing(
    () => mailbox,
    newSendQueue(),
    () => {},
  )
  const isOver = async () => {
    preparing.more()
    await preparing.ended()
    return preparing.isDayOver()
  }
  expect(await isOver()).toBe(true)
  mailbox.limits = usualLimits
  await until(async () => !(await isOver()), 10_000)
})

test('A message taken while the limit of the day is read leaves no room for another', async () => {
  const mailbox: Attended = { ...attendedTo([]), limits: { ...usualLimits, per_day: 1 } }
  let waiting = 1
  const state = { mailbox: () => mailbox, queue: { ...newSendQueue<Ahead>(), size: () => waiting }, isDayOver: false }
  const room = roomOfDay(state)
  waiting = 0
  expect([await room, state.isDayOver]).toEqual([0, true])
})

/** A mailbox that no drain of the workers sends with, as a drain of the test attends to it. */
async function restingMailbox(per_day: number): Promise<Attended> {
  const { shop, sink } = world
  const { id } = await mailboxAt(shop, sink, { per_day })
  await database().query(`update mailboxes set sending_again_at = now() + interval '1 hour' where id = $1`, [id])
  return { ...attendedTo([]), id, tenant_id: shop.store_id, limits: { ...usualLimits, per_day } }
}

test('What was reserved and not sent is left of the day once a mailbox asks whether it may send', async () => {
  const mailbox = await restingMailbox(5)
  const allowance = newAllowance(() => mailbox)
  const state = { mailbox: () => mailbox, queue: newSendQueue<Ahead>(), isDayOver: false }
  expect(await allowance.reserved(9)).toBe(5)
  allowance.giveBack(2)
  expect([await roomOfDay(state), state.isDayOver]).toEqual([0, true])
  expect([await allowance.isOpen(), await roomOfDay(state), state.isDayOver]).toEqual([true, 2, false])
  expect([await allowance.reserved(9), await allowance.isOpen(), allowance.isUsedUp()]).toEqual([2, false, true])
})

test('What a failed transaction would have given back to the day counts as sent', async () => {
  const mailbox = await restingMailbox(5)
  let attended = mailbox
  const allowance = newAllowance(() => attended)
  expect(await allowance.reserved(9)).toBe(5)
  allowance.giveBack(2)
  attended = { ...mailbox, id: 'none' }
  await expect(allowance.reserved(9)).rejects.toThrow('uuid')
  attended = mailbox
  expect([await allowance.reserved(9), allowance.isUsedUp()]).toEqual([0, true])
})

test('What is given back in the next hour counts in the hour in which it was taken', async () => {
  const mailbox = await restingMailbox(5)
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600
  const reserveAt = (now: number, count: number, unused: number) =>
    transaction((em) => reserve(em, mailbox, mailbox.limits, { count, unused }, now))
  expect((await reserveAt(hour, 5, 0)).granted).toBe(5)
  expect((await reserveAt(hour + 3_600, 0, 2)).granted).toBe(0)
  expect((await reserveAt(hour + 3_600, 9, 0)).granted).toBe(2)
  // Those of the first hour are over, and those of the second one are not.
  expect((await reserveAt(hour + 24 * 3_600, 9, 0)).granted).toBe(3)
})

test('A message that was given up has what the day leaves before any recipient without a mailbox', async () => {
  const { shop } = world
  const mailbox = await restingMailbox(1)
  const campaign = await sentTo(shop, 2, { mailbox_ids: [mailbox.id] })
  await until(async () => (await campaignOf(campaign.id)).status === 'running')
  mailbox.campaigns = [{ id: campaign.id, name: 'A campaign', variables: {}, reply_to: null, mailboxes: 1 }]
  const queue = newSendQueue<Ahead>()
  const preparing = newPreparing(
    () => mailbox,
    queue,
    () => {},
  )
  const prepared = () =>
    until(async () => {
      preparing.more()
      return queue.size() > 0 && !preparing.isWorking()
    })
  await prepared()
  const [first] = queue.take(1, 1, 0)
  expect(first).toBeDefined()
  queue.done(first as Ahead, 'other', 0)
  preparing.gaveUp()
  // What it had reserved is free again.
  preparing.dayGoesOn()
  await prepared()
  await preparing.ended()
  expect(queue.take(9, 9, 0).map(({ id }) => id)).toEqual([first?.id])
  expect(await messagesOf(campaign.id)).toEqual({ requested: 1 })
  await database().query(`update campaigns set status = 'cancelled' where id = $1`, [campaign.id])
})

test('A drain releases the recipients of a campaign that is paused while it leases them, once', async () => {
  const { shop, sink } = world
  const { id } = await mailboxAt(shop, sink)
  // The drains of the workers leave it alone.
  await database().query(`update mailboxes set sending_again_at = now() + interval '1 hour' where id = $1`, [id])
  const campaign = await drafted(shop, 3, { mailbox_ids: [id] })
  await database().query('update enrollments set due_at = now() where campaign_id = $1', [campaign.id])
  await database().query(`update campaigns set status = 'running', launched_at = 1, begun_at = 1 where id = $1`, [
    campaign.id,
  ])
  const { rows } = await database().query('select tenant_id from mailboxes where id = $1', [id])
  let reads = 0
  const attended: Attended = {
    ...attendedTo([{ id: campaign.id, name: 'A campaign', variables: {}, reply_to: null, mailboxes: 1 }]),
    ...{ id, tenant_id: rows[0].tenant_id },
    // They are read before each lease. From the first lease on, the mailbox was last read while its campaign was
    // paused.
    get limits() {
      if (++reads === 3) attended.campaigns = []
      return usualLimits
    },
  }
  const round = Promise.withResolvers<void>()
  const preparing = newPreparing(() => attended, newSendQueue(), round.resolve)
  preparing.more()
  await round.promise
  expect(attended.campaigns).toEqual([])
  expect([await messagesOf(campaign.id), await enrollmentsOf(campaign.id)]).toEqual([{}, { active: 3 }])
  const { rows: due } = await database().query(
    'select count(*)::int as n from enrollments where campaign_id = $1 and due_at <= now()',
    [campaign.id],
  )
  expect(due).toEqual([{ n: 3 }])
  await database().query(`update campaigns set status = 'cancelled' where id = $1`, [campaign.id])
})

test('Recipients whose failed messages were not written count once towards a pause', async () => {
  const { shop, sink } = world
  const { id } = await mailboxAt(shop, sink)
  // The drains of the workers leave it alone.
  await database().query(`update mailboxes set sending_again_at = now() + interval '1 hour' where id = $1`, [id])
  const failing = await newTemplate(shop, {
    body: '<p>{{ missing.field | date: "%" | divided_by: 0 }}</p><a href="{{ unsubscribe_url }}">x</a>',
  })
  const campaign = await sentTo(shop, 10, { mailbox_ids: [id], steps: [{ template_id: failing.id }] })
  const attended: Attended = {
    ...attendedTo([{ id: campaign.id, name: 'A campaign', variables: {}, reply_to: null, mailboxes: 1 }]),
    ...{ id, tenant_id: shop.store_id },
  }
  const preparing = newPreparing(
    () => attended,
    newSendQueue(),
    () => {},
  )
  const due = async () =>
    (
      await database().query(
        `select count(*)::int as n from enrollments where campaign_id = $1 and status = 'active' and due_at <= now()`,
        [campaign.id],
      )
    ).rows[0].n
  await database().query(
    `alter table campaign_messages add constraint none check (campaign_id <> '${campaign.id}') not valid`,
  )
  preparing.more()
  await until(async () => (await due()) === 0, 20_000, 20)
  await until(async () => (await due()) === 10)
  await database().query('alter table campaign_messages drop constraint none')
  await until(async () => {
    preparing.more()
    return (await messagesOf(campaign.id)).failed === 10
  }, 10_000)
  await preparing.ended()
  expect((await campaignOf(campaign.id)).paused_reason).toBeNull()
  await database().query(`update campaigns set status = 'cancelled' where id = $1`, [campaign.id])
})

test('A drain whose campaigns are all paused does not wake itself', async () => {
  let wakes = 0
  const preparing = newPreparing(
    () => attendedTo([]),
    newSendQueue(),
    () => wakes++,
  )
  preparing.more()
  await preparing.ended()
  expect(wakes).toBe(0)
})

test('A campaign whose last recipients are with a mailbox that rests says that it waits for it', async () => {
  const { shop, sink } = world
  const boxes = [await mailboxAt(shop, sink), await mailboxAt(shop, sink)]
  const campaign = await drafted(shop, 2, { mailbox_ids: boxes.map(({ id }) => id) })
  // Both were written to by the first mailbox before, which rests.
  await database().query('update enrollments set mailbox_id = $2 where campaign_id = $1', [campaign.id, boxes[0]?.id])
  await database().query(
    `update mailboxes set sending_again_at = now() + interval '1 hour', sending_failures = 1 where id = $1`,
    [boxes[0]?.id],
  )
  await database().query(`update campaigns set status = 'running', launched_at = 1, begun_at = 1 where id = $1`, [
    campaign.id,
  ])
  expect(await waitsFor(campaign.id)).toEqual({ code: 'mailboxes', until: expect.any(Number) })
  await database().query('update mailboxes set sending_again_at = null where id = $1', [boxes[0]?.id])
  expect(await waitsFor(campaign.id)).toBeNull()
  await database().query(`update campaigns set status = 'cancelled' where id = $1`, [campaign.id])
})

async function cancelEnrollment(campaignId: string): Promise<number> {
  const { shop } = world
  const { items } = (await shop.asOperator('GET', `/campaigns/${campaignId}/enrollments`)).body
  return (await shop.asOperator('POST', `/campaign-enrollments/${items[0].id}/cancel`)).status
}

test.each([
  ['the cancellation of the enrollment', cancelEnrollment, { enrollment: 'cancelled', message: 'failed' }],
  [
    'a pause',
    async (id: string) => (await world.shop.asOperator('POST', `/campaigns/${id}/pause`)).status,
    { enrollment: 'active', message: 'requested' },
  ],
  [
    'a cancellation',
    async (id: string) => (await world.shop.asOperator('POST', `/campaigns/${id}/cancel`)).status,
    { enrollment: 'active', message: 'failed' },
  ],
] as const)('A server that awaits the body after %s was answered gets none', async (_, act, ended) => {
  const { shop, sink } = world
  const campaign = await drafted(shop, 1, { mailbox_ids: [(await mailboxAt(shop, sink)).id] })
  await launch(shop, campaign.id)
  // The replies to the envelope come late, and those to the greeting and to EHLO before them.
  sink.delayMs = 3_000
  await until(async () => (await messagesOf(campaign.id)).processing === 1, 30_000)
  expect(await act(campaign.id)).toBe(200)
  await until(async () => (await messagesOf(campaign.id))[ended.message] === 1, 30_000)
  expect([await messagesOf(campaign.id), await enrollmentsOf(campaign.id)]).toEqual([
    { [ended.message]: 1 },
    { [ended.enrollment]: 1 },
  ])
  expect(copiesOf(sink, campaign.id).size).toBe(0)
  sink.delayMs = 0
  if (ended.message !== 'requested') return
  expect((await shop.asOperator('POST', `/campaigns/${campaign.id}/resume`)).status).toBe(200)
  await untilStatus(campaign.id, 'completed')
  expect([await campaignOf(campaign.id), copiesOf(sink, campaign.id).size]).toEqual([
    { status: 'completed', paused_reason: null },
    1,
  ])
})

test('A server that awaits the body after an unsubscription gets none, and another one does', async () => {
  const { shop, sink } = world
  const campaign = await drafted(shop, 2, { mailbox_ids: [(await mailboxAt(shop, sink)).id] })
  const { rows } = await database().query('select id, address from enrollments where campaign_id = $1', [campaign.id])
  const ids = rows.map(({ id }) => id)
  // The tokens of the links in the messages.
  const orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 1 })
  const tokens = new Map(await unsubscribeTokens(unitOf(orm, null), shop.store_id, ids, Math.floor(Date.now() / 1000)))
  await orm.close(true)
  await launch(shop, campaign.id)
  sink.delayMs = 3_000
  const first = await until(
    async () =>
      (
        await database().query(
          `select enrollment_id as id from campaign_messages where campaign_id = $1 and status = 'processing'`,
          [campaign.id],
        )
      ).rows[0],
    30_000,
  )
  const link = `${api()}/v1/customer/audiences/unsubscribe?token=${tokens.get(first.id)}`
  expect((await fetch(link, { method: 'POST', body: 'List-Unsubscribe=One-Click' })).status).toBe(200)
  await until(
    async () => (await messagesOf(campaign.id)).failed === 1 && (await messagesOf(campaign.id)).succeeded === 1,
    40_000,
  )
  expect(await enrollmentsOf(campaign.id)).toEqual({ unsubscribed: 1, completed: 1 })
  expect([...copiesOf(sink, campaign.id).keys()]).toEqual(
    rows.flatMap(({ id, address }) => (id === first.id ? [] : [address])),
  )
})
