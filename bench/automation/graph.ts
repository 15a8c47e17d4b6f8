// An automation graph, from the call of its address to the end of the execution; and the rate of accepted calls.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Body, client } from '../../client/client.ts'
import { newId } from '../../entities/kit/ids.ts'
import { type Ask, json, type Path } from '../kit/path.ts'
import type { Shop } from '../kit/shop.ts'

/** Answers every request with 200. It ends with the bench. */
async function receiver(): Promise<string> {
  const server = createServer((request, response) => request.resume().once('end', () => response.end('{}'))).unref()
  server.keepAliveTimeout = 60_000
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

type Nodes = Body<'POST /v1/stores/{storeId}/workflows'>['nodes']
type Edges = { source: string; target: string; output: string }[]

async function saved({ api, operator, store_id }: Shop, nodes: Nodes, edges: Edges): Promise<string> {
  const workflow = await client({ base: api, headers: operator })('POST /v1/stores/{storeId}/workflows', {
    path: { storeId: store_id },
    body: { key: `bench-${newId()}`, nodes, edges },
  })
  return new URL(workflow.webhook_url).pathname
}

const calls = (path: string, clients: number, more: Partial<Ask>): Ask[][] =>
  Array.from({ length: clients }, () => [
    { method: 'POST' as const, path, headers: json({}), body: JSON.stringify({ name: 'Ada', total: 4200 }), ...more },
  ])

export const graph: Path = {
  name: 'graph',
  floor: 'workflow',
  target: { of_floor: 0.6 },
  async lanes(shop, clients) {
    const nodes: Nodes = {
      start: { type: 'trigger' },
      call: { type: 'http', method: 'post', url: await receiver(), body: { name: '{{input.trigger.name}}' } },
    }
    return calls(await saved(shop, nodes, [{ source: 'start', target: 'call', output: 'default' }]), clients, {
      over: 'execution',
    })
  },
}

/** A graph that sends nothing, as others measure it. */
export const graphInside: Path = {
  name: 'graph-inside',
  floor: 'workflow',
  target: { of_floor: 0.6 },
  async lanes(shop, clients) {
    const nodes: Nodes = {
      start: { type: 'trigger' },
      set: { type: 'transform', code: 'return { name: input.trigger.name }' },
    }
    return calls(await saved(shop, nodes, [{ source: 'start', target: 'set', output: 'default' }]), clients, {
      over: 'execution',
    })
  },
}

export const graphTrigger: Path = {
  name: 'graph-trigger',
  // Its one statement inserts a row under a new id, so it cannot be replayed.
  floor: null,
  target: { per_s: 150 },
  lanes: async (shop, clients) => calls(await saved(shop, { start: { type: 'trigger' } }, []), clients, {}),
}
