// The cost of a message and of its turn, in statements.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { encrypt } from '../../entities/kit/encrypted.ts'
import { update } from '../kit/agents/chat-bot.ts'
import type { Models } from '../kit/agents/models.ts'
import { recordStatementsAlone, type Statement } from '../kit/database/statements.ts'

jest.setTimeout(60_000)

let own: Awaited<ReturnType<typeof recordStatementsAlone>>
let models: Models
let kit: typeof import('../kit/agents/models.ts')
let shop: typeof import('../kit/shop.ts')
beforeAll(async () => {
  own = await recordStatementsAlone('agents-cost')
  ;[kit, shop] = await Promise.all([import('../kit/agents/models.ts'), import('../kit/shop.ts')])
  models = await kit.startModels(own.dir)
})
afterAll(async () => {
  await models.stop()
  const { closeDatabase } = await import('../../activities/kit/database.ts')
  await closeDatabase()
  await shop.database().end()
  await own.close()
})

const textsOf = (statements: readonly Statement[]) =>
  statements.map(({ text }) => text.trim().slice(0, 60)).filter((text) => !/^(begin|commit|rollback)/i.test(text))

test('A message costs at most 8 statements, and a turn of one step at most 10', async () => {
  const { business, agent } = await kit.newAgent(models)
  const at = `/v1/businesses/${business.id}/agents/${agent}/chats/messages`
  const headers = { 'x-service-publishable-key': business.publishableKey, prefer: 'respond-async' }
  let sent = { body: {} as Record<string, string>, headers: new Headers() }
  const first = await own.said(async (base) => {
    const answer = await shop.http('POST', at, { headers, body: { message: 'Hello' }, base })
    sent = answer
    return answer
  })
  const visitor = { ...headers, 'x-service-visitor-token': sent.headers.get('x-service-visitor-token') as string }
  const second = await own.said((base) =>
    shop.http('POST', at, { headers: visitor, body: { message: 'Hello again', chatId: sent.body.chatId }, base }),
  )
  for (const statements of [first, second])
    expect([textsOf(statements).length <= 8, textsOf(statements)]).toEqual([true, textsOf(statements)])

  const [{ advanceTurn, sendEffect }, { database }, { MockActivityEnvironment }] = await Promise.all([
    import('../../activities/index.ts'),
    import('../../activities/kit/database.ts'),
    import('@temporalio/testing'),
  ])
  const { rows } = await shop.database().query(`select id from model_turns where owner_id = $1`, [sent.body.chatId])
  const said: Statement[] = []
  const orm = await database()
  await orm.em.fork().execute('select 1')
  orm.config.set('onQuery', (text, values) => {
    said.push({ text, values })
    return text
  })
  const step = await advanceTurn(rows[0].id)
  if (step.do !== 'send') throw new Error(step.do)
  expect(await new MockActivityEnvironment().run((id: string) => sendEffect('model_call', id, 'token'), step.id)).toBe(
    'succeeded',
  )
  expect(await advanceTurn(rows[0].id)).toEqual({ do: 'done', status: 'answered' })
  expect([textsOf(said).length <= 10, textsOf(said)]).toEqual([true, textsOf(said)])
  const { rows: answered } = await shop
    .database()
    .query('select status, count(*)::int from chat_messages where chat_id = $1 group by 1 order by 1', [
      sent.body.chatId,
    ])
  expect(answered).toEqual([
    { status: 'answered', count: 2 },
    { status: null, count: 1 },
  ])
})

test('A request that waits for a model costs at most three statements a second', async () => {
  const { business, agent } = await kit.newAgent(models)
  const at = `/v1/businesses/${business.id}/agents/${agent}/chats/messages`
  const headers = { 'x-service-publishable-key': business.publishableKey }
  const send = (prefer: string, body: object) =>
    own.said((base) => shop.http('POST', at, { headers: { ...headers, prefer }, body, base }))
  // No worker is here: each waits for as long as it prefers.
  const alone = textsOf(await send('respond-async', { message: 'Hello' }))
  const waiting = textsOf(await send('wait=3', { message: 'Hello' }))
  const polls = waiting.filter((text) => text.startsWith('select m.id, m.chat_id'))
  expect([polls.length >= 4, polls.length <= 9, waiting.length - polls.length - alone.length <= 3, waiting]).toEqual([
    true,
    true,
    true,
    waiting,
  ])
})

test('An update of a bot costs at most 9 statements, and one of a known visitor at most 6', async () => {
  const { business, agent } = await kit.newAgent(models)
  const provider = { type: 'chat_bot', botToken: '1:secret', baseUrl: models.url }
  const { id } = (await business.ask('POST', '/integrations', { key: 'bot', provider })).body
  await business.ask('PUT', `/agents/${agent}`, { channelIds: [id] })
  await shop.database().query('update channels set secret = $2 where id = $1', [id, encrypt('known')])
  const headers = { 'x-telegram-bot-api-secret-token': 'known' }
  const said = (update_id: number) =>
    own.said((base) =>
      shop.http('POST', `/v1/webhooks/channels/${id}`, { headers, body: { ...update('Hello', 7), update_id }, base }),
    )
  const [first, second, again] = [await said(1), await said(2), await said(2)]
  for (const [statements, most] of [
    [first, 9],
    [second, 6],
    [again, 4],
  ] as const)
    expect([textsOf(statements).length <= most, textsOf(statements)]).toEqual([true, textsOf(statements)])
  const { rows } = await shop.database().query('select count(*)::int from chat_messages where channel_id = $1', [id])
  expect(rows).toEqual([{ count: 2 }])
})
