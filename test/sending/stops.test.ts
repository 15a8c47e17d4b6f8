// Refusals while sending: those of a recipient count as bounces do, and those that concern the sender pause the
// campaign while its recipients wait.
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals'
import { settleEffect } from '../../activities/effects.ts'
import { closeDatabase } from '../../activities/kit/database.ts'
import { launch } from '../kit/campaigns/campaigns.ts'
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
  statsOf,
  untilStatus,
} from '../kit/campaigns/sending-lab.ts'
import { until } from '../kit/codes.ts'
import { database } from '../kit/shop.ts'

jest.setTimeout(120_000)

let world: SendingLab
beforeAll(async () => {
  world = await startSendingLab('refusals', {
    CAMPAIGN_RETRY_S: '1,1',
    MAIL_RETRY_S: '1',
    MAIL_LIMIT_MS: '6000',
    RECONCILE_EVERY_MS: '1000',
  })
})
afterAll(() => world.stop())
afterEach(() => {
  world.sink.rule = () => undefined
})

const isOf = (to: string, { id }: { id: string }) => to.includes(`-${id.slice(-12)}@`)
const reasonOf = async (id: string) => (await campaignOf(id)).paused_reason?.code ?? null
const resume = async (id: string) => (await world.shop.asOperator('POST', `/campaigns/${id}/resume`)).status
const idle = (id: string) => until(async () => !(await messagesOf(id)).processing)

test.each([
  ['rcpt', '550 5.7.1 Service unavailable; client host blocked using a block list', 'sender_reputation'],
  ['data', '554 5.7.26 This mail is unauthenticated', 'sender_reputation'],
  ['dot', '554 5.7.1 rejected', 'sender_reputation'],
  ['dot', '554 5.7.1 The message was classified as spam', 'nearly_all_refused'],
] as const)(
  'A campaign refused at %s with %s is paused, and all is sent when it is resumed',
  async (at, reply, reason) => {
    const { shop, sink } = world
    sink.rule = () => ({ at, reply })
    const campaign = await sentTo(shop, 60, { mailbox_ids: [(await mailboxAt(shop, sink)).id] })
    await untilStatus(campaign.id, 'paused')
    await idle(campaign.id)
    expect([await reasonOf(campaign.id), await enrollmentsOf(campaign.id)]).toEqual([reason, { active: 60 }])
    const waiting = await database().query(
      `select error from campaign_messages where campaign_id = $1 and status = 'requested' and error is not null limit 1`,
      [campaign.id],
    )
    expect(waiting.rows[0].error).toMatchObject({
      code: 'sender_refused',
      message: expect.stringContaining(reply.slice(4)),
    })
    // Resumed too early, it is paused again, and no recipient is lost.
    expect(await resume(campaign.id)).toBe(200)
    await untilStatus(campaign.id, 'paused')
    await idle(campaign.id)
    expect(await enrollmentsOf(campaign.id)).toEqual({ active: 60 })
    sink.rule = () => undefined
    const before = copiesOf(sink, campaign.id).size
    expect(await resume(campaign.id)).toBe(200)
    await untilStatus(campaign.id, 'completed')
    expect([before > 0, await enrollmentsOf(campaign.id)]).toEqual([at === 'dot', { completed: 60 }])
    expect((await messagesOf(campaign.id)).succeeded).toBe(60)
  },
)

test('A campaign of three is paused when all its attempts were refused, however few they are', async () => {
  const { shop, sink } = world
  sink.rule = () => ({ at: 'rcpt', reply: '550 5.7.1 policy' })
  const campaign = await sentTo(shop, 3, { mailbox_ids: [(await mailboxAt(shop, sink)).id] })
  await untilStatus(campaign.id, 'paused')
  expect([await reasonOf(campaign.id), await enrollmentsOf(campaign.id)]).toEqual(['sender_reputation', { active: 3 }])
  sink.rule = () => undefined
  await idle(campaign.id)
  expect(await resume(campaign.id)).toBe(200)
  await untilStatus(campaign.id, 'completed')
  expect(await messagesOf(campaign.id)).toEqual({ succeeded: 3 })
})

test('A fifth of a campaign that is refused for the reputation of its sender pauses it', async () => {
  const { shop, sink } = world
  sink.rule = ({ to }) =>
    Number(/^c(\d+)-/.exec(to)?.[1]) % 3 === 0 ? { at: 'rcpt', reply: '550 5.7.1 blocked by reputation' } : undefined
  const campaign = await sentTo(shop, 200, { mailbox_ids: [(await mailboxAt(shop, sink)).id] })
  await untilStatus(campaign.id, 'paused')
  expect(await reasonOf(campaign.id)).toBe('sender_reputation')
  const { active = 0, completed = 0, ...others } = await enrollmentsOf(campaign.id)
  expect([active > 0 && completed > 0 && active + completed, others]).toEqual([200, {}])
})

