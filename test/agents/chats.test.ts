// Chats: a message is answered by one run of the model, a chat has one turn at a time, and a person who takes it over
// has the last word.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { type Models, modelKey, newAgent, startModels } from '../kit/agents/models.ts'
import { codeFor, proveWith, until } from '../kit/codes.ts'
import { atOnce } from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, http, newEmail, newShop, unique, type Visitor } from '../kit/shop.ts'

jest.setTimeout(120_000)

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-agents-'))
let models: Models
let salon: Awaited<ReturnType<typeof newAgent>>
beforeAll(async () => {
  models = await startModels(dir)
  salon = await newAgent(models)
})
afterAll(async () => {
  await models.stop()
  await database().end()
  fs.rmSync(dir, { recursive: true })
})

const outcome = ({ status, body }: Answer) => [status, body?.code ?? body?.status]
const newUuid = () => crypto.randomUUID()
/** The storefront routes of a visitor of the business. */
const visiting = (headers: Record<string, string>): Pick<Visitor, 'call'> => ({
  call: (method, path, body) => http(method, `/v1/storefront${path}`, { headers, body, base: eitherApi() }),
})

test.each(['llm_a', 'llm_b'] as const)(
  'A message to an agent of %s is answered by its model, in both directions of a chat',
  async (type) => {
    const { say, visitorOf, see } = await newAgent(models, {}, type)
    const word = unique()
    await models.script({ match: word, answers: [{ text: 'Good day.' }, { text: 'Green tea.' }] })
    const first = await say(`Hello ${word}`)
    expect(first).toMatchObject({
      status: 200,
      body: { response: 'Good day.', status: 'answered', chatId: expect.any(String), messageId: expect.any(String) },
    })
    const visitor = visitorOf(first)
    const second = await say('Which tea?', { chatId: first.body.chatId }, visitor)
    expect([second.status, second.body]).toEqual([
      200,
      { response: 'Green tea.', status: 'answered', chatId: first.body.chatId, messageId: expect.any(String) },
    ])
    const [, asked] = await models.requests(word)
    const said = JSON.stringify(asked?.body.messages)
    expect([
      said.indexOf(word) < said.indexOf('Good day.'),
      said.indexOf('Good day.') < said.indexOf('Which tea?'),
    ]).toEqual([true, true])
    const { body } = await see(`/${first.body.chatId}/messages?sortDirection=asc`, visitor)
    expect(body.items.map(({ role, content, status }: Record<string, string>) => [role, content, status])).toEqual([
      ['user', `Hello ${word}`, 'answered'],
      ['assistant', 'Good day.', null],
      ['user', 'Which tea?', 'answered'],
      ['assistant', 'Green tea.', null],
    ])
  },
)

test('Twenty equal messages at once are one run of the model with twenty equal answers', async () => {
  const word = unique()
  const messageId = newUuid()
  const visitor = salon.visitorOf(await salon.say('Hello'))
  const answers = await atOnce(20, () => salon.say(`Hello ${word}`, { messageId }, visitor))
  for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]?.body])
  expect(answers[0]?.body).toMatchObject({ status: 'answered', messageId })
  expect(await models.requests(word)).toHaveLength(1)
  expect(outcome(await salon.say(`Other ${word}`, { messageId }, visitor))).toEqual([409, 'idempotency_conflict'])
  expect((await salon.say(`Hello ${word}`, { messageId }, visitor)).body).toEqual(answers[0]?.body)
  expect(await models.requests(word)).toHaveLength(1)
})

test('The header Idempotency-Key makes a repeated message the same one', async () => {
  const word = unique()
  const visitor = { ...salon.visitorOf(await salon.say('Hello')), 'idempotency-key': `key ${word}` }
  const [first, second] = await atOnce(2, () => salon.say(word, {}, visitor))
  expect(second?.body).toEqual(first?.body)
  expect(await models.requests(word)).toHaveLength(1)
})

