// An execution of any size is read node by node and run by run, and it can be cancelled once.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { call, edge, workflow } from '../kit/automation/automations.ts'
import { until } from '../kit/codes.ts'
import { database, eitherApi, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(() => database().end())

const trigger = { type: 'trigger' }
const code = (text: string) => ({ type: 'transform', code: text })
type Path = { workflow_id: string; id: string }
const at = ({ workflow_id, id }: Path) => `/workflows/${workflow_id}/executions/${id}`
const read = async (of: Path) => (await shop.asOperator('GET', at(of), undefined, eitherApi())).body
const runsOf = async (of: Path, search = '') => (await shop.asOperator('GET', `${at(of)}/runs${search}`)).body
const runOf = async (of: Path, id: string) => (await shop.asOperator('GET', `${at(of)}/runs/${id}`)).body
const cancel = (of: Path) => shop.asOperator('POST', `${at(of)}/cancel`)

async function run(graph: { nodes: Record<string, unknown>; edges: unknown[] }, input: unknown = {}) {
  const { webhook_url } = await workflow(shop, graph)
  const { body } = await call(webhook_url, input)
  await until(async () => !['pending', 'running'].includes((await read(body)).status), 25_000)
  return read(body)
}

/** An execution row without a workflow that would continue it. */
async function insert(workflow_id: string, row: Record<string, unknown> = {}): Promise<Path> {
  const { rows } = await database().query('select tenant_id, graph_id from workflows where id = $1', [workflow_id])
  const full: Record<string, unknown> = {
    id: newId(),
    ...rows[0],
    // Of now: an old one would be overdue, and started by the reconciler.
    created_at: Math.floor(Date.now() / 1000),
    updated_at: 1,
    workflow_id,
    source: 'webhook',
    input: '{}',
    ...row,
  }
  const names = Object.keys(full)
  await database().query(
    `insert into executions (${names}) values (${names.map((_, n) => `$${n + 1}`)})`,
    names.map((name) => full[name]),
  )
  return { workflow_id, id: full.id as string }
}
const insertRun = async ({ id }: Path, row: Record<string, unknown>) => {
  const full: Record<string, unknown> = {
    id: newId(),
    created_at: 1,
    updated_at: 1,
    execution_id: id,
    node: row.key,
    fingerprint: '',
    ...row,
  }
  const names = ['tenant_id', ...Object.keys(full)]
  await database().query(
    `insert into node_runs (${names}) select (select tenant_id from executions where id = $1), ${names.slice(1).map((_, n) => `$${n + 2}`)}`,
    [id, ...Object.values(full)],
  )
  return full.id as string
}

test('An execution shows each node’s output, times and attempts', async () => {
  const nodes = {
    start: trigger,
    add: code('return { sum: input.trigger.n + 1 }'),
    last: code('return input.add.sum * 2'),
  }
  const found = await run({ nodes, edges: [edge('start', 'default', 'add'), edge('add', 'success', 'last')] }, { n: 1 })
  expect(found).toMatchObject({
    status: 'completed',
    source: 'webhook',
    error: null,
    cancel_requested: false,
    input: { n: 1 },
  })
  expect(found.finished_at).toBeGreaterThanOrEqual(found.started_at)
  expect(Object.keys(found.results)).toEqual(['start', 'add', 'last'])
  const done = {
    status: 'completed',
    error: null,
    attempts: 1,
    run_id: expect.any(String),
    started_at: expect.any(Number),
    finished_at: expect.any(Number),
    next_attempt_at: null,
  }
  expect(found.results).toEqual({
    start: { ...done, output: { n: 1 }, output_bytes: 7 },
    add: { ...done, output: { sum: 2 }, output_bytes: 9 },
    last: { ...done, output: 4, output_bytes: 1 },
  })
})

test('An owner resolves an unknown run, corrects it, and overrides a late answer by force', async () => {
  const { id: workflow_id } = await workflow(shop, {
    nodes: { start: trigger, post: code('return 1') },
    edges: [edge('start', 'default', 'post')],
  })
  const of = await insert(workflow_id, {
    status: 'failed',
    step: 2,
    state: '{"nodes":{"start":{"status":"completed"},"post":{"status":"unknown"}}}',
  })
  const lost = {
    status: 'unknown',
    attempt: 1,
    applied: true,
    sent_at: new Date(),
    settled_at: new Date(),
    error: '{"code":"http_status","message":"502"}',
  }
  const [id, late, known] = await Promise.all([
    insertRun(of, { key: 'post', ...lost }),
    insertRun(of, { key: 'late', ...lost, late_evidence: '{"status":303}' }),
    insertRun(of, { key: 'known', ...lost, status: 'rejected' }),
  ])
  const resolve = (run: string, outcome: string, more: object = {}) =>
    shop.asOperator('POST', `${at(of)}/runs/${run}/resolve`, { outcome, note: 'Looked it up.', ...more }, eitherApi())
  const said = { outcome: 'completed', note: 'Looked it up.', account_id: shop.op.account_id, at: expect.any(Number) }
  expect((await resolve(id, 'completed')).body).toMatchObject({ status: 'completed', error: null, resolution: said })
  expect((await resolve(id, 'completed')).body.resolution.before).toBeUndefined()
  const found = await read(of)
  expect([found.status, found.results.post.status]).toEqual(['failed', 'completed'])
  expect((await resolve(id, 'failed', { replaces: 'completed' })).body).toMatchObject({
    status: 'failed',
    error: { code: 'not_carried_out' },
    resolution: { outcome: 'failed', before: said },
  })
  const refused = await resolve(late, 'failed')
  const answered = { status: 'succeeded', provider_status: 303 }
  expect([refused.status, refused.body.code, refused.body.evidence]).toEqual([409, 'contradicts_evidence', answered])
  expect((await resolve(late, 'failed', { force: true })).body.resolution).toMatchObject({
    outcome: 'failed',
    against: answered,
  })
  // An answer that comes after the resolution is acknowledged by the same outcome.
  await database().query(
    `update node_runs set late_evidence = '{"status":"succeeded","provider_status":200}' where id = $1`,
    [id],
  )
  expect((await resolve(id, 'failed')).body.code).toBe('contradicts_evidence')
  expect((await resolve(id, 'failed', { force: true })).body.resolution).toMatchObject({
    against: { provider_status: 200 },
    before: { outcome: 'failed' },
  })
  expect((await resolve(id, 'failed')).body.resolution.before).toMatchObject({ outcome: 'failed', before: said })
  // The method of an answer of an earlier version is not known: 301 is done after a POST alone.
  await database().query(`update node_runs set late_evidence = '{"status":301}' where id = $1`, [known])
  await database().query(`update node_runs set status = 'unknown' where id = $1`, [known])
  expect((await resolve(known, 'failed')).status).toBe(200)
  await database().query(`update node_runs set status = 'rejected', resolution = null where id = $1`, [known])
  expect([
    (await resolve(known, 'completed')).body.code,
    (await resolve(newId(), 'completed')).status,
    (await resolve(id, 'unknown')).status,
  ]).toEqual(['run_not_unknown', 404, 422])
})

test('An HTTP node, read or sent, has the times it started, was sent and finished, in order', async () => {
  const url = `${eitherApi()}/v1/no-such-route`
  const call = (method: string) => ({ type: 'http', method, url, delay_ms: method === 'put' ? 1 : 0 })
  const nodes = {
    start: trigger,
    get: call('get'),
    post: call('post'),
    put: call('put'),
    refused: { ...call('get'), url: 'http://10.1.2.3/' },
    end: code('return 1'),
  }
  const names = ['get', 'post', 'put', 'refused']
  const found = await run({
    nodes,
    edges: names.flatMap((name) => [edge('start', 'default', name), edge(name, 'error', 'end')]),
  })
  const { items } = await runsOf(found, '?limit=100')
  for (const name of names) {
    const { id, sent_at, started_at, finished_at } = items.find(({ key }: { key: string }) => key === name)
    const times = { started_at: expect.any(Number), finished_at: expect.any(Number) }
    expect([name, found.results[name]]).toEqual([name, expect.objectContaining(times)])
    expect([name, await runOf(found, id)]).toEqual([
      name,
      expect.objectContaining({ sent_at, started_at, finished_at }),
    ])
    const inOrder =
      name === 'refused' ? [started_at, finished_at] : [started_at, sent_at, finished_at, found.finished_at]
    expect([name, inOrder]).toEqual([name, inOrder.map(() => expect.any(Number))])
    expect([name, inOrder]).toEqual([name, [...inOrder].sort((a, b) => a - b)])
    expect([name, sent_at === null]).toEqual([name, name === 'refused'])
  }
})

test('An execution names the node that failed, the reason, and the nodes not reached', async () => {
  const nodes = {
    start: trigger,
    bad: code('throw new Error("no more tea")'),
    next: code('return 1'),
    rescue: code('return 2'),
  }
  const edges = [edge('start', 'default', 'bad'), edge('bad', 'success', 'next')]
  const failed = await run({ nodes: { start: trigger, bad: nodes.bad, next: nodes.next }, edges })
  expect([failed.status, failed.error.node, failed.results.bad.status, failed.results.next]).toEqual([
    'failed',
    'bad',
    'failed',
    {
      status: 'skipped',
      output: null,
      output_bytes: null,
      error: null,
      attempts: 0,
      run_id: null,
      started_at: null,
      finished_at: null,
      next_attempt_at: null,
    },
  ])
  expect(failed.results.bad.error.message).toContain('no more tea')
  const rescued = await run({ nodes, edges: [...edges, edge('bad', 'error', 'rescue')] })
  expect([
    rescued.status,
    rescued.results.bad.status,
    rescued.results.next.status,
    rescued.results.rescue.output,
  ]).toEqual(['completed', 'failed', 'skipped', 2])
})

test('An execution shows a loop’s latest iteration, and its runs show every iteration', async () => {
  const nodes = {
    start: trigger,
    each: { type: 'loop', items: 'input.trigger.list' },
    twice: code('return input.each.item * 2'),
  }
  const edges = [
    edge('start', 'default', 'each'),
    edge('each', 'each', 'twice'),
    edge('twice', 'success', 'each', true),
  ]
  const found = await run({ nodes, edges }, { list: [1, 2, 3] })
  expect([found.status, found.results.each.output, found.results.twice.output]).toEqual(['completed', [2, 4, 6], 6])
  const { items } = await runsOf(found, '?limit=100&sort_direction=asc')
  expect(items.map(({ key }: { key: string }) => key).sort()).toEqual([
    'each',
    'each:items',
    'start',
    'twice#0',
    'twice#1',
    'twice#2',
  ])
  const twice = await runsOf(found, '?node=twice&limit=2')
  expect([
    twice.items.length,
    (await runsOf(found, `?node=twice&limit=2&cursor=${twice.cursor}`)).items.length,
  ]).toEqual([2, 1])
  expect(Object.keys(twice.items[0])).not.toContain('output')
  const second = items.find(({ key }: { key: string }) => key === 'twice#1')
  expect(await runOf(found, second.id)).toMatchObject({ ...second, output: 4, status: 'completed', attempts: 1 })
})

test('An execution shows why a loop had no items', async () => {
  const nodes = { start: trigger, each: { type: 'loop', items: '7' }, body: code('return 1') }
  const found = await run({
    nodes,
    edges: [edge('start', 'default', 'each'), edge('each', 'each', 'body'), edge('body', 'success', 'each', true)],
  })
  expect([found.status, found.results.each.status, found.results.body.status]).toEqual(['failed', 'failed', 'skipped'])
  expect(found.results.each).toMatchObject({
    error: { code: expect.any(String), message: expect.any(String) },
    run_id: expect.any(String),
    output: null,
  })
})

test('An output above 64 KiB is shown by its size, and its run returns it in full', async () => {
  const nodes = { start: trigger, much: code('return "x".repeat(input.trigger.n)') }
  const graph = { nodes, edges: [edge('start', 'default', 'much')] }
  const { much } = (await run(graph, { n: 65_534 })).results
  expect([much.output.length, much.output_bytes]).toEqual([65_534, 65_536])
  const found = await run(graph, { n: 65_535 })
  expect(found.results.much).toMatchObject({ status: 'completed', output: null, output_bytes: 65_537 })
  expect((await runOf(found, found.results.much.run_id)).output).toHaveLength(65_535)
})

test('An execution that has not started is pending in every node, or cancelled if it was stopped', async () => {
  const { id } = await workflow(shop)
  const found = await read(await insert(id))
  expect([found.status, found.started_at, found.results.start.status, found.results.shape.status]).toEqual([
    'pending',
    null,
    'pending',
    'pending',
  ])
  const stopped = await read(await insert(id, { status: 'cancelled' }))
  expect([stopped.results.start.status, stopped.results.shape.status]).toEqual(['cancelled', 'cancelled'])
})

test.each<[string, Record<string, unknown>]>([
  ['pending', { status: 'requested' }],
  ['running', { status: 'requested', attempt: 1, error: '{"code":"refused","message":"x"}' }],
  ['running', { status: 'processing', attempt: 1 }],
  ['completed', { status: 'succeeded', attempt: 1, output: '5', output_bytes: 1 }],
  ['failed', { status: 'rejected', attempt: 1, error: '{"code":"http_status","message":"x"}' }],
  ['failed', { status: 'failed', error: null }],
  ['failed', { status: 'failed', error: '{"code":"not_sent","message":"x"}' }],
  ['cancelled', { status: 'failed', error: '{"code":"execution_cancelled","message":"x"}' }],
  ['unknown', { status: 'unknown', attempt: 1, error: '{"code":"outcome_unknown","message":"x"}' }],
])('A node’s status is %s while its effect is %j', async (status, row) => {
  const { id } = await workflow(shop)
  const state = JSON.stringify({
    nodes: { start: { status: 'completed' }, shape: { status: 'running' } },
    stopped: null,
  })
  const made = await insert(id, { status: 'running', state })
  await insertRun(made, { key: 'start', status: 'succeeded', attempt: 0, output: '{}', output_bytes: 2 })
  const run_id = await insertRun(made, { key: 'shape', ...row })
  const { results } = await read(made)
  expect(results.shape).toMatchObject({ status, run_id, attempts: row.attempt ?? 0, output: row.output ? 5 : null })
  expect(await runOf(made, run_id)).toMatchObject({ status, id: run_id, key: 'shape', node: 'shape' })
  for (const asked of ['pending', 'running', 'completed', 'failed', 'cancelled', 'unknown', 'skipped']) {
    const { items } = await runsOf(made, `?node=shape&status=${asked}`)
    expect([asked, items.map((one: { id: string }) => one.id)]).toEqual([asked, asked === status ? [run_id] : []])
  }
})

test('An execution of another workflow or another store returns 404', async () => {
  const [mine, another] = [await workflow(shop), await workflow(shop)]
  const made = await insert(mine.id, { status: 'completed' })
  const run_id = await insertRun(made, { key: 'start', status: 'succeeded' })
  const second = await insert(mine.id)
  const paths = [
    at({ ...made, workflow_id: another.id }),
    `${at({ ...made, workflow_id: another.id })}/runs`,
    `${at(second)}/runs/${run_id}`,
  ]
  for (const path of paths) expect([path, (await shop.asOperator('GET', path)).status]).toEqual([path, 404])
  expect((await cancel({ ...second, workflow_id: another.id })).status).toBe(404)
  const other = await newShop()
  for (const path of [at(made), `${at(made)}/runs`, `${at(made)}/runs/${run_id}`, `/workflows/${mine.id}/executions`])
    expect([path, (await other.asOperator('GET', path)).status]).toEqual([path, 404])
})

test('Executions are listed newest first by status, source and time, without large fields', async () => {
  const { id } = await workflow(shop)
  const made: Record<string, string> = {}
  for (const [n, [status, source]] of [
    ['completed', 'webhook'],
    ['failed', 'schedule'],
    ['cancelled', 'event'],
    ['completed', 'schedule'],
  ].entries())
    made[String(n)] = (await insert(id, { status, source, created_at: 10 + n, updated_at: 100 - n })).id
  const ask = async (search: string) => {
    const { body } = await shop.asOperator('GET', `/workflows/${id}/executions?${search}`, undefined, eitherApi())
    return {
      ...body,
      names: body.items.map((one: { id: string }) => Object.keys(made).find((name) => made[name] === one.id)),
    }
  }
  expect((await ask('')).names).toEqual(['3', '2', '1', '0'])
  expect((await ask('status=completed')).names).toEqual(['3', '0'])
  expect((await ask('source=SCHEDULE')).names).toEqual(['3', '1'])
  expect((await ask('created_at_from=11&created_at_to=12')).names).toEqual(['2', '1'])
  expect((await ask('sort_field=updatedAt&sort_direction=desc')).names).toEqual(['0', '1', '2', '3'])
  const first = await ask('limit=3')
  expect([first.names, (await ask(`limit=3&cursor=${first.cursor}`)).names]).toEqual([['3', '2', '1'], ['0']])
  expect(Object.keys(first.items[0]).sort()).toEqual(
    [
      'id',
      'workflow_id',
      'status',
      'source',
      'error',
      'cancel_requested',
      'started_at',
      'finished_at',
      'created_at',
      'updated_at',
    ].sort(),
  )
})

describe('Cancelling executions', () => {
  const waiting = {
    nodes: { start: trigger, later: { type: 'http', method: 'post', url: 'http://127.0.0.1:9/', delay_ms: 3_600_000 } },
    edges: [edge('start', 'default', 'later')],
  }

  test('Cancelling ends an execution at once if nothing was sent, and repeating changes nothing', async () => {
    const { webhook_url } = await workflow(shop, waiting)
    const { body } = await call(webhook_url)
    await until(async () => (await read(body)).results.later.run_id)
    expect((await read(body)).results.later).toMatchObject({
      status: 'pending',
      attempts: 0,
      next_attempt_at: expect.any(Number),
    })
    const { status, body: stopped } = await cancel(body)
    expect([status, stopped.status, stopped.cancel_requested, stopped.results.later]).toMatchObject([
      200,
      'cancelled',
      true,
      { status: 'cancelled', attempts: 0 },
    ])
    expect((await cancel(body)).body).toEqual(stopped)
    expect(await read(body)).toEqual(stopped)
  })

  test('Many concurrent requests cancel an execution that has not started', async () => {
    const { id } = await workflow(shop, waiting)
    const made = await insert(id)
    const answers = await Promise.all(Array.from({ length: 6 }, () => cancel(made)))
    expect(answers.map(({ status, body }) => `${status} ${body.status}`)).toEqual(Array(6).fill('200 cancelled'))
  })

  test.each(['completed', 'failed'])('An execution that has %s cannot be cancelled', async (status) => {
    const { id } = await workflow(shop)
    const made = await insert(id, { status })
    const answer = await cancel(made)
    expect([answer.status, answer.body.code]).toEqual([409, 'execution_over'])
    expect((await read(made)).cancel_requested).toBe(false)
  })

  test('A workflow can be deleted once its execution is cancelled', async () => {
    const { id, webhook_url } = await workflow(shop, waiting)
    const { body } = await call(webhook_url)
    expect((await shop.asOperator('DELETE', `/workflows/${id}`)).body).toMatchObject({
      code: 'executions_running',
      executions: 1,
    })
    await cancel(body)
    expect((await shop.asOperator('DELETE', `/workflows/${id}`)).status).toBe(200)
  })
})
