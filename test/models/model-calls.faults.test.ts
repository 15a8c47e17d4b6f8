// Faults: a call that is not answered is unknown and never sent again; workers, Temporal and providers may be away.
import path from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import type { ChatBot, newBot } from '../kit/agents/chat-bot.ts'
import type { Models } from '../kit/agents/models.ts'
import type { Researching } from '../kit/agents/research.ts'
import { until } from '../kit/codes.ts'
import type { Answer } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'
import { dumpOf, filesIn, historiesOf, search } from '../kit/stack/secrets.ts'
import { type Receiver, startReceiver } from '../kit/webhooks/receiver.ts'

jest.setTimeout(120_000)

let lab: Lab
let models: Models
let kit: typeof import('../kit/agents/models.ts')
let shop: typeof import('../kit/shop.ts')
let research: typeof import('../kit/agents/research.ts')
let bots: typeof import('../kit/agents/chat-bot.ts')
let service: ChatBot
let bot: Awaited<ReturnType<typeof newBot>>
let receiver: Receiver
let leads: Researching
let salon: Awaited<ReturnType<typeof import('../kit/agents/models.ts').newAgent>>
let worker: Awaited<ReturnType<Lab['startWorker']>>
/** A worker that was asked to stop while it waits for a model that takes 40 s; the last test looks at it. */
let leaving: { word: string; sent: Promise<Answer>; stopped: Promise<void> }
const settings = { MODEL_LIMIT_MS: '2500', CHAT_WAIT_MS: '45000', RECONCILE_EVERY_MS: '1000', SEND_LIMIT_MS: '2500' }
beforeAll(async () => {
  lab = await startLab('agents', settings, { queues: ['agents', 'mail', 'default'] })
  ;[kit, shop, research] = await Promise.all([
    import('../kit/agents/models.ts'),
    import('../kit/shop.ts'),
    import('../kit/agents/research.ts'),
  ])
  await lab.stack.startApi(settings)
  models = await kit.startModels(lab.stack.dir)
  const patient = await lab.startWorker({ MODEL_LIMIT_MS: '90000' })
  receiver = await startReceiver(lab.stack.dir)
  salon = await kit.newAgent(models)
  const word = shop.unique()
  await models.script({ match: word, answers: [{ text: 'After all.', delay_ms: 40_000 }] })
  const sent = (await kit.newAgent(models)).sayPatiently(`Hello ${word}`)
  await until(async () => (await models.requests(word)).length === 1)
  leaving = { word, sent, stopped: patient.stop() }
  worker = await lab.startWorker()
  leads = await research.newResearch(models)
  bots = await import('../kit/agents/chat-bot.ts')
  service = await bots.startChatBot(lab.stack.dir)
  bot = await bots.newBot(service, salon)
})
afterAll(async () => {
  await Promise.all([models.stop(), service.stop()])
  await receiver.stop()
  await worker.stop()
  await shop.database().end()
  await lab.stop()
})

const callsOf = async (word: string) => {
  const { rows } = await shop
    .database()
    .query(
      `select f.id, f.status from model_calls f join chat_messages m on m.turn_id = f.turn_id where m.content like $1 and m.role = 'user'`,
      [`%${word}%`],
    )
  const ledger = await models.ledger()
  return rows.map(({ id, status }) => [status, ledger.filter(({ key }) => key === id).length])
}

test('A call without an answer is unknown with one arrival, and a person may ask again', async () => {
  const word = shop.unique()
  await models.fault({ fault: 'hang', after_effect: true, body_match: word })
  const answer = await salon.say(`Hello ${word}`)
  expect([answer.status, answer.body.code]).toEqual([503, 'model_outcome_unknown'])
  expect(await callsOf(word)).toEqual([['unknown', 1]])
  const { chat_id = answer.body.chatId, message_id = answer.body.messageId } = answer.body
  const { rows } = await shop
    .database()
    .query('select reserved_tokens::int, unknown_tokens::int > 0 as counted from model_usage where tenant_id = $1', [
      salon.business.id,
    ])
  for (const row of rows) expect(row).toEqual({ reserved_tokens: 0, counted: true })
  await models.release()
  const again = await salon.post(`/${chat_id}/messages/${message_id}/retry`, salon.visitorOf(answer))
  expect([again.status, again.body.status]).toEqual([200, 'answered'])
})