test('Ten messages at once are answered in order by at most two turns, each in exactly one', async () => {
  const word = unique()
  const first = await salon.say(`Begin ${word}`)
  const { chatId } = first.body
  await models.script({
    match: word,
    answers: [{ text: 'One.', delay_ms: 3_000 }, { text: 'Two.' }, { text: 'Three.' }],
  })
  const visitor = salon.visitorOf(first)
  const answers = await atOnce(10, (n) => salon.say(`Line ${n} ${word}`, { chatId }, visitor))
  for (const answer of answers) expect(outcome(answer)).toEqual([200, 'answered'])
  const { rows } = await database().query(
    `select turn_id, seq, role, status from chat_messages where chat_id = $1 order by seq`,
    [chatId],
  )
  const lines = rows.filter(({ role, seq }) => role === 'user' && seq > 2)
  expect(lines).toHaveLength(10)
  const turns = [...new Set(lines.map(({ turn_id }) => turn_id))]
  expect(turns.length).toBeLessThanOrEqual(2)
  // In order: the messages of the first turn were written before those of the second.
  expect(lines.map(({ turn_id }) => turns.indexOf(turn_id))).toEqual(
    lines.map(({ turn_id }) => turns.indexOf(turn_id)).sort(),
  )
  expect(await models.requests(word)).toHaveLength(1 + turns.length)
})

test('After a person takes a chat over, no word of the agent is written, in 200 turns', async () => {
  const word = unique()
  // As many at once as the business may have calls in flight.
  const [chats, times] = [8, 25]
  await models.script({
    match: word,
    answers: Array.from({ length: 2 * chats * times }, (_, n) => ({ text: `Answer ${n}`, delay_ms: (n * 7) % 60 })),
  })
  const ended = await atOnce(chats, async (n) => {
    const first = await salon.say(`Question ${word}`)
    const visitor = salon.visitorOf(first)
    const { chatId } = first.body
    const seen: unknown[] = []
    let turnMs = 100
    for (let round = 0; round < times; round++) {
      if (round > 0) await salon.asOperator('PUT', `/${chatId}`, { mode: 'agent' })
      const since = performance.now()
      const asked = salon.say(`Another ${word}`, { chatId }, visitor)
      // From at once to after the turn has ended.
      await new Promise((done) => setTimeout(done, (turnMs * ((7 * n + 11 * round) % 40)) / 30))
      const reply = await salon.asOperator('POST', `/${chatId}/replies`, { message: 'I am a person.' })
      const { status } = (await asked).body
      seen.push([reply.status, ['answered', 'held'].includes(status)])
      // Held: the turn takes longer than the person has waited.
      turnMs = status === 'answered' ? Math.min(turnMs, performance.now() - since) : Math.min(1_000, turnMs * 1.2)
    }
    const held = await salon.say(`More ${word}`, { chatId }, visitor)
    return { chatId, seen, held: [held.status, held.body.response, held.body.status] }
  })
  for (const { seen, held } of ended)
    expect([seen, held]).toEqual([Array.from({ length: times }, () => [201, true]), [200, null, 'held']])
  const ids = ended.map(({ chatId }) => chatId)
  const { rows } = await database().query(
    `select m.role, lag(m.role) over w as role_before, lag(m.status) over w as status_before from chat_messages m where m.chat_id = any ($1) window w as (partition by m.chat_id order by m.seq)`,
    [ids],
  )
  const answers = rows.filter(({ role }) => role === 'assistant')
  // Some turns ended before the person, and some did not.
  expect([answers.length > chats, answers.length < chats * (1 + times)]).toEqual([true, true])
  for (const one of answers) expect(one).toMatchObject({ role_before: 'user', status_before: 'answered' })
  const { rows: left } = await database().query(
    `select count(*)::int as open from model_turns where status = 'running' and owner_id = any ($1)`,
    [ids],
  )
  expect(left).toEqual([{ open: 0 }])
}, 240_000)

