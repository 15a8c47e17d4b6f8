// Workflows for tests: a graph in a few words, saved through the API.
//   const { id } = await workflow(shop, { edges: 'start:default>shape' })
import { type Answer, http, type Shop, unique } from '../shop.ts'
import { edge } from './valid-graph.ts'

export { edge }

/** A trigger, and a node that returns its input. */
export const small = () => ({
  nodes: {
    start: { type: 'trigger' } as Record<string, unknown>,
    shape: { type: 'transform', code: 'return input.trigger' } as Record<string, unknown>,
  } as Record<string, Record<string, unknown>>,
  edges: [edge('start', 'default', 'shape')],
})

export const save = (shop: Shop, body: Record<string, unknown> = {}, base?: string): Promise<Answer> =>
  shop.asOperator('POST', '/workflows', { key: unique(), ...small(), ...body }, base)

/** The workflow, once it is saved. */
export async function workflow(shop: Shop, body: Record<string, unknown> = {}) {
  const answer = await save(shop, body)
  if (answer.status !== 201) throw new Error(`no workflow: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Calls its webhook URL, wherever the API is. */
export const call = (webhook_url: string, body: unknown = {}, base?: string): Promise<Answer> =>
  http('POST', new URL(webhook_url).pathname, { body, base })