test('A connection that breaks after the request is unknown and is not sent again', async () => {
  const word = shop.unique()
  await models.fault({ fault: 'reset_after_read', after_effect: true, body_match: word })
  expect((await salon.say(`Hello ${word}`)).body.code).toBe('model_outcome_unknown')
  expect(await callsOf(word)).toEqual([['unknown', 1]])
})

test('A worker killed during a call leaves it unknown after its deadline, with one arrival', async () => {
  const word = shop.unique()
  await models.script({ match: word, answers: [{ text: 'Late.', delay_ms: 20_000 }] })
  const sent = salon.say(`Hello ${word}`)
  await until(async () => (await models.requests(word)).length === 1)
  worker.kill('SIGKILL')
  worker = await lab.startWorker()
  expect((await sent).body.code).toBe('model_outcome_unknown')
  expect(await callsOf(word)).toEqual([['unknown', 1]])
})

test('A worker that is asked to stop writes the answer that it waits for', async () => {
  const word = shop.unique()
  await models.script({ match: word, answers: [{ text: 'In time.', delay_ms: 1_000 }] })
  const sent = salon.say(`Hello ${word}`)
  await until(async () => (await models.requests(word)).length === 1)
  const stopped = worker.stop()
  const { rows } = await until(async () => {
    const found = await shop
      .database()
      .query(
        `select f.status from model_calls f join chat_messages m on m.turn_id = f.turn_id where m.content = $1 and f.status <> 'processing'`,
        [`Hello ${word}`],
      )
    return found.rows.length > 0 && found
  })
  expect(rows).toEqual([{ status: 'succeeded' }])
  await stopped
  worker = await lab.startWorker()
  expect((await sent).body).toMatchObject({ response: 'In time.', status: 'answered' })
  expect(await callsOf(word)).toEqual([['succeeded', 1]])
})

test('An API process that stops returns 202 to those who wait for a model, which answers later', async () => {
  const word = shop.unique()
  await models.script({ match: word, answers: [{ text: 'Soon.', delay_ms: 1_500 }] })
  const second = await lab.stack.startApi(settings)
  const headers = { 'x-service-publishable-key': salon.business.publishableKey, prefer: 'wait=60' }
  const at = `/v1/businesses/${salon.business.id}/agents/${salon.agent}/chats/messages`
  const sent = shop.http('POST', at, { headers, body: { message: word }, base: second.url })
  await until(async () => (await models.requests(word)).length === 1)
  await second.stop()
  const { status, body, headers: given } = await sent
  expect([status, body.response, given.get('location')]).toEqual([
    202,
    null,
    expect.stringContaining(`/chats/${body.chatId}/messages/${body.messageId}`),
  ])
  const answered = async () =>
    (await salon.see(`/${body.chatId}/messages/${body.messageId}`, salon.visitorOf({ ...(await sent) }))).body
  expect(await until(async () => (await answered()).response)).toBe('Soon.')
})

