// What a person has to do, of the scope at hand: read again every few seconds while the page is seen.
import { useInfiniteQuery } from '@tanstack/react-query'
import type { AttentionItem } from '../../../client/client.ts'
import { call } from './api.ts'
import type { Scope } from './document/scope.ts'

export type Item = AttentionItem
type Page = { items: Item[]; cursor: string | null }

/** For each page that is loaded. */
const everyMs = 10_000

function readPage(scope: Scope, cursor: string | null, signal: AbortSignal): Promise<Page> {
  const query = { limit: 100, cursor }
  if (scope.kind === 'platform') return call('GET /v1/platform/attention', { query, signal })
  const tenant = scope.kind === 'tenant' ? { tenant_id: scope.tenant.id } : {}
  return call('GET /v1/attention', { query: { ...query, ...tenant }, signal })
}

export const useAttention = (scope: Scope) =>
  useInfiniteQuery({
    queryKey: ['attention', scope.kind, scope.kind === 'tenant' ? scope.tenant.id : null],
    queryFn: ({ pageParam, signal }) => readPage(scope, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }: Page) => cursor,
    refetchInterval: ({ state }) => everyMs * (state.data?.pages.length ?? 1),
  })

/** How many of the pages that are loaded; with a mark where there are more. */
export const countText = (count: number, hasMore: boolean): string => `${count}${hasMore ? '+' : ''}`

export function useAttentionCount(scope: Scope): string | undefined {
  const { data, hasNextPage } = useAttention(scope)
  return (
    data &&
    countText(
      data.pages.reduce((count, { items }) => count + items.length, 0),
      hasNextPage,
    )
  )
}
