// Whoever has a workflow's address starts it, each call an execution of its own; nobody else learns that there is one.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { processOf, script } from '../../dev/parts.ts'
import { call, small, workflow } from '../kit/automations.ts'
import { until } from '../kit/codes.ts'
import { api, database, eitherApi, http, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
let connection: Connection
let temporal: Client
beforeAll(async () => {
  shop = await newShop()
  connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS as string })
  temporal = new Client({ connection })
})
afterAll(async () => {
  await connection.close()
  await database().end()
})

const executionsOf = async (id: string) => (await database().query('select * from executions where workflow_id = $1 order by created_at, id', [id])).rows
const raw = async (webhook_url: string, text: string, headers: Record<string, string> = { 'content-type': 'application/json' }) => {
  const answer = await fetch(`${api()}${new URL(webhook_url).pathname}`, { method: 'POST', headers, body: text })
  return { status: answer.status, body: (await answer.json()) as { code: string; input: unknown } }
}

describe('a call', () => {
  test('is answered with the execution, as soon as it is written', async () => {
    const { id, webhook_url } = await workflow(shop)
    const { status, body } = await call(webhook_url, { order: 7, '': { a: [null] } })
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        workflow_id: id,
        ...{ status: 'pending', source: 'webhook', error: null, cancel_requested: false, started_at: null, finished_at: null },
        ...{ created_at: expect.any(Number), updated_at: body.created_at },
        input: { order: 7, '': { a: [null] } },
        results: { start: expect.objectContaining({ status: 'pending', run_id: null }), shape: expect.objectContaining({ status: 'pending', output: null }) },
      },
    ])
    const [row] = await executionsOf(id)
    expect(row).toMatchObject({ id: body.id, tenant_id: shop.store_id, source: 'webhook', occurrence: null, input: { order: 7, '': { a: [null] } } })
    const read = await shop.asOperator('GET', `/workflows/${id}/executions/${body.id}`)
    expect([read.status, read.body.input]).toEqual([200, body.input])
  })

  test('twenty times the same, at once and in both processes, is twenty executions', async () => {
    const { id, webhook_url } = await workflow(shop)
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(webhook_url, { same: true }, eitherApi())))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
    const rows = await executionsOf(id)
    expect(rows.map((row) => row.id).sort()).toEqual(answers.map(({ body }) => body.id).sort())
    expect(new Set(rows.map((row) => row.id)).size).toBe(20)
  })

  test('without a body gives on an empty object', async () => {
    const { webhook_url } = await workflow(shop)
    expect((await http('POST', new URL(webhook_url).pathname)).body.input).toEqual({})
  })

  test.each(['[]', 'null', '1', '"text"', 'true'])('with %s is 422: it takes an object', async (text) => {
    const { id, webhook_url } = await workflow(shop)
    const { status, body } = await raw(webhook_url, text)
    expect([status, body.code, await executionsOf(id)]).toEqual([422, 'invalid_input', []])
  })

  test.each([
    ['that is not JSON', '{', 400],
    ['that is nested too deep', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`, 400],
    ['with half a character', '{"a":"\\ud800"}', 422],
    ['with a NUL', '{"a":"\\u0000"}', 422],
    ['over 256 KiB', JSON.stringify({ a: 'x'.repeat(262_144) }), 413],
    ['over 1 MiB', JSON.stringify({ a: 'x'.repeat(1_048_576) }), 413],
  ])('%s is refused: nothing starts', async (_, text, expected) => {
    const { id, webhook_url } = await workflow(shop)
    expect((await raw(webhook_url, text)).status).toBe(expected)
    expect(await executionsOf(id)).toEqual([])
  })

  test('of 256 KiB is taken, and names of the prototype are names', async () => {
    const { id, webhook_url } = await workflow(shop)
    const text = JSON.stringify({ a: 'x'.repeat(262_144 - 8) })
    expect([text.length, (await raw(webhook_url, text)).status]).toEqual([262_144, 201])
    expect((await raw(webhook_url, '{"__proto__": {"a": 1}, "n": 1e300}')).status).toBe(201)
    const { rows } = await database().query("select input->'__proto__' as held from executions where workflow_id = $1 and input ? 'n'", [id])
    expect(rows).toEqual([{ held: { a: 1 } }])
  })

  test('that is no JSON by its own words is 415', async () => {
    const { webhook_url } = await workflow(shop)
    expect((await raw(webhook_url, 'a=1', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415)
  })

  test('is carried on by a workflow whose summary names graph and store', async () => {
    const { key, webhook_url } = await workflow(shop, { key: `Ünïcode ${'☕'.repeat(100)} ${Date.now()}` })
    const { id } = (await call(webhook_url)).body
    const found = await until(() =>
      temporal.workflow
        .getHandle(`execution/${id}`)
        .describe()
        .catch(() => null),
    )
    expect(await found.staticSummary()).toBe(`${[...key].slice(0, 80).join('')} of store ${shop.store.key}`)
  })

  test('of a workflow that goes at this moment either keeps it, or finds nothing', async () => {
    for (const wait of [0, 3, 10]) {
      const { id, webhook_url } = await workflow(shop, { nodes: { start: { type: 'trigger', delay_ms: 3_600_000 } }, edges: [] })
      const calls = Array.from({ length: 12 }, () => call(webhook_url, {}, eitherApi()))
      if (wait > 0) await Promise.race(calls.slice(0, wait))
      const [gone, ...answers] = await Promise.all([shop.asOperator('DELETE', `/workflows/${id}`), ...calls])
      const accepted = answers.filter(({ status }) => status === 201)
      expect(answers.filter(({ status }) => status !== 201 && status !== 404)).toEqual([])
      expect([gone.status, (await executionsOf(id)).length]).toEqual(accepted.length > 0 ? [409, 12] : [200, 0])
    }
  })
})

describe('what is not active is not there', () => {
  const none = expect.objectContaining({ status: 404, code: 'not_found', detail: 'There is no such workflow.' })

  test('a draft, an archived one, one that is gone, one of an archived store, an address of nobody: the same answer', async () => {
    const draft = await workflow(shop, { status: 'draft' })
    const archived = await workflow(shop, { status: 'archived' })
    const gone = await workflow(shop)
    await shop.asOperator('DELETE', `/workflows/${gone.id}`)
    const closing = await newShop()
    const closed = await workflow(closing)
    await database().query("update tenants set status = 'ARCHIVED' where id = $1", [closing.store_id])
    const nobody = `http://localhost/v1/workflows/trigger/till_wh_${'a'.repeat(43)}`
    for (const url of [
      draft.webhook_url,
      archived.webhook_url,
      gone.webhook_url,
      closed.webhook_url,
      nobody,
      `${nobody}a`,
      'http://localhost/v1/workflows/trigger/x',
    ])
      expect((await call(url)).body).toEqual(none)
    expect([...(await executionsOf(draft.id)), ...(await executionsOf(archived.id)), ...(await executionsOf(closed.id))]).toEqual([])
    await shop.asOperator('PUT', `/workflows/${draft.id}`, { status: 'active' })
    expect((await call(draft.webhook_url)).status).toBe(201)
  })

  test('an address that was replaced; the new one is another, and shown from then on', async () => {
    const { id, webhook_url, ...rest } = await workflow(shop)
    const { status, body } = await shop.asOperator('POST', `/workflows/${id}/rotate-secret`)
    expect([status, { ...body, updated_at: 0 }]).toEqual([200, { id, ...rest, webhook_url: body.webhook_url, updated_at: 0 }])
    expect(body.webhook_url).not.toBe(webhook_url)
    expect((await shop.asOperator('GET', `/workflows/${id}`)).body.webhook_url).toBe(body.webhook_url)
    expect([(await call(webhook_url)).body, (await call(body.webhook_url)).status]).toEqual([none, 201])
  })
})