test('A turn whose step fails however often it is repeated ends, and the chat goes on', async () => {
  const { encrypt } = await import('../../entities/kit/encrypted.ts')
  const { newId } = await import('../../entities/kit/ids.ts')
  const word = shop.unique()
  const answer = await salon.say(`Hello ${word}`)
  const [turn, message] = [newId(), newId()]
  const same = [salon.business.id, answer.body.chatId]
  await shop.database().query(
    `with t as (insert into model_turns (id, tenant_id, created_at, updated_at, owner_kind, owner_id, version) values ($3, $1, 1, 1, 'chat', $2, 1)),
     c as (update chats set message_count = message_count + 1 where id = $2 returning message_count),
     f as (insert into model_calls (id, tenant_id, created_at, updated_at, turn_id, step, try, integration_id, model, agent_id, day, answer, reserved_tokens, held_tokens, fingerprint, status)
       values (gen_random_uuid(), $1, 1, 1, $3, 1, 1, gen_random_uuid(), 'm', gen_random_uuid(), '2026-01-01', $5, 0, 0, '', 'succeeded'))
     insert into chat_messages (id, tenant_id, created_at, updated_at, chat_id, seq, message_id, role, content, version, status, turn_id)
     select $4, $1, 1, 1, $2, message_count, $4, 'user', 'Hello', 1, 'processing', $3 from c`,
    [...same, turn, message, encrypt('no JSON')],
  )
  const read = () => salon.see(`/${answer.body.chatId}/messages/${message}`, salon.visitorOf(answer))
  const { body } = await until(async () => {
    const found = await read()
    return found.body.status === 'failed' && found
  })
  expect(body).toMatchObject({ error: 'model_answer_unusable', response: null })
  const again = await salon.say(`Again ${word}`, { chatId: answer.body.chatId }, salon.visitorOf(answer))
  expect([again.status, again.body.status]).toEqual([200, 'answered'])
})

test('A provider that is away is asked again, and answers once when it is back', async () => {
  const word = shop.unique()
  await models.stop()
  const sent = salon.say(`Hello ${word}`)
  await until(
    async () =>
      (await shop.database().query(`select 1 from model_calls where status = 'requested' and attempt > 0`)).rows
        .length > 0,
  )
  await models.start()
  const answer = await sent
  expect([answer.status, answer.body.status]).toEqual([200, 'answered'])
  expect(await callsOf(word)).toEqual([['succeeded', 1]])
})

test('A message sent while Temporal is away returns 202 and is answered later', async () => {
  const word = shop.unique()
  await lab.stack.temporal.stop()
  const sent = await salon.say(`Hello ${word}`)
  expect([sent.status, sent.body.response]).toEqual([202, null])
  await lab.stack.temporal.start()
  const { chatId, messageId } = sent.body
  const read = await until(async () => {
    const { body } = await salon.see(`/${chatId}/messages/${messageId}`, salon.visitorOf(sent))
    return body.status === 'answered' && body
  }, 60_000)
  expect(read.response).toContain(word)
  expect(await callsOf(word)).toEqual([['succeeded', 1]])
})

/** What was written in the chat of a visitor of the bot. */
const writtenOf = async (user: number) => {
  const { rows } = await shop
    .database()
    .query(
      `select m.role, m.content, m.status, m.delivery_status, c.id as chat from chat_messages m join chats c on c.id = m.chat_id where c.channel_id = $1 and c.external_id = $2 order by m.seq`,
      [bot.channel, String(user)],
    )
  return rows
}
const textsSeen = async (user: number) => (await service.seen(bot.bot, user)).map(({ text }) => text)

test('A reply whose worker was killed is unknown, was sent once, and a person’s goes after it', async () => {
  const word = shop.unique()
  await service.fault({ fault: 'hang', path: '/bot*/sendMessage', body_match: word, after_effect: true })
  await bot.deliver(bots.update(word, 1))
  await until(async () => (await textsSeen(1)).length > 0)
  worker.kill('SIGKILL')
  const [{ chat }] = await writtenOf(1)
  await salon.asOperator('POST', `/${chat}/replies`, { message: 'I am a person.' })
  expect(await textsSeen(1)).toEqual([`You said: ${word}`])
  worker = await lab.startWorker()
  await until(async () => (await writtenOf(1)).at(-1).delivery_status === 'sent', 60_000)
  expect((await writtenOf(1)).map(({ role, delivery_status }) => [role, delivery_status])).toEqual([
    ['user', null],
    ['assistant', 'unknown'],
    ['operator', 'sent'],
  ])
  expect(await textsSeen(1)).toEqual([`You said: ${word}`, 'I am a person.'])
})