test('A chat given back to the agent is answered again, and one that was resolved begins anew', async () => {
  const word = unique()
  const first = await salon.say(`Secret ${word}`)
  const visitor = salon.visitorOf(first)
  const { chatId } = first.body
  const { body: chat } = await salon.asOperator('GET', `/${chatId}`)
  expect((await salon.asOperator('PUT', `/${chatId}`, { ...chat, mode: 'human' })).body).toMatchObject({
    mode: 'human',
    status: 'active',
  })
  expect((await salon.asOperator('PUT', `/${chatId}`, { ...chat, id: chat.agentId })).body.errors).toMatchObject([
    { pointer: '/id', code: 'differs_from_path' },
  ])
  expect(outcome(await salon.say('Hello?', { chatId }, visitor))).toEqual([200, 'held'])
  expect((await salon.asOperator('PUT', `/${chatId}`, { mode: 'agent', status: 'resolved' })).body).toMatchObject({
    mode: 'agent',
    status: 'resolved',
  })
  const again = unique()
  expect(outcome(await salon.say(`Back ${again}`, { chatId }, visitor))).toEqual([200, 'answered'])
  expect(JSON.stringify(await models.requests(again))).not.toContain(word)
  expect((await salon.see(`/${chatId}`, visitor)).body).toMatchObject({ status: 'active', mode: 'agent' })
  await salon.asOperator('PUT', `/${chatId}`, { status: 'archived' })
  expect(outcome(await salon.say('Hello?', { chatId }, visitor))).toEqual([409, 'chat_archived'])
})

test('A single exchange reads no history and cannot be continued', async () => {
  const first = await salon.say('Once', { direct: true })
  const visitor = salon.visitorOf(first)
  expect(outcome(await salon.say('Twice', { chatId: first.body.chatId }, visitor))).toEqual([409, 'chat_is_direct'])
  expect((await salon.say('Twice', { chatId: first.body.chatId, direct: true }, visitor)).status).toBe(422)
})

test('A visitor sees their own chats only, in every route and list', async () => {
  const word = unique()
  const first = await salon.say(`Mine ${word}`)
  const mine = salon.visitorOf(first)
  const { chatId, messageId } = first.body
  const other = salon.visitorOf(await salon.say('Hello'))
  const elsewhere = await newAgent(models)
  for (const [method, at] of [
    ['GET', `/${chatId}`],
    ['GET', `/${chatId}/messages`],
    ['GET', `/${chatId}/messages/${messageId}`],
  ] as const) {
    expect([at, (await salon.see(at, mine)).status]).toEqual([at, 200])
    expect([at, (await salon.see(at, other)).status, method]).toEqual([at, 404, method])
    expect([at, (await elsewhere.asOperator('GET', at)).status]).toEqual([at, 404])
  }
  expect((await salon.say('Hi', { chatId }, other)).status).toBe(404)
  expect((await salon.post(`/${chatId}/rate`, other, { rating: 5 })).status).toBe(404)
  expect((await salon.post(`/${chatId}/messages/${messageId}/retry`, other)).status).toBe(404)
  expect((await elsewhere.asOperator('PUT', `/${chatId}`, { mode: 'human' })).status).toBe(404)
  // The id of a store, by its owner, in place of the business.
  const store = await newShop()
  for (const at of [
    '/chats',
    `/agents/${salon.agent}/chats`,
    `/agents/${salon.agent}/chats/${chatId}`,
    `/agents/${salon.agent}/chats/${chatId}/messages`,
  ])
    expect([
      at,
      (await http('GET', `/v1/businesses/${store.store_id}${at}`, { headers: store.op.headers })).status,
    ]).toEqual([at, 404])
  const found = async (from: typeof salon) =>
    (await from.business.ask('GET', `/chats?query=${word}`)).body.items.map(({ id }: { id: string }) => id)
  expect([await found(salon), await found(elsewhere)]).toEqual([[chatId], []])
  // The lists are for operators.
  expect((await salon.see('', mine)).status).toBe(401)
})

