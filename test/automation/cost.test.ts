// The database cost of automations: one statement starts an execution, and reading one costs the same for any number of nodes.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { call, edge, workflow } from '../kit/automations.ts'
import { until } from '../kit/codes.ts'
import { listen } from '../kit/heard.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
let heard: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  shop = await newShop()
  heard = await listen()
})
afterAll(async () => {
  await heard.close()
  await database().end()
})

const code = { type: 'transform', code: 'return 1' }
const chain = (length: number) => ({
  nodes: { start: { type: 'trigger' }, ...Object.fromEntries(Array.from({ length }, (_, n) => [`n${n}`, code])) },
  edges: Array.from({ length }, (_, n) => (n === 0 ? edge('start', 'default', 'n0') : edge(`n${n - 1}`, 'success', `n${n}`))),
})

test('A call of a workflow’s webhook costs one statement, which does not contain the secret', async () => {
  const { webhook_url } = await workflow(shop)
  const statements = await heard.said((base) => call(webhook_url, { n: 1 }, base))
  expect(statements).toHaveLength(1)
  expect(JSON.stringify(statements)).not.toContain(webhook_url.split('/').at(-1))
})

test('An execution is read in four statements and a page of workflows in three, of any size', async () => {
  for (const length of [1, 60]) {
    const { webhook_url } = await workflow(shop, chain(length))
    const { id, workflow_id } = (await call(webhook_url)).body
    const path = `/workflows/${workflow_id}/executions/${id}`
    await until(async () => (await shop.asOperator('GET', path)).body.status === 'completed')
    expect(await heard.statementsOf(shop, 'GET', path)).toHaveLength(4)
    expect(await heard.statementsOf(shop, 'GET', '/workflows')).toHaveLength(3)
  }
})

test('Saving a graph costs one statement per kind of reference, not per node', async () => {
  const ids = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const { body } = await shop.asOperator('POST', '/build-hooks', { key: `hook-${n}`, type: 'custom', url: 'https://hooks.example/x' })
      return body.id as string
    }),
  )
  const graph = (count: number) => ({
    nodes: { start: { type: 'trigger' }, ...Object.fromEntries(ids.slice(0, count).map((id) => [id, { type: 'deploy_webhook', build_hook_id: id }])) },
    edges: ids.slice(0, count).map((id) => edge('start', 'default', id)),
  })
  const saving = async (count: number) => (await heard.statementsOf(shop, 'POST', '/workflows', { key: `deploys-${count}`, ...graph(count) })).length
  expect(await saving(20)).toBe(await saving(1))
})
