// Loads the OpenAPI document of an audience, once per page; the browser asks by its ETag whether it changed.
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import { send } from '../api.ts'
import type { OpenApi } from './operations.ts'
import type { Audience } from './scope.ts'
import { type Tree, treeOf } from './tree.ts'

async function loadTree(audience: Audience): Promise<Tree> {
  const answer = await send(`/openapi.json?audience=${audience}`)
  if (!answer.ok) throw new Error(`The document of the API was answered with ${answer.status}.`)
  return treeOf((await answer.json()) as OpenApi)
}

export const treeQuery = (audience: Audience) =>
  queryOptions({
    queryKey: ['document', audience],
    queryFn: () => loadTree(audience),
    staleTime: Infinity,
    gcTime: Infinity,
  })

export const useTree = (audience: Audience) => useQuery(treeQuery(audience))

/** The documents of several audiences, as far as they are loaded. */
export function useTrees(audiences: readonly Audience[]) {
  const found = useQueries({ queries: audiences.map(treeQuery) })
  return {
    trees: found.flatMap(({ data }) => data ?? []),
    isWhole: found.every(({ data }) => data !== undefined),
    error: found.find(({ error }) => error)?.error,
    refetch: () => found.forEach((one) => void one.refetch()),
  }
}