test('A chat moves with the visitor who signs in, also one that begins at that moment', async () => {
  const email = newEmail()
  const first = await salon.say('Before the code')
  await proveWith(salon.visitorOf(first), email)
  const rounds = []
  for (let n = 0; n < 6; n++) {
    const begun = await salon.say(`Chat ${n}`)
    const headers = salon.visitorOf(begun)
    const visitor = visiting(headers)
    const { challenge_id } = (await visitor.call('POST', '/account/code', { email })).body
    const proof = { challenge_id, code: await codeFor(email, n + 2) }
    const [verified, beside, further] = await Promise.all([
      visitor.call('POST', '/account/verify', proof),
      salon.say(`Beside ${n}`, {}, headers),
      salon.say(`Further ${n}`, { chatId: begun.body.chatId }, headers),
    ])
    const taken = [200, 'answered']
    // The sign-in came first: the replaced token says nothing in the chats of the contact any more, and the page sends
    // the message with the new one.
    const replaced = [401, 'unauthorized']
    for (const one of [beside, further]) expect([taken, replaced]).toContainEqual(outcome(one))
    expect([n, verified.status]).toEqual([n, 200])
    headers['x-service-visitor-token'] = verified.body.visitor_token
    if (further.status === 401)
      expect(outcome(await salon.say(`Further ${n}`, { chatId: begun.body.chatId }, headers))).toEqual(taken)
    const other = beside.status === 401 ? await salon.say(`Beside ${n}`, {}, headers) : beside
    expect(outcome(other)).toEqual(taken)
    for (const { body } of [begun, other])
      expect([n, (await salon.see(`/${body.chatId}`, headers)).status]).toEqual([n, 200])
    rounds.push({ begun, headers })
  }
  // One contact has them all: the first visitor reads the chats of the others, on any of their devices.
  const { rows } = await database().query(
    `select count(distinct contact_id)::int as contacts from chats where id = any ($1)`,
    [[first, ...rounds.map(({ begun }) => begun)].map(({ body }) => body.chatId)],
  )
  expect(rows).toEqual([{ contacts: 1 }])
  const { headers: another } = rounds[1] as (typeof rounds)[number]
  expect((await salon.see(`/${first.body.chatId}/messages`, another)).body.items).toHaveLength(2)
})

test('A chat is rated after its first answer, and found by its filters', async () => {
  const first = await salon.say('Rate me')
  const visitor = salon.visitorOf(first)
  const { chatId } = first.body
  expect((await salon.post(`/${chatId}/rate`, visitor, { rating: 6 })).status).toBe(422)
  expect((await salon.post(`/${chatId}/rate`, visitor, { rating: 4, comment: 'Good' })).body).toMatchObject({
    rating: 4,
    ratingComment: 'Good',
    messageCount: 2,
  })
  const { contactId } = (await salon.asOperator('GET', `/${chatId}`)).body
  const list = async (query: string) =>
    (await salon.business.ask('GET', `/chats?${query}`)).body.items.map(({ id }: { id: string }) => id)
  expect(await list(`customerId=${contactId}`)).toEqual([chatId])
  expect(await list(`agentId=${salon.agent}&status=active&mode=agent&limit=100`)).toContain(chatId)
  expect(await list('status=archived&mode=human')).not.toContain(chatId)
  expect((await salon.asOperator('GET', '?limit=1')).body.items).toHaveLength(1)
})

test('A message refused three times by the provider fails, and only a person asks again', async () => {
  const word = unique()
  await models.script({
    match: word,
    answers: Array.from({ length: 3 }, () => ({ status: 429, headers: { 'retry-after': '0' } })),
  })
  const first = await salon.say(`Busy ${word}`)
  expect([outcome(first), first.body.chat_id ?? first.body.chatId]).toEqual([
    [503, 'model_unavailable'],
    expect.any(String),
  ])
  expect(await models.requests(word)).toHaveLength(3)
  const visitor = salon.visitorOf(first)
  const chatId = first.body.chatId ?? first.body.chat_id
  const messageId = first.body.messageId ?? first.body.message_id
  const again = await salon.post(`/${chatId}/messages/${messageId}/retry`, visitor)
  expect([outcome(again), again.body.messageId]).toEqual([[200, 'answered'], messageId])
  expect(outcome(await salon.post(`/${chatId}/messages/${messageId}/retry`, visitor))).toEqual([
    409,
    'message_not_failed',
  ])
  const refused = await salon.say(`Wrong ${unique()}`, {}, undefined)
  expect(refused.status).toBe(200)
})

