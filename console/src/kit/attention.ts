// What a person has to do, of the scope at hand: read again every few seconds while the page is seen.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type AttentionItem, type Call, client } from '../../../client/client.ts'
import { call, send } from './api.ts'
import type { Scope } from './document/scope.ts'
import { tagged } from './tagged.ts'

export type Item = AttentionItem
export type ItemStatus = Item['status']
type Page = { items: Item[]; cursor: string | null }

const poll: Call = client({ base: '', fetch: tagged(send) })

/** For each page that is loaded. */
const everyMs = 10_000

function readPage(scope: Scope, status: ItemStatus, cursor: string | null, signal: AbortSignal): Promise<Page> {
  const query = { status, limit: 100, cursor }
  if (scope.kind === 'platform') return poll('GET /v1/platform/attention', { query, signal })
  const tenant = scope.kind === 'tenant' ? { tenant_id: scope.tenant.id } : {}
  return poll('GET /v1/attention', { query: { ...query, ...tenant }, signal })
}

export const useAttention = (scope: Scope, status: ItemStatus = 'open') =>
  useInfiniteQuery({
    queryKey: ['attention', scope.kind, scope.kind === 'tenant' ? scope.tenant.id : null, status],
    queryFn: ({ pageParam, signal }) => readPage(scope, status, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }: Page) => cursor,
    refetchInterval: ({ state }) => everyMs * (state.data?.pages.length ?? 1),
  })

/** One item by its id: of a link, which may be on no page that is loaded, or resolved. */
export const useItem = (scope: Scope, id: string | undefined) =>
  useQuery({
    queryKey: ['attention', 'item', scope.kind, id],
    queryFn: ({ signal }): Promise<Item> => {
      const asked = { path: { id: id ?? '' }, signal }
      return scope.kind === 'platform'
        ? call('GET /v1/platform/attention/{id}', asked)
        : call('GET /v1/attention/{id}', asked)
    },
    enabled: id !== undefined,
    refetchInterval: 3 * everyMs,
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
