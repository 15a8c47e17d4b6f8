// Messages of campaigns are sent once, after any reply of their server, and what cannot be sent now waits.
import net, { type AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { LEASE_S } from '../../rules/sending/sending.ts'
import { launch, newTemplate } from '../kit/campaigns/campaigns.ts'
import type { Answer } from '../kit/campaigns/mail-sink.ts'
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
import { untilAwaited } from '../kit/database/locks.ts'
import { database, newShop } from '../kit/shop.ts'

jest.setTimeout(150_000)

let world: SendingLab
beforeAll(async () => {
  world = await startSendingLab('sending', {
    CAMPAIGN_RETRY_S: '1,1,1',
    MAIL_LIMIT_MS: '6000',
    RECONCILE_EVERY_MS: '1000',
  })
})
afterAll(() => world.stop())
afterEach(() => {
  world.sink.rule = () => undefined
  world.sink.delayMs = 0
})

/** Of the recipient c<n>. */
const numberOf = (to: string): number => Number(/^c(\d+)-/.exec(to)?.[1] ?? 0)
const rules = (...answers: (undefined | { number: number; times: number; answer: Answer })[]) => {
  world.sink.rule = ({ to, tries }) =>
    answers.find((one) => one && numberOf(to) === one.number && tries <= one.times)?.answer
}
const noRules = () => {
  world.sink.rule = () => undefined
}

test('Two launches and two drains send one copy to each enrollment', async () => {
  const { shop, sink } = world
  const mailboxes = [await mailboxAt(shop, sink, { connections: 10 }), await mailboxAt(shop, sink)]
  const { settings } = (await shop.asOperator('GET', '')).body
  await shop.asOperator('PUT', '', { settings: { ...settings, name: 'Ada and sons' } })
  const steps = [{ template_id: (await newTemplate(shop, { subject: 'News of {{ store.name }}' })).id }]
  const campaign = await drafted(shop, 400, { mailbox_ids: mailboxes.map(({ id }) => id), steps })
  const answers = await Promise.all([launch(shop, campaign.id), launch(shop, campaign.id)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  await untilStatus(campaign.id, 'completed')
  expect(await messagesOf(campaign.id)).toEqual({ succeeded: 400 })
  expect(await enrollmentsOf(campaign.id)).toEqual({ completed: 400 })
  expect(await statsOf(campaign.id)).toEqual({ succeeded: 400 })
  // It is completed with its last message.
  const ended = await database().query(
    'select c.ended_at - max(extract(epoch from m.settled_at))::float8 as late from campaigns c join campaign_messages m on m.campaign_id = c.id where c.id = $1 group by c.id',
    [campaign.id],
  )
  expect(ended.rows[0].late).toBeLessThan(1)
  expect([...copiesOf(sink, campaign.id).values()]).toEqual(Array(400).fill(1))
  const { rows } = await database().query(
    `select count(distinct mailbox_id)::int as boxes, count(provider_message_id)::int as named, array_agg(distinct subject) as subjects from campaign_messages
     where campaign_id = $1`,
    [campaign.id],
  )
  expect(rows).toEqual([{ boxes: 2, named: 400, subjects: ['News of Ada and sons'] }])
})

test('Every reply of a server has the verdict of its phase', async () => {
  const { shop, sink } = world
  const mailbox = await mailboxAt(shop, sink)
  rules(
    { number: 1, times: 2, answer: { at: 'rcpt', reply: '450 4.2.0 greylisted' } },
    { number: 2, times: 1, answer: { at: 'dot', reply: '451 4.3.0 later' } },
    { number: 3, times: 9, answer: { at: 'dot', reply: '451 4.3.0 later' } },
    { number: 4, times: 9, answer: { at: 'rcpt', reply: '550 5.1.1 no such user' } },
    { number: 5, times: 9, answer: { at: 'dot', reply: '554 5.7.1 spam' } },
    { number: 6, times: 1, answer: { at: 'rcpt', do: 'cut' } },
    { number: 7, times: 1, answer: { at: 'dot', do: 'cut' } },
    { number: 8, times: 1, answer: { at: 'dot', do: 'hang' } },
    { number: 9, times: 9, answer: { at: 'rcpt', reply: '450 4.2.0 never' } },
  )
  const campaign = await sentTo(shop, 12, { mailbox_ids: [mailbox.id] })
  await untilStatus(campaign.id, 'completed', 60_000)
  noRules()
  const { rows } = await database().query(
    `select substring(address from '^c(\\d+)')::int as n, array_agg(status order by try) as tries from campaign_messages where campaign_id = $1 group by 1 order by 1`,
    [campaign.id],
  )
  const tries = Object.fromEntries(rows.map((row) => [row.n, row.tries.join(' ')]))
  expect(tries).toEqual({
    ...{
      1: 'succeeded',
      2: 'rejected succeeded',
      3: 'rejected rejected rejected',
      4: 'rejected',
      5: 'rejected rejected rejected rejected',
      6: 'succeeded',
      7: 'unknown',
      8: 'unknown',
      9: 'rejected',
    },
    ...{ 10: 'succeeded', 11: 'succeeded', 12: 'succeeded' },
  })
  expect(await enrollmentsOf(campaign.id)).toEqual({ completed: 6, failed: 3, bounced: 1, unknown: 2 })
  // Operators find the unknown ones by their failed workflows.
  const unknown = (
    await database().query(`select id from campaign_messages where campaign_id = $1 and status = 'unknown'`, [
      campaign.id,
    ])
  ).rows
  const connection = await Connection.connect({ address: String(world.lab.stack.env.TEMPORAL_ADDRESS) })
  const { workflow } = new Client({ connection })
  for (const { id } of unknown)
    await until(
      () =>
        workflow
          .getHandle(`campaign_message/${id}`)
          .describe()
          .then(
            ({ status }) => status.name === 'FAILED',
            () => false,
          ),
      30_000,
    )
  await connection.close()
  expect(await statsOf(campaign.id)).toEqual({ succeeded: 6, rejected: 10, unknown: 2, bounced: 2 })
  const arrived = copiesOf(sink, campaign.id)
  const bodies = Object.fromEntries([...arrived].map(([to, n]) => [numberOf(to), n]))
  expect(bodies).toEqual({ 1: 1, 2: 2, 3: 3, 5: 4, 6: 1, 7: 1, 8: 1, 10: 1, 11: 1, 12: 1 })
})

test('A worker that is killed while it sends leaves no message to be sent twice', async () => {
  const { lab, shop, sink } = world
  const mailbox = await mailboxAt(shop, sink)
  lab.failAt('after_send', 'campaign_messages', 'kill')
  const campaign = await sentTo(shop, 60, { mailbox_ids: [mailbox.id] })
  await lab.failed('after_send', 'campaign_messages')
  await lab.startWorker()
  // Enrollments that the worker had leased, and written no message for, are due again when their lease ends.
  await untilStatus(campaign.id, 'completed', 1_000 * LEASE_S + 40_000)
  const counts = await messagesOf(campaign.id)
  expect(counts.unknown ?? 0).toBeLessThanOrEqual(5)
  expect((counts.succeeded ?? 0) + (counts.unknown ?? 0)).toBe(60)
  expect(await statsOf(campaign.id)).toEqual(counts)
  expect(Math.max(...copiesOf(sink, campaign.id).values())).toBe(1)
})

test('Nothing is stamped after a pause was answered, and a resumed campaign sends the rest', async () => {
  const { shop, sink } = world
  sink.delayMs = 20
  const mailbox = await mailboxAt(shop, sink)
  const campaign = await sentTo(shop, 200, { mailbox_ids: [mailbox.id] })
  await until(async () => copiesOf(sink, campaign.id).size > 20, 20_000, 20)
  expect((await shop.asOperator('POST', `/campaigns/${campaign.id}/pause`)).status).toBe(200)
  const { rows } = await database().query('select clock_timestamp() as at')
  await until(async () => !(await messagesOf(campaign.id)).processing)
  const late = await database().query(
    'select count(*)::int as n from campaign_messages where campaign_id = $1 and sent_at > $2',
    [campaign.id, rows[0].at],
  )
  expect(late.rows).toEqual([{ n: 0 }])
  expect(copiesOf(sink, campaign.id).size).toBeLessThan(200)
  sink.delayMs = 0
  expect((await shop.asOperator('POST', `/campaigns/${campaign.id}/resume`)).status).toBe(200)
  await untilStatus(campaign.id, 'completed')
  expect([...copiesOf(sink, campaign.id).values()]).toEqual(Array(200).fill(1))
})

test('Messages wait while their server is down, and all arrive afterwards', async () => {
  const { shop, sink } = world
  const mailbox = await mailboxAt(shop, sink)
  sink.rule = () => ({ at: 'greeting', reply: '554 5.3.2 not now' })
  const campaign = await sentTo(shop, 30, { mailbox_ids: [mailbox.id] })
  await until(
    async () =>
      (await database().query('select 1 from mailboxes where id = $1 and sending_failures >= 2', [mailbox.id])).rows[0],
    20_000,
  )
  expect(await campaignOf(campaign.id)).toEqual({ status: 'running', paused_reason: null })
  // Between two tries of its server the campaign says what it waits for.
  await until(
    async () => (await shop.asOperator('GET', `/campaigns/${campaign.id}`)).body.stats.waits_for?.code === 'mailboxes',
  )
  noRules()
  await untilStatus(campaign.id, 'completed')
  expect([...copiesOf(sink, campaign.id).values()]).toEqual(Array(30).fill(1))
  const { rows } = await database().query('select sending_error, sending_failures from mailboxes where id = $1', [
    mailbox.id,
  ])
  expect(rows).toEqual([{ sending_error: null, sending_failures: 0 }])
})

test('A campaign pauses itself when its server refuses the sender or it cannot be rendered', async () => {
  const { shop, sink } = world
  const mailbox = await mailboxAt(shop, sink)
  sink.rule = () => ({ at: 'mail', reply: '550 5.7.1 sender rejected' })
  const refused = await sentTo(shop, 60, { mailbox_ids: [mailbox.id] })
  await untilStatus(refused.id, 'paused')
  noRules()
  expect((await campaignOf(refused.id)).paused_reason?.code).toBe('sender_refused')
  const failing = await newTemplate(shop, {
    body: '<p>{{ missing.field | date: "%" | divided_by: 0 }}</p><a href="{{ unsubscribe_url }}">x</a>',
  })
  const broken = await sentTo(shop, 50, { mailbox_ids: [mailbox.id], steps: [{ template_id: failing.id }] })
  await untilStatus(broken.id, 'paused')
  expect((await campaignOf(broken.id)).paused_reason?.code).toBe('rendering_failed')
  expect(await messagesOf(broken.id)).toEqual({ failed: 20 })
  expect(await enrollmentsOf(broken.id)).toEqual({ failed: 20, active: 30 })
  expect(copiesOf(sink, refused.id).size + copiesOf(sink, broken.id).size).toBe(0)
})

test('Messages whose stamp was not acknowledged are given back, and sent once', async () => {
  const { lab, shop, sink } = world
  const mailbox = await mailboxAt(shop, sink)
  lab.failAt('after_stamp', 'campaign_messages', 'throw')
  const campaign = await sentTo(shop, 40, { mailbox_ids: [mailbox.id] })
  await lab.failed('after_stamp', 'campaign_messages')
  await untilStatus(campaign.id, 'completed')
  expect(await messagesOf(campaign.id)).toEqual({ succeeded: 40 })
  expect([...copiesOf(sink, campaign.id).values()]).toEqual(Array(40).fill(1))
})

test('Recipients whose messages a drain could not write are leased again at once', async () => {
  const { shop } = world
  const mailbox = await mailboxAt(shop, world.sink)
  const steps = [
    { template_id: (await newTemplate(shop)).id },
    { template_id: (await newTemplate(shop)).id, delay_s: 86_400 },
  ]
  const campaign = await drafted(shop, 60, { mailbox_ids: [mailbox.id], steps })
  const holder = await database().connect()
  try {
    expect((await launch(shop, campaign.id, { scheduled_at: Math.floor(Date.now() / 1000) + 3 })).status).toBe(200)
    // A drain counts the messages that it writes.
    await holder.query('begin')
    await holder.query('select 1 from campaign_stats where campaign_id = $1 for update', [campaign.id])
    const [writer] = await untilAwaited(holder, { like: '%insert into campaign_messages%' })
    await database().query('select pg_terminate_backend($1)', [writer])
    await holder.query('rollback')
  } finally {
    holder.release(true)
  }
  const begun = performance.now()
  await until(async () => (await messagesOf(campaign.id)).succeeded === 60, 60_000)
  expect(performance.now() - begun).toBeLessThan((LEASE_S * 1000) / 2)
})

test('A campaign is paused when more than a twentieth of 200 messages bounced', async () => {
  const { shop, sink } = world
  sink.rule = ({ to }) =>
    numberOf(to) % 10 === 0
      ? { at: numberOf(to) % 20 === 0 ? 'rcpt' : 'dot', reply: '550 5.1.1 no such user' }
      : undefined
  const campaign = await sentTo(shop, 500, { mailbox_ids: [(await mailboxAt(shop, sink)).id] })
  await untilStatus(campaign.id, 'paused')
  noRules()
  expect((await campaignOf(campaign.id)).paused_reason?.code).toBe('too_many_bounces')
  await until(async () => !(await messagesOf(campaign.id)).processing)
  const { succeeded = 0, rejected = 0 } = await messagesOf(campaign.id)
  expect(succeeded + rejected).toBeGreaterThanOrEqual(200)
  expect((await statsOf(campaign.id)).bounced).toBe(rejected)
})

test('A single message whose command breaks the connection makes its mailbox wait', async () => {
  const { shop, sink } = world
  const mailbox = await mailboxAt(shop, sink)
  rules({ number: 1, times: 99, answer: { at: 'rcpt', do: 'cut' } })
  const campaign = await sentTo(shop, 1, { mailbox_ids: [mailbox.id] })
  await until(async () => {
    const { rows } = await database().query('select sending_error, sending_failures from mailboxes where id = $1', [
      mailbox.id,
    ])
    return rows[0].sending_error !== null && rows[0].sending_failures >= 2
  }, 30_000)
  noRules()
  await untilStatus(campaign.id, 'completed')
  expect(await messagesOf(campaign.id)).toEqual({ succeeded: 1 })
  expect((await shop.asOperator('GET', `/mailboxes/${mailbox.id}`)).body.sending_error).toBeNull()
})

test('One recipient whose command breaks the connection is given up while the others get theirs', async () => {
  const { shop, sink } = world
  const mailbox = await mailboxAt(shop, sink, { connections: 2 })
  rules({ number: 3, times: 99, answer: { at: 'rcpt', do: 'cut' } })
  const campaign = await sentTo(shop, 6, { mailbox_ids: [mailbox.id] })
  await untilStatus(campaign.id, 'completed', 60_000)
  noRules()
  expect(await messagesOf(campaign.id)).toEqual({ succeeded: 5, rejected: 1 })
  expect(await enrollmentsOf(campaign.id)).toEqual({ completed: 5, failed: 1 })
})

test('Nothing is sent outside the send window of a campaign', async () => {
  const { shop, sink } = world
  const yesterday = (new Date().getUTCDay() + 5) % 7
  const mailbox = await mailboxAt(shop, sink)
  const closed = await sentTo(shop, 3, {
    mailbox_ids: [mailbox.id],
    send_window: { days: [yesterday], from: '10:00', to: '11:00' },
  })
  const open = await sentTo(shop, 3, { mailbox_ids: [mailbox.id] })
  await untilStatus(open.id, 'completed')
  expect([copiesOf(sink, open.id).size, copiesOf(sink, closed.id).size]).toEqual([3, 0])
  expect(await enrollmentsOf(closed.id)).toEqual({ active: 3 })
  const { waits_for } = (await shop.asOperator('GET', `/campaigns/${closed.id}`)).body.stats
  expect(waits_for).toEqual({ code: 'send_window', until: expect.any(Number) })
  expect((waits_for.until - Date.now() / 1000) / 86_400).toBeGreaterThan(4)
})

test('A message that was written hours ago and cannot be rendered any more is sent as it was', async () => {
  const { shop, sink } = world
  const mailbox = await mailboxAt(shop, sink)
  sink.rule = () => ({ at: 'rcpt', reply: '450 4.2.0 later' })
  const steps = [{ template_id: (await newTemplate(shop, { subject: 'Hello {{ name }}' })).id }]
  const campaign = await drafted(shop, 25, { mailbox_ids: [mailbox.id], steps })
  const setVariables = (variables: object) =>
    database().query('update enrollments set variables = $2 where campaign_id = $1', [campaign.id, variables])
  await setVariables({ name: 'Ada' })
  await launch(shop, campaign.id)
  await until(async () => {
    const { rows } = await database().query('select count(*)::int as n from campaign_messages where campaign_id = $1', [
      campaign.id,
    ])
    return rows[0].n === 25
  })
  await shop.asOperator('POST', `/campaigns/${campaign.id}/pause`)
  await until(async () => !(await messagesOf(campaign.id)).processing)
  await setVariables({})
  await database().query(
    'update campaign_messages set updated_at = updated_at - 8 * 3600, attempt = 0, due_at = now() where campaign_id = $1',
    [campaign.id],
  )
  noRules()
  await shop.asOperator('POST', `/campaigns/${campaign.id}/resume`)
  await untilStatus(campaign.id, 'completed')
  expect(await messagesOf(campaign.id)).toEqual({ succeeded: 25 })
})

test('A mailbox keeps its limits per second, per day and of connections', async () => {
  const { shop, sink } = world
  const mailbox = await mailboxAt(shop, sink, {
    per_second: 20,
    per_day: 50,
    connections: 2,
    messages_per_connection: 10,
  })
  const before = sink.connected
  const campaign = await sentTo(shop, 70, { mailbox_ids: [mailbox.id] })
  await until(async () => copiesOf(sink, campaign.id).size === 50, 20_000)
  const times = sink.received
    .filter(({ to }) => to.endsWith('@tillwright.test') && copiesOf(sink, campaign.id).has(to))
    .map(({ at }) => at)
  expect((Math.max(...times) - Math.min(...times)) / 1000).toBeGreaterThan(1.2)
  expect(sink.connected - before).toBeGreaterThanOrEqual(5)
  await until(
    async () =>
      (await database().query('select 1 from mailboxes where id = $1 and awake_until is null', [mailbox.id])).rows[0],
    20_000,
  )
  expect(copiesOf(sink, campaign.id).size).toBe(50)
  expect(await campaignOf(campaign.id)).toEqual({ status: 'running', paused_reason: null })
  // A raised limit counts at once.
  expect((await shop.asOperator('PUT', `/mailboxes/${mailbox.id}`, { limits: { per_day: 200 } })).status).toBe(200)
  await untilStatus(campaign.id, 'completed')
  expect(copiesOf(sink, campaign.id).size).toBe(70)
})

test('A scheduled campaign starts by itself, and one that missed its start by an hour is paused', async () => {
  const { shop, sink } = world
  const mailbox = await mailboxAt(shop, sink)
  const inTime = await drafted(shop, 3, { mailbox_ids: [mailbox.id] })
  const late = await drafted(shop, 3, { mailbox_ids: [mailbox.id] })
  for (const { id } of [inTime, late])
    expect((await launch(shop, id, { scheduled_at: Math.floor(Date.now() / 1000) + 3 })).body).toMatchObject({
      status: 'scheduled',
    })
  await database().query('update campaigns set scheduled_at = scheduled_at - 3700 where id = $1', [late.id])
  await untilStatus(inTime.id, 'completed')
  await untilStatus(late.id, 'paused')
  expect((await campaignOf(late.id)).paused_reason?.code).toBe('missed_start')
  expect([copiesOf(sink, inTime.id).size, copiesOf(sink, late.id).size]).toEqual([3, 0])
})

test('The second step follows in the thread of the first, and an unsubscribed contact gets none', async () => {
  const { shop, sink } = world
  const mailbox = await mailboxAt(shop, sink)
  const [first, second] = [await newTemplate(shop), await newTemplate(shop, { subject: 'Again' })]
  const steps = [{ template_id: first.id }, { template_id: second.id, delay_s: 6, in_thread: true }]
  const campaign = await sentTo(shop, 4, { mailbox_ids: [mailbox.id], steps })
  await until(async () => copiesOf(sink, campaign.id).size === 4)
  const left = await until(
    async () =>
      (
        await database().query(
          'update enrollments set status = $2 where id = (select id from enrollments where campaign_id = $1 and step = 1 limit 1) returning address',
          [campaign.id, 'unsubscribed'],
        )
      ).rows[0],
  )
  await untilStatus(campaign.id, 'completed')
  const copies = copiesOf(sink, campaign.id)
  expect([...copies.values()].toSorted()).toEqual([1, 2, 2, 2])
  expect(copies.get(left.address)).toBe(1)
  const again = sink.received.find(({ to, text }) => copies.get(to) === 2 && text.includes('Subject: Again'))
  const original = sink.received.find(({ to, text }) => to === again?.to && text.includes('Subject: News'))
  expect(/^In-Reply-To: (.*)$/m.exec(again?.text ?? '')?.[1]).toBe(
    /^Message-ID: (.*)$/m.exec(original?.text ?? '')?.[1],
  )
})

test('Many messages of a store, and a server that hangs, do not delay those of another store', async () => {
  const { shop, sink } = world
  const [hanging, small] = [await newShop(), await newShop()]
  const silent = net.createServer(() => {})
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  const stuck = await mailboxAt(hanging, { port: (silent.address() as AddressInfo).port })
  await sentTo(hanging, 5, { mailbox_ids: [stuck.id] })
  sink.delayMs = 5
  const loud = await sentTo(shop, 3_000, { mailbox_ids: [(await mailboxAt(shop, sink, { connections: 20 })).id] })
  await until(async () => copiesOf(sink, loud.id).size > 50, 20_000, 20)
  const quiet = await sentTo(small, 20, { mailbox_ids: [(await mailboxAt(small, sink)).id] })
  const before = copiesOf(sink, loud.id).size
  await until(async () => copiesOf(sink, quiet.id).size === 20, 20_000, 20)
  // Its twenty messages took the time of a part of theirs.
  expect(copiesOf(sink, loud.id).size - before).toBeLessThan(1_000)
  sink.delayMs = 0
  expect((await shop.asOperator('POST', `/campaigns/${loud.id}/cancel`)).status).toBe(200)
  silent.close()
})
