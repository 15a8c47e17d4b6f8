// After any answer of a server and any input of a caller, an execution ends, reports the answer, and takes no resources
// from other executions.
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { advanceExecution } from '../../activities/automation/graphs.ts'
import { closeDatabase, transaction } from '../../activities/kit/database.ts'
import { Execution } from '../../entities/automation/execution.ts'
import { overdueExecutions } from '../../entities/automation/executions.ts'
import { newId } from '../../entities/kit/ids.ts'
import { workflow } from '../kit/automation/automations.ts'
import { begin, edge, ended, execute, newWorkflow } from '../kit/automation/graphs.ts'
import { until } from '../kit/codes.ts'
import { waitersOf } from '../kit/database/locks.ts'
import { api, database, newEmail, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
const servers: net.Server[] = []
beforeAll(async () => {
  shop = await newShop()
})
afterAll(async () => {
  for (const server of servers) server.close()
  await closeDatabase()
  await database().end()
})

/** Answers every email with `answer`; returns its port. */
async function mailServer(answer: string): Promise<number> {
  const server = net.createServer((socket) => {
    let heard = ''
    let message = false
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      heard += chunk
      for (
        let end = heard.indexOf(message ? '\r\n.\r\n' : '\r\n');
        end >= 0;
        end = heard.indexOf(message ? '\r\n.\r\n' : '\r\n')
      ) {
        const said = heard.slice(0, end)
        heard = heard.slice(end + (message ? 5 : 2))
        if (message) socket.write(`${answer}\r\n`)
        else if (said.startsWith('QUIT')) socket.end('221 bye\r\n')
        else socket.write(said.startsWith('DATA') ? '354 go on\r\n' : '250 ok\r\n')
        message = !message && said.startsWith('DATA')
      }
    })
    socket.write('220 here\r\n')
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return (server.address() as AddressInfo).port
}

async function mailed(answer: string) {
  const smtp = { host: '127.0.0.1', port: await mailServer(answer), security: 'none' }
  const { body: mailbox } = await shop.asOperator('POST', '/mailboxes', {
    key: unique(),
    email: 'shop@example.com',
    smtp,
  })
  const { body: template } = await shop.asOperator('POST', '/email-templates', {
    key: unique(),
    format: 'html',
    subject: 'Hello',
    body: '<p>Hello</p>',
  })
  const mail = { type: 'send_email', mailbox_id: mailbox.id, template_id: template.id, to: newEmail(), variables: {} }
  const { status, runs } = await execute(shop.store_id, {
    nodes: { start: { type: 'trigger' }, mail },
    edges: [edge('start', 'mail', 'default')],
  })
  return [status, runs.mail?.status, runs.mail?.attempt]
}

describe('Mail servers with strange answers', () => {
  // One of the two is cut in the middle of a character, wherever that is.
  const faces = (length: number): [string, string] => [
    `${length} letters and many faces`,
    `${'x'.repeat(length)}${'😀'.repeat(100)}`,
  ]
  const odd: [string, string][] = [['NUL', 'so \0 so'], faces(150), faces(151)]
  test.each(odd)('An email is sent or rejected by its status when the server adds %s', async (_, words) => {
    expect(await mailed(`250 ${words}`)).toEqual(['completed', 'succeeded', 1])
    expect(await mailed(`550 ${words}`)).toEqual(['failed', 'rejected', 1])
  })
})

test('An event longer than an output may be fails its trigger, with and without a delay', async () => {
  // The longest body that is accepted; the record has more fields.
  const blocks = [{ key: 'long', type: 't', value: 'x'.repeat(1_048_576 - 150) }]
  for (const delay_ms of [0, 50]) {
    const nodes = {
      start: { type: 'trigger', delay_ms, events: ['product.created'] },
      after: { type: 'transform', code: 'return 1' },
    }
    const { id } = await workflow(shop, { nodes, edges: [edge('start', 'after', 'default')] })
    expect((await shop.asOperator('POST', '/products', { key: unique(), blocks })).status).toBe(201)
    const begun = await until(
      async () =>
        (await database().query<{ id: string }>('select id from executions where workflow_id = $1', [id])).rows[0],
    )
    expect(await ended(begun.id)).toMatchObject({
      status: 'failed',
      runs: { start: { status: 'failed', error: { code: 'output_too_large' } } },
    })
  }
})

describe('Nodes with large inputs', () => {
  const megabyte = 'x'.repeat(1_000_000)
  async function naming(count: number) {
    const server = http.createServer((_, response) => response.end(megabyte))
    servers.push(server)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const names = Array.from({ length: count }, (_, n) => `call${n}`)
    const items = `[${names.map((name) => `{{nodes.${name}.output.status}}`).join(', ')}]`
    return execute(shop.store_id, {
      nodes: {
        start: { type: 'trigger' },
        ...Object.fromEntries(names.map((name) => [name, { type: 'http', method: 'get', url, timeout_ms: 10_000 }])),
        // This node names no output, so their size does not affect it.
        join: { type: 'transform', code: 'return Object.keys(nodes)' },
        pick: { type: 'switch', rules: [{ condition: `${items}.length === ${count}` }] },
      },
      edges: [...names.flatMap((name) => [edge('start', name, 'default'), edge(name, 'join')]), edge('join', 'pick')],
    })
  }

  test('A node reads up to four outputs of a megabyte and fails by name with more', async () => {
    expect((await naming(4)).runs).toMatchObject({
      join: { status: 'succeeded', output: ['start'] },
      pick: { output: { output: 'rule_0' } },
    })
    expect(await naming(5)).toMatchObject({
      status: 'failed',
      runs: { join: { status: 'succeeded' }, pick: { error: { code: 'input_too_large' } } },
    })
  })
})

describe('Answers that JavaScript would change', () => {
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
  const answers: Record<string, { type: string; body: Buffer | string }> = {
    '/ids': { type: 'application/json', body: '{"id": 7615917337495251231, "count": 3}' },
    '/marked': { type: 'application/json; charset=utf-8', body: '\ufeff{"id": 1}' },
    '/wide': { type: 'application/json', body: utf16('{"tea": "緑茶"}') },
    '/latin': { type: 'text/plain; charset=ISO-8859-1', body: Buffer.from('caf\xe9', 'latin1') },
  }

  test('A number beyond 2^53 of an answer or trigger reaches the next request with all its digits', async () => {
    const posted: string[] = []
    const server = http.createServer((request, response) => {
      const answer = answers[request.url ?? '']
      if (answer) return response.writeHead(200, { 'content-type': answer.type }).end(answer.body)
      request.on('data', (chunk) => posted.push(String(chunk))).on('end', () => response.end())
    })
    servers.push(server)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const url = (name: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`
    const body = Object.fromEntries(
      ['ids', 'marked', 'wide', 'latin'].map((name) => [name, `{{nodes.${name}.output.body}}`]),
    )
    const reads = Object.keys(body).map((name) => [name, { type: 'http', method: 'get', url: url(name) }] as const)
    const nodes = {
      start: { type: 'trigger' },
      ...Object.fromEntries(reads),
      post: { type: 'http', method: 'post', url: url('posted'), body: { ...body, asked: '{{input.trigger.id}}' } },
    }
    const edges = reads.flatMap(([name]) => [edge('start', name, 'default'), edge(name, 'post')])
    const { webhook_url } = await workflow(shop, { nodes, edges: [...edges, edge('start', 'post', 'default')] })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${api()}${new URL(webhook_url).pathname}`, {
      method: 'POST',
      headers,
      body: '\ufeff{"id": 9007199254740993}',
    })
    const begun = (await answer.json()) as { id: string; input: object }
    expect([answer.status, begun.input]).toEqual([201, { id: '9007199254740993' }])
    expect(await ended(begun.id)).toMatchObject({ status: 'completed' })
    const exact = {
      ids: { id: '7615917337495251231', count: 3 },
      marked: { id: 1 },
      wide: { tea: '緑茶' },
      latin: 'café',
    }
    expect(JSON.parse(posted.join(''))).toEqual({ ...exact, asked: '9007199254740993' })
  })
})

test('A delayed execution is reconciled when due, and not again at once, so that others follow', async () => {
  const nodes = { start: { type: 'trigger', delay_ms: 86_400_000 } }
  const flow = await newWorkflow(shop.store_id, { nodes, edges: [] })
  const waiting = await begin(shop.store_id, flow)
  const wakes = () =>
    database().query<{ wakes: boolean }>(
      `select wake_at > now() + interval '23 hours' as wakes from executions where id = $1`,
      [waiting],
    )
  await until(async () => (await wakes()).rows[0]?.wakes)

  const lost = {
    id: newId(),
    ...flow,
    tenant_id: shop.store_id,
    created_at: 1,
    updated_at: 1,
    status: 'pending',
    source: 'webhook',
    input: '{}',
    step: 0,
  }
  const found = await transaction(async (em) => {
    await em.insert(Execution, { ...lost, cancel_requested: false } as never)
    const look = async () =>
      (await overdueExecutions(em, 1, 10_000)).filter(({ id }) => id === lost.id || id === waiting).map(({ id }) => id)
    const looks = [await look(), await look()]
    await em.nativeDelete(Execution, { id: lost.id }, { filters: false })
    return looks
  })
  expect(found).toEqual([[lost.id], []])
})

test('A worker runs one step of an execution at a time, however often Temporal asks', async () => {
  const flow = await newWorkflow(shop.store_id, { nodes: { start: { type: 'trigger' } }, edges: [] })
  const ids = [newId(), newId()]
  const insert = `insert into executions (id, tenant_id, created_at, updated_at, workflow_id, graph_id, status, source, input, step, cancel_requested)
    select id, $2, extract(epoch from now()), 1, $3, $4, 'pending', 'webhook', '{}', 0, false from unnest($1::uuid[]) id`
  await database().query(insert, [ids, shop.store_id, flow.workflow_id, flow.graph_id])
  const holder = await database().connect()
  const writing = async () => (await waitersOf(holder, 'with slot_owner as%')).length
  try {
    await holder.query('begin')
    await holder.query('select 1 from executions where id = any($1) for update', [ids])
    const steps = Array.from({ length: 5 }, () => advanceExecution(ids[0] as string))
    await until(async () => (await writing()) === 1)
    steps.push(advanceExecution(ids[1] as string))
    // When this step has come so far, the others would have too.
    await until(async () => (await writing()) > 1)
    expect(await writing()).toBe(2)
    await holder.query('commit')
    expect(await Promise.all(steps)).toEqual(steps.map(() => ({ do: 'done', status: 'completed' })))
  } finally {
    holder.release()
  }
})
