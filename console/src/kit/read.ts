// Reads pages of lists and records, by the operations of the document.
import { useQuery } from '@tanstack/react-query'
import { ApiProblem, ask } from './api.ts'
import type { Operation } from './document/operations.ts'
import {
  addressOf,
  ancestorsOf,
  type Item,
  type Node,
  ownValue,
  type Place,
  resembles,
  type Tree,
} from './document/tree.ts'

export type Page = { items: Item[]; cursor: string | null; rest: Item }

/** The answer of a list, of any of the three forms that lists have. */
export function pageIn(answer: unknown): Page {
  if (Array.isArray(answer)) return { items: answer, cursor: null, rest: {} }
  const { items, cursor = null, ...rest } = answer as { items: Item[]; cursor?: string | null }
  return { items, cursor, rest }
}

/** Where a record has no route of its own, it is found in its list. */
async function findInList(record: Node, list: Operation, values: readonly string[], id: string): Promise<Item> {
  const has = (name: string) => list.query.some((one) => one.name === name)
  let cursor: string | null = null
  for (let pages = 0; pages < 20; pages++) {
    const query = {
      ...(has('limit') ? { limit: '100' } : {}),
      ...(has('ids') ? { ids: id } : {}),
      ...(cursor ? { cursor } : {}),
    }
    const page = pageIn(await ask(list, { values, query }))
    const found = page.items.find((item) => ownValue(record, item) === id)
    if (found) return found
    cursor = page.cursor
    if (cursor === null) break
  }
  throw new ApiProblem(list.spec, 404, { code: 'not_found', detail: 'The list has no such record.' }, new Headers())
}

export async function readRecord({ schemas }: Tree, { node, values }: Place, signal?: AbortSignal): Promise<Item> {
  const list = node.parent?.get
  const isOwn = node.get && !(list?.item && !resembles(node, list.item, schemas))
  if (node.get && (isOwn || !list)) return (await ask(node.get, { values, ...(signal ? { signal } : {}) })) as Item
  return list ? findInList(node, list, values.slice(0, -1), values.at(-1) ?? '') : {}
}

/** The record around a list, as an order is around its lines; undefined where there is none, or it is not asked for. */
export function useAround(tree: Tree, { node, values }: Place, isWanted: boolean): Item | undefined {
  const record = ancestorsOf(node).findLast((one) => one.segment === '{}' && one.get && one.depth > 1)
  const place = { node: record ?? node, values: values.slice(0, record?.depth) }
  const { data } = useQuery({
    queryKey: ['record', addressOf(place.node, place.values)],
    queryFn: ({ signal }) => readRecord(tree, place, signal),
    enabled: isWanted && record !== undefined,
  })
  return data
}

export const useRecord = (tree: Tree, place: Place) =>
  useQuery({
    queryKey: ['record', addressOf(place.node, place.values)],
    queryFn: ({ signal }) => readRecord(tree, place, signal),
  })
