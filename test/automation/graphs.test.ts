// A graph runs as it is drawn: each node once, in the order of its edges, with the values that its templates name.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { edge, execute } from '../kit/automation/graphs.ts'
import { type Receiver, startReceiver } from '../kit/webhooks/receiver.ts'

let receiver: Receiver
const tenant = newId()

beforeAll(async () => {
  receiver = await startReceiver(fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-test-engine-')))
})
afterAll(() => receiver.stop())

const trigger = { type: 'trigger' }
const post = (url: string, more: Record<string, unknown> = {}) => ({
  type: 'http',
  method: 'post',
  url: `${receiver.url}${url}`,
  ...more,
})

test('A post’s body contains the trigger’s input, and the answer is the node’s output', async () => {
  await receiver.rule('/one', { status: 201, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' })
  const run = await execute(
    tenant,
    {
      nodes: {
        start: trigger,
        call: post('/one', { body: { hello: '{{input.trigger.name}}', all: '{{nodes.start.output}}' } }),
      },
      edges: [edge('start', 'call', 'default')],
    },
    { name: 'Ada' },
  )
  expect(run).toMatchObject({ status: 'completed', error: null })
  expect(run.runs.call).toMatchObject({ status: 'succeeded', output: { status: 201, body: { ok: true } }, attempt: 1 })
  const [arrived] = await receiver.arrivals('/one')
  expect(JSON.parse(arrived?.body ?? '')).toEqual({ hello: 'Ada', all: { name: 'Ada' } })
})

test('Input that looks like code does not choose a branch of a switch', async () => {
  const pick = { type: 'switch', rules: [{ condition: "'{{input.start.role}}' === 'admin'" }] }
  const graph = {
    nodes: { start: trigger, pick, admin: { type: 'transform', code: 'return 1' } },
    edges: [edge('start', 'pick', 'default'), edge('pick', 'admin', 'rule_0')],
  }
  const [attacked, meant] = await Promise.all(
    ["' || true || '", 'admin'].map((role) => execute(tenant, graph, { role })),
  )
  expect([attacked?.runs.pick?.output, meant?.runs.pick?.output]).toEqual([
    { output: 'fallback' },
    { output: 'rule_0' },
  ])
})

test('Branches run in parallel and join, and nodes of branches not taken are skipped', async () => {
  const run = await execute(
    tenant,
    {
      nodes: {
        start: trigger,
        a: { type: 'transform', code: 'return input.trigger.n + 1' },
        b: { type: 'transform', code: 'return input.trigger.n * 2' },
        join: { type: 'transform', code: 'return [input.a, input.b]' },
        pick: {
          type: 'switch',
          rules: [{ condition: 'input.join[0] > 100' }, { condition: '{{input.join.1}} === 14' }],
        },
        big: { type: 'transform', code: 'return "big"' },
        even: { type: 'transform', code: 'return "fourteen"' },
        other: { type: 'transform', code: 'return "other"' },
      },
      edges: [
        edge('start', 'a', 'default'),
        edge('start', 'b', 'default'),
        edge('a', 'join'),
        edge('b', 'join'),
        edge('join', 'pick'),
        edge('pick', 'big', 'rule_0'),
        edge('pick', 'even', 'rule_1'),
        edge('pick', 'other', 'fallback'),
      ],
    },
    { n: 7 },
  )
  expect(run.status).toBe('completed')
  expect(run.runs.join?.output).toEqual([8, 14])
  expect(Object.fromEntries(Object.entries(run.states).map(([node, { status }]) => [node, status]))).toMatchObject({
    big: 'skipped',
    even: 'completed',
    other: 'skipped',
  })
})

test('A loop runs its body once per item in order and collects the results', async () => {
  const run = await execute(
    tenant,
    {
      nodes: {
        start: trigger,
        each: { type: 'loop', items: '{{input.trigger.names}}' },
        call: post('/loop', { body: { at: '{{input.each.index}}', name: '{{input.each.item}}' } }),
        back: { type: 'transform', code: 'return [nodes.each.output.item, input.call.status].join(":")' },
        after: { type: 'transform', code: 'return input.each.join()' },
      },
      edges: [
        edge('start', 'each', 'default'),
        edge('each', 'call', 'each'),
        edge('call', 'back'),
        edge('back', 'each', 'success', true),
        edge('each', 'after', 'done'),
      ],
    },
    { names: ['a', 'b', 'c'] },
  )
  expect(run).toMatchObject({ status: 'completed' })
  expect(run.runs.after?.output).toBe('a:200,b:200,c:200')
  expect((await receiver.arrivals('/loop')).map(({ body }) => JSON.parse(body))).toEqual(
    ['a', 'b', 'c'].map((name, at) => ({ at, name })),
  )
})
