// The cost of a message and of its turn, in statements.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import type { Models } from '../kit/models.ts'
import { recordStatementsAlone, type Statement } from '../kit/statements.ts'

jest.setTimeout(60_000)

let own: Awaited<ReturnType<typeof recordStatementsAlone>>
let models: Models
let kit: typeof import('../kit/models.ts')
let shop: typeof import('../kit/shop.ts')
beforeAll(async () => {
  own = await recordStatementsAlone('agents-cost')
  ;[kit, shop] = await Promise.all([import('../kit/models.ts'), import('../kit/shop.ts')])
  models = await kit.startModels(own.dir)
})
afterAll(async () => {
  await models.stop()
  const { closeDatabase } = await import('../../activities/database.ts')
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
  const second = await own.said((base) => shop.http('POST', at, { headers: visitor, body: { message: 'Hello again', chatId: sent.body.chatId }, base }))
  for (const statements of [first, second]) expect([textsOf(statements).length <= 8, textsOf(statements)]).toEqual([true, textsOf(statements)])

  const [{ advanceTurn, sendEffect }, { database }, { MockActivityEnvironment }] = await Promise.all([
    import('../../activities/index.ts'),
    import('../../activities/database.ts'),
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
  expect(await new MockActivityEnvironment().run((id: string) => sendEffect('model_call', id, 'token'), step.id)).toBe('succeeded')
  expect(await advanceTurn(rows[0].id)).toEqual({ do: 'done', status: 'answered' })
  expect([textsOf(said).length <= 10, textsOf(said)]).toEqual([true, textsOf(said)])
  const { rows: answered } = await shop
    .database()
    .query('select status, count(*)::int from chat_messages where chat_id = $1 group by 1 order by 1', [sent.body.chatId])
  expect(answered).toEqual([
    { status: 'answered', count: 2 },
    { status: null, count: 1 },
  ])
})