test('A recipient whose server alone refuses the sender fails, and is not suppressed', async () => {
  const { shop, sink } = world
  sink.rule = ({ to }) => (to.startsWith('c1-') ? { at: 'rcpt', reply: '550 5.7.1 policy' } : undefined)
  const campaign = await sentTo(shop, 12, { mailbox_ids: [(await mailboxAt(shop, sink)).id] })
  await untilStatus(campaign.id, 'completed')
  expect(await enrollmentsOf(campaign.id)).toEqual({ completed: 11, failed: 1 })
  expect(await statsOf(campaign.id)).toEqual({ succeeded: 11, rejected: 1, bounced: 1 })
  const { rows } = await database().query(
    `select bounce from campaign_messages where campaign_id = $1 and bounced_at is not null`,
    [campaign.id],
  )
  expect(rows).toEqual([
    { bounce: { status: '5.7.1', diagnostic: expect.stringContaining('policy'), class: 'reputation' } },
  ])
})

/** The status of the channel with the address of the campaign's only enrollment, whose contact had none. */
async function channelOf(campaignId: string): Promise<string | undefined> {
  const { rows } = await database().query(
    `select ch.status from enrollments e join contact_channels ch on ch.tenant_id = e.tenant_id and ch.type = 'email' and ch.address = e.address where e.campaign_id = $1`,
    [campaignId],
  )
  return rows[0]?.status
}

/** A campaign to the address of a contact, which the server answers with this. */
async function refusedAt(address: string, reply: string): Promise<string> {
  const { shop, sink } = world
  sink.rule = ({ to }) => (to === address ? { at: 'rcpt', reply } : undefined)
  const campaign = await drafted(shop, 1, { mailbox_ids: [(await mailboxAt(shop, sink)).id] })
  await database().query('update enrollments set address = $2 where campaign_id = $1', [campaign.id, address])
  expect((await launch(shop, campaign.id)).status).toBe(200)
  await untilStatus(campaign.id, 'completed')
  return campaign.id
}

test('An address that a server does not know is suppressed at once, without an enhanced code too', async () => {
  const campaign = await refusedAt('nobody@customer.example', '550 No such user here')
  expect([await enrollmentsOf(campaign), await channelOf(campaign)]).toEqual([{ bounced: 1 }, 'bounced'])
  expect(await statsOf(campaign)).toEqual({ rejected: 1, bounced: 1 })
})

test('An address whose mailbox is full is suppressed by its third refusal in 30 days', async () => {
  const found: unknown[] = []
  for (let n = 0; n < 3; n++) {
    const campaign = await refusedAt('full@customer.example', '552 Mailbox quota exceeded')
    found.push([await enrollmentsOf(campaign), await channelOf(campaign)])
  }
  expect(found).toEqual([
    [{ failed: 1 }, undefined],
    [{ failed: 1 }, undefined],
    [{ bounced: 1 }, 'bounced'],
  ])
})

test('A server that refuses sessions for reputation pauses the campaigns of the mailbox', async () => {
  const { shop, sink } = world
  sink.rule = () => ({ at: 'greeting', reply: '554 5.7.1 Your IP is on a block list' })
  const campaign = await sentTo(shop, 3, { mailbox_ids: [(await mailboxAt(shop, sink)).id] })
  await untilStatus(campaign.id, 'paused', 30_000)
  expect([await reasonOf(campaign.id), await enrollmentsOf(campaign.id)]).toEqual(['sender_reputation', { active: 3 }])
})

test('What a server says that PostgreSQL cannot store is shown at its mailbox', async () => {
  const { shop, sink } = world
  sink.rule = () => ({ at: 'greeting', reply: '454 4.7.0 Busy \0 now' })
  const { id } = await mailboxAt(shop, sink)
  const campaign = await sentTo(shop, 1, { mailbox_ids: [id] })
  const { sending_error } = await until(
    async () =>
      (await database().query('select sending_error from mailboxes where id = $1 and sending_failures > 0', [id]))
        .rows[0],
    30_000,
  )
  expect(sending_error.message).toContain('Busy \ufffd now')
  await database().query(`update campaigns set status = 'cancelled' where id = $1`, [campaign.id])
})

test('A reply whose address its server does not know suppresses the address', async () => {
  const { shop, sink } = world
  const campaign = await sentTo(shop, 1, { mailbox_ids: [(await mailboxAt(shop, sink)).id] })
  await untilStatus(campaign.id, 'completed')
  sink.rule = ({ to }) => (isOf(to, campaign) ? { at: 'rcpt', reply: '550 unknown user' } : undefined)
  const { items } = (await shop.asOperator('GET', `/campaigns/${campaign.id}/enrollments`)).body
  const answer = await shop.asOperator('POST', `/campaign-enrollments/${items[0].id}/reply`, {
    message_id: crypto.randomUUID(),
    body: 'Hello',
  })
  expect(answer.body.status).toBe('rejected')
  await until(async () => (await enrollmentsOf(campaign.id)).bounced === 1)
  const read = async () => (await shop.asOperator('GET', `/campaign-messages/${answer.body.id}`)).body
  expect(await read()).toMatchObject({ bounced_at: expect.any(Number), bounce: { status: null } })
  // Its count was lost with the process, or with an error of the database: the settle step counts it.
  await database().query('update campaign_messages set bounced_at = null, bounce = null where id = $1', [
    answer.body.id,
  ])
  await settleEffect('campaign_message', answer.body.id, '', null)
  await closeDatabase()
  expect(await read()).toMatchObject({ bounced_at: expect.any(Number), bounce: { status: null } })
})
