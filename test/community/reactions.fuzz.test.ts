// Requests drawn from the document, on the eight routes of reactions alone: each answer is declared, none is a
// server error, and every route is used.
// REACTION_SEED=random (or a number) picks another seed, REACTION_REQUESTS sets the number of requests.
import { randomInt } from 'node:crypto'
import { afterAll, expect, jest, test } from '@jest/globals'
import type { CallerName, Callers } from '../fuzz/callers.ts'
import { type Document, type Operation, operationsOf } from '../fuzz/document.ts'
import { fillReactions } from '../fuzz/fill-business.ts'
import { play } from '../fuzz/play.ts'
import { openPool } from '../fuzz/pool.ts'
import { complaints, neverGood } from '../fuzz/report.ts'
import { finderOf, type World } from '../fuzz/world.ts'
import { differences, newForum } from '../kit/reactions.ts'
import { database, http, type Method, newShop } from '../kit/shop.ts'

jest.setTimeout(300_000)

const seed = process.env.REACTION_SEED === 'random' ? randomInt(2 ** 31) : Number(process.env.REACTION_SEED ?? 20261123)
const requests = Number(process.env.REACTION_REQUESTS ?? 1_200)

afterAll(() => database().end())

async function openWorld(): Promise<{ world: World; id: string }> {
  const [forum, theirs, shop] = await Promise.all([newForum(), newForum(), newShop()])
  const document = (await http('GET', '/openapi.json')).body as Document
  const all = operationsOf(document)
  const operations = all.filter(({ path }) => path.startsWith('/v1/businesses/{businessId}/reactions'))
  const customer = async () => (await forum.person()).headers
  const keyholder = { 'x-service-publishable-key': forum.publishable_key }
  const by = (name: CallerName, headers: Record<string, string>, owner: 'mine' | 'theirs' | 'none' = 'mine') => ({
    name,
    owner,
    headers,
  })
  const callers: Callers = {
    operator: by('operator', forum.op.headers),
    admin: by('admin', forum.op.headers),
    platform: by('platform', shop.op.headers, 'none'),
    visitor: { ...by('visitor', await customer()), renew: customer },
    verified: { ...by('verified', await customer()), renew: customer },
    customer: { ...by('customer', await customer()), renew: customer },
    keyholder: by('keyholder', keyholder),
    leaving: by('leaving', await customer()),
    account: by('account', shop.op.headers, 'none'),
    spare: by('spare', {}, 'none'),
    stranger: by('stranger', {}, 'none'),
    forger: by('forger', { ...keyholder, 'x-service-visitor-token': `till_vt_${'x'.repeat(43)}` }),
    'their-operator': by('their-operator', theirs.op.headers, 'theirs'),
    'their-visitor': by('their-visitor', (await theirs.person()).headers, 'theirs'),
  }
  const pool = openPool(operations)
  const find = finderOf(operations)
  for (const [{ id, op }, owner, name] of [
    [forum, 'mine', 'operator'],
    [theirs, 'theirs', 'their-operator'],
  ] as const) {
    const path = `/v1/businesses/${id}`
    const { status, body: answer } = await http('GET', path, { headers: op.headers })
    pool.learn({
      operation: finderOf(all)('GET', path) as Operation,
      path,
      query: '',
      body: undefined,
      by: { name, owner },
      status,
      answer,
    })
  }
  const ask = async (name: CallerName, method: Method, target: string, body?: unknown) => {
    const answer = await http(method, target, { body, headers: callers[name].headers })
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${JSON.stringify(answer.body)}`)
    const [path = '', query = ''] = target.split('?')
    const operation = find(method, path)
    if (operation)
      pool.learn({ operation, path, query, body, by: callers[name], status: answer.status, answer: answer.body })
    return answer
  }
  for (let n = 0; n < 4; n++) await fillReactions(ask, `/v1/businesses/${forum.id}`, await forum.product())
  const stack = { urls: { api: process.env.TEST_API }, env: process.env } as unknown as World['stack']
  return {
    world: { stack, document, operations, pool, callers, files: [], bugs: [], died: [], listen: undefined },
    id: forum.id,
  }
}

test(`${requests} drawn requests are answered as declared, and every route with 2xx`, async () => {
  const { world, id } = await openWorld()
  expect(world.operations).toHaveLength(8)
  const played = await play(world, { requests, seed, show: process.env.SHOW ?? '' })
  // Whether a route was ever used says what the others prove.
  expect(complaints({ seed, commit: '', played, bugs: [], died: [] }).slice(0, 5)).toEqual([])
  expect([...played.statuses.keys()].filter((status) => status >= 500)).toEqual([])
  expect(neverGood(played)).toEqual([])
  const made = played.operations.get('POST /v1/businesses/{businessId}/reactions')
  expect((made?.good ?? 0) / (made?.sent ?? 1)).toBeGreaterThan(0.1)
  expect(await differences(id)).toEqual([])
})