test('An update that is taken while Temporal is away is answered once when it is back', async () => {
  const word = shop.unique()
  await lab.stack.temporal.stop()
  const one = bots.update(word, 2)
  for (let time = 0; time < 3; time++) expect((await bot.deliver(one)).status).toBe(200)
  expect((await writtenOf(2)).map(({ role, status }) => [role, status])).toEqual([['user', 'waiting']])
  await lab.stack.temporal.start()
  await until(async () => (await writtenOf(2)).at(-1).delivery_status === 'sent', 60_000)
  expect(await textsSeen(2)).toEqual([`You said: ${word}`])
  expect(await callsOf(word)).toEqual([['succeeded', 1]])
})

test('A member and a message whose call has no answer are unknown, and nothing is asked again', async () => {
  const [word, member] = [shop.unique(), await leads.lead()]
  await models.fault({ fault: 'reset_after_read', after_effect: true, body_match: word, times: 3 })
  const run = await leads.begin([member, await leads.lead()], `Goal ${word}`)
  const done = await leads.ended(run.id)
  expect([done.status, done.members.map(({ status, error }: Record<string, string>) => [status, error])]).toEqual([
    'unknown',
    [
      ['unknown', 'model_outcome_unknown'],
      ['unknown', 'model_outcome_unknown'],
    ],
  ])
  const answer = await leads.say(run.id, `Hello ${word}`)
  expect([answer.status, answer.body.message.status, answer.body.message.error, answer.body.reply]).toEqual([
    200,
    'unknown',
    'model_outcome_unknown',
    null,
  ])
  expect((await leads.say(run.id, `Hello ${word}`, answer.body.message.message_id)).body).toEqual(answer.body)
  expect(await models.requests(word)).toHaveLength(3)
  await models.release()
  // A person may ask again, by another message.
  expect((await leads.say(run.id, 'Hello')).body.message.status).toBe('answered')
})

test('A page is read again after its worker was killed, and the turn goes on with the same calls', async () => {
  const [word, member] = [shop.unique(), await leads.lead()]
  const url = await research.page(receiver, `/${word}`, '<p>Acme has 12 shops.</p>', { delay_ms: 4_000 })
  const run = await leads.begin([member], `Goal ${word} ${url}`)
  await until(async () => (await receiver.count(`/${word}`)) === 1)
  worker.kill('SIGKILL')
  await receiver.clear(`/${word}`)
  await research.page(receiver, `/${word}`, '<p>Acme has 12 shops.</p>')
  worker = await lab.startWorker()
  expect(await leads.ended(run.id)).toMatchObject({
    status: 'completed',
    members: [{ status: 'completed', signals: 1 }],
  })
  expect([await receiver.count(`/${word}`), (await models.requests(word)).length]).toEqual([2, 3])
  expect(await leads.sources(run.id)).toHaveLength(1)
})

test('A worker that is asked to stop while a model takes 40 s writes its answer', async () => {
  const { word, sent, stopped } = leaving
  await stopped
  expect(await callsOf(word)).toEqual([['succeeded', 1]])
  expect((await sent).body).toMatchObject({ response: 'After all.', status: 'answered' })
})

test('No key, prompt or text of a chat is in a history or a log, and no key is in a row', async () => {
  const [logs, histories, rows] = [
    filesIn(path.join(lab.stack.dir, 'logs')),
    await historiesOf(String(lab.stack.env.TEMPORAL_ADDRESS), 200),
    await dumpOf(shop.database()),
  ]
  const key = { 'the key of a model': kit.modelKey }
  expect([logs.length > 3, histories.length > 20, rows.length > 50]).toEqual([true, true, true])
  expect(search(rows, key)).toEqual([])
  expect(
    search([...logs, ...histories], {
      ...key,
      'a prompt': 'You sell tea.',
      'the text of a chat': `Hello ${leaving.word}`,
    }),
  ).toEqual([])
  // What models were asked and answered is sealed.
  const { rows: calls } = await shop.database().query('select row_to_json(m)::text as row from model_calls m')
  for (const { row } of calls)
    expect([row.includes('You sell tea.'), row.includes(leaving.word)]).toEqual([false, false])
})