test('An agent with a fallback answers it in place of an error', async () => {
  const { say, see, visitorOf, asOperator } = await newAgent(models, { fallback: 'Please call us.' })
  const word = unique()
  await models.script({
    match: word,
    answers: [{ status: 400, body: { error: { message: `No model for ${modelKey}.` } } }],
  })
  const answer = await say(word)
  expect(answer.body).toMatchObject({ response: 'Please call us.', status: 'failed' })
  expect(await models.requests(word)).toHaveLength(1)
  // Only operators read what the provider said, without the key that it repeated.
  const at = `/${answer.body.chatId}/messages/${answer.body.messageId}`
  expect((await asOperator('GET', at)).body).toMatchObject({
    error: 'model_rejected',
    providerError: '400: No model for ….',
  })
  expect((await see(at, visitorOf(answer))).body).toMatchObject({ error: 'model_rejected', providerError: null })
})

test('A request that prefers not to wait is answered with 202 and the address of the outcome', async () => {
  const word = unique()
  await models.script({ match: word, answers: [{ text: 'Later.', delay_ms: 300 }] })
  const sent = await salon.say(
    word,
    {},
    { 'x-service-publishable-key': salon.business.publishableKey, prefer: 'respond-async' },
  )
  expect(sent).toMatchObject({
    status: 202,
    body: { response: null, status: expect.stringMatching(/waiting|processing/) },
  })
  const location = sent.headers.get('location') as string
  const at = location.slice(location.indexOf('/chats/') + '/chats'.length)
  const read = await until(async () => {
    const { body } = await salon.see(at, salon.visitorOf(sent))
    return body.status === 'answered' && body
  })
  expect(read).toMatchObject({ response: 'Later.', role: 'user' })
})

test('A deleted agent is hidden at once with its chats, and its model may be removed then', async () => {
  const { say, visitorOf, see, business, agent, integration } = await newAgent(models)
  const first = await say('Hello')
  const { chatId } = first.body
  expect(outcome(await business.ask('DELETE', `/integrations/${integration}`))).toEqual([409, 'integration_in_use'])
  expect((await business.ask('DELETE', `/agents/${agent}`)).status).toBe(200)
  for (const at of [`/${chatId}`, `/${chatId}/messages`]) expect((await see(at, visitorOf(first))).status).toBe(404)
  expect((await business.ask('GET', '/chats')).body.items).toEqual([])
  expect((await say('Hello', { chatId }, visitorOf(first))).status).toBe(404)
  expect((await business.ask('GET', `/agents/${agent}`)).status).toBe(404)
  expect((await business.ask('DELETE', `/integrations/${integration}`)).status).toBe(200)
})

test('Agents refuse unknown models, foreign channels and a taken key', async () => {
  const { business, integration } = await newAgent(models)
  const make = (more: object) =>
    business.ask('POST', '/agents', { key: unique(), prompt: 'Hello', modelId: 'model', ...more })
  expect(outcome(await make({ modelId: 'none' }))).toEqual([422, 'model_unknown'])
  expect(outcome(await make({ channelIds: [integration] }))).toEqual([422, 'channel_unknown'])
  const channel = (
    await business.ask('POST', '/integrations', { key: 'bot', provider: { type: 'chat_bot', botToken: 'secret' } })
  ).body.id
  const agent = await make({ channelIds: [channel], modelId: integration })
  expect([agent.status, agent.body.channelIds, agent.body.modelId]).toEqual([201, [channel], integration])
  expect(outcome(await make({ channelIds: [channel] }))).toEqual([409, 'channel_in_use'])
  expect(outcome(await make({ key: agent.body.key }))).toEqual([409, 'key_taken'])
  const { model } = (await business.ask('GET', `/integrations/${integration}`)).body.provider
  expect((await make({ modelId: model })).status).toBe(201)
  await business.ask('POST', '/integrations', { key: 'second', provider: { type: 'llm_b', apiKey: 'key', model } })
  expect(outcome(await make({ modelId: model }))).toEqual([422, 'model_ambiguous'])
  const disabled = await business.ask('PUT', `/agents/${agent.body.id}`, { status: 'disabled' })
  expect(disabled.body).toMatchObject({ status: 'disabled', prompt: 'Hello' })
})