test('a graph that is replaced while it is started is no other’s: each execution has the one of its moment', async () => {
  const { id, webhook_url } = await workflow(shop)
  await call(webhook_url)
  await shop.asOperator('PUT', `/workflows/${id}`, { nodes: { start: small().nodes.start }, edges: [] })
  const { body } = await call(webhook_url)
  expect(Object.keys(body.results)).toEqual(['start'])
  const [first, second] = await executionsOf(id)
  expect(first.graph_id).not.toBe(second.graph_id)
})

test('a call that waits for a change is answered with the nodes of the graph that the change made', async () => {
  const { id, webhook_url } = await workflow(shop)
  const changing = await database().connect()
  try {
    await changing.query('begin')
    await changing.query('select 1 from workflows where id = $1 for update', [id])
    const nodes = JSON.stringify({ begin: { type: 'trigger', delay_ms: 0, events: [] } })
    const insert = `insert into graphs (id, tenant_id, created_at, updated_at, workflow_id, nodes, edges) values (gen_random_uuid(), $1, 1, 1, $2, $3, '[]') returning id`
    const { rows } = await changing.query(insert, [shop.store_id, id, nodes])
    await changing.query('update workflows set graph_id = $2 where id = $1', [id, rows[0].id])
    const answer = call(webhook_url)
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'with asked as%'`
    await until(async () => (await database().query(waiting)).rows.length > 0)
    await changing.query('commit')
    expect((await answer).body.results).toEqual({ begin: expect.objectContaining({ status: 'pending' }) })
  } finally {
    changing.release()
  }
})

test('too many calls of one address are 429, and neither log nor metrics ever hold an address', async () => {
  const lines: string[] = []
  const env = { ...process.env, PORT: '0', RATE_TRIGGER_PER_S: '3', LOG_LEVEL: 'trace' }
  const child = script('api/main.ts', [], { name: 'triggers', env, onLine: (line) => lines.push(line) })
  const own = processOf(child)
  try {
    const base = `http://127.0.0.1:${/"port":(\d+)/.exec(await child.said(/"msg":"listening"/))?.[1]}`
    const [one, another] = [await workflow(shop), await workflow(shop)]
    const answers = await Promise.all(Array.from({ length: 12 }, () => call(one.webhook_url, {}, base)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 429]))
    expect(Number(answers.find(({ status }) => status === 429)?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await call(another.webhook_url, {}, base)).status).toBe(201)
    const secret = one.webhook_url.split('/').at(-1) as string
    const longer = await http('POST', `/v1/workflows/trigger/${secret}x`, { base })
    await fetch(`${base}/v1/workflows/trigger/${secret}/more`, { method: 'POST' })
    await fetch(`${base}/v1/workflows/trigger/${secret}`, { method: 'DELETE' })
    await fetch(`${base}/v1/workflows/trigger/${secret}`, { method: 'POST', body: '{' })
    expect(JSON.stringify([longer.body, ...answers.map(({ body }) => body)])).not.toContain(secret)
    await until(async () => lines.some((line) => line.includes('"status":415')))
    expect(lines.join('\n')).toMatch(/"route":"\/v1\/workflows\/trigger\/:secret","status":201/)
    expect(lines.join('\n')).not.toContain(secret)
    expect(await (await fetch(`${base}/metrics`)).text()).not.toContain(secret)
  } finally {
    await own.stop()
  }
})
