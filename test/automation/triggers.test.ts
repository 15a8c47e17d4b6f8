// Each call of a workflow's webhook URL starts an execution; without the URL, a caller cannot detect that a workflow
// exists.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { processOf, script } from '../../dev/parts.ts'
import { call, small, workflow } from '../kit/automation/automations.ts'
import { until } from '../kit/codes.ts'
import { untilAwaited } from '../kit/database/locks.ts'
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

const executionsOf = async (id: string) =>
  (await database().query('select * from executions where workflow_id = $1 order by created_at, id', [id])).rows
const raw = async (
  webhook_url: string,
  text: string,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) => {
  const answer = await fetch(`${api()}${new URL(webhook_url).pathname}`, { method: 'POST', headers, body: text })
  return { status: answer.status, body: (await answer.json()) as { code: string; input: unknown } }
}

test('A webhook call returns its execution as soon as it is written', async () => {
  const { id, webhook_url } = await workflow(shop)
  const { status, body } = await call(webhook_url, { order: 7, '': { a: [null] } })
  expect([status, body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      workflow_id: id,
      ...{
        status: 'pending',
        source: 'webhook',
        error: null,
        cancel_requested: false,
        started_at: null,
        finished_at: null,
      },
      ...{ created_at: expect.any(Number), updated_at: body.created_at },
      input: { order: 7, '': { a: [null] } },
      results: {
        start: expect.objectContaining({ status: 'pending', run_id: null }),
        shape: expect.objectContaining({ status: 'pending', output: null }),
      },
    },
  ])
  const [row] = await executionsOf(id)
  expect(row).toMatchObject({
    id: body.id,
    tenant_id: shop.store_id,
    source: 'webhook',
    occurrence: null,
    input: { order: 7, '': { a: [null] } },
  })
  const read = await shop.asOperator('GET', `/workflows/${id}/executions/${body.id}`)
  expect([read.status, read.body.input]).toEqual([200, body.input])
})

test('Twenty equal concurrent calls through both processes start twenty executions', async () => {
  const { id, webhook_url } = await workflow(shop)
  const answers = await Promise.all(Array.from({ length: 20 }, () => call(webhook_url, { same: true }, eitherApi())))
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
  const rows = await executionsOf(id)
  expect(rows.map((row) => row.id).sort()).toEqual(answers.map(({ body }) => body.id).sort())
  expect(new Set(rows.map((row) => row.id)).size).toBe(20)
})

test('A webhook call without a body has an empty object as input', async () => {
  const { webhook_url } = await workflow(shop)
  expect((await http('POST', new URL(webhook_url).pathname)).body.input).toEqual({})
})

test.each(['[]', 'null', '1', '"text"', 'true'])(
  'A webhook call with the body %s is 422, because it must be an object',
  async (text) => {
    const { id, webhook_url } = await workflow(shop)
    const { status, body } = await raw(webhook_url, text)
    expect([status, body.code, await executionsOf(id)]).toEqual([422, 'invalid_input', []])
  },
)

test.each([
  ['that is not JSON', '{', 400],
  ['that is nested too deep', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`, 400],
  ['with half a character', '{"a":"\\ud800"}', 422],
  ['with a NUL', '{"a":"\\u0000"}', 422],
  ['over 256 KiB', JSON.stringify({ a: 'x'.repeat(262_144) }), 413],
  ['over 1 MiB', JSON.stringify({ a: 'x'.repeat(1_048_576) }), 413],
])('A webhook call with a body %s is refused and starts nothing', async (_, text, expected) => {
  const { id, webhook_url } = await workflow(shop)
  expect((await raw(webhook_url, text)).status).toBe(expected)
  expect(await executionsOf(id)).toEqual([])
})

test('A body of 256 KiB is accepted, and keys of the object prototype are plain keys', async () => {
  const { id, webhook_url } = await workflow(shop)
  const text = JSON.stringify({ a: 'x'.repeat(262_144 - 8) })
  expect([text.length, (await raw(webhook_url, text)).status]).toEqual([262_144, 201])
  expect((await raw(webhook_url, '{"__proto__": {"a": 1}, "n": 1e300}')).status).toBe(201)
  const { rows } = await database().query(
    "select input->'__proto__' as held from executions where workflow_id = $1 and input ? 'n'",
    [id],
  )
  expect(rows).toEqual([{ held: { a: 1 } }])
})

test('A webhook call with another content type is 415', async () => {
  const { webhook_url } = await workflow(shop)
  expect((await raw(webhook_url, 'a=1', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415)
})

test('An execution’s summary in Temporal names its graph and its store', async () => {
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

test('A call during the deletion of its workflow either prevents it or returns 404', async () => {
  for (const wait of [0, 3, 10]) {
    const { id, webhook_url } = await workflow(shop, {
      nodes: { start: { type: 'trigger', delay_ms: 3_600_000 } },
      edges: [],
    })
    const calls = Array.from({ length: 12 }, () => call(webhook_url, {}, eitherApi()))
    if (wait > 0) await Promise.race(calls.slice(0, wait))
    const [gone, ...answers] = await Promise.all([shop.asOperator('DELETE', `/workflows/${id}`), ...calls])
    const accepted = answers.filter(({ status }) => status === 201)
    expect(answers.filter(({ status }) => status !== 201 && status !== 404)).toEqual([])
    expect([gone.status, (await executionsOf(id)).length]).toEqual(accepted.length > 0 ? [409, 12] : [200, 0])
  }
})

describe('Inactive workflows', () => {
  const none = expect.objectContaining({ status: 404, code: 'not_found', detail: 'There is no such workflow.' })

  test('Draft, archived, deleted and unknown workflows give the same answer', async () => {
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
    expect([
      ...(await executionsOf(draft.id)),
      ...(await executionsOf(archived.id)),
      ...(await executionsOf(closed.id)),
    ]).toEqual([])
    await shop.asOperator('PUT', `/workflows/${draft.id}`, { status: 'active' })
    expect((await call(draft.webhook_url)).status).toBe(201)
  })

  test('A rotated webhook URL stops working, and the new one is shown from then on', async () => {
    const { id, webhook_url, ...rest } = await workflow(shop)
    const { status, body } = await shop.asOperator('POST', `/workflows/${id}/rotate-secret`)
    expect([status, { ...body, updated_at: 0 }]).toEqual([
      200,
      { id, ...rest, webhook_url: body.webhook_url, updated_at: 0 },
    ])
    expect(body.webhook_url).not.toBe(webhook_url)
    expect((await shop.asOperator('GET', `/workflows/${id}`)).body.webhook_url).toBe(body.webhook_url)
    expect([(await call(webhook_url)).body, (await call(body.webhook_url)).status]).toEqual([none, 201])
  })
})

test('An execution keeps the graph of its moment when the graph is replaced meanwhile', async () => {
  const { id, webhook_url } = await workflow(shop)
  await call(webhook_url)
  await shop.asOperator('PUT', `/workflows/${id}`, { nodes: { start: small().nodes.start }, edges: [] })
  const { body } = await call(webhook_url)
  expect(Object.keys(body.results)).toEqual(['start'])
  const [first, second] = await executionsOf(id)
  expect(first.graph_id).not.toBe(second.graph_id)
})

test('A call that waits for a concurrent change returns the nodes of the changed graph', async () => {
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
    await untilAwaited(changing)
    await changing.query('commit')
    expect((await answer).body.results).toEqual({ begin: expect.objectContaining({ status: 'pending' }) })
  } finally {
    changing.release()
  }
})

test('Too many calls of one URL are 429, and neither logs nor metrics contain the URL', async () => {
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
