// What a person has to do, of the scope at hand: read again every few seconds while the page is seen.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type AttentionItem, type Call, client } from '../../../client/client.ts'
import { call, send } from './api.ts'
import type { Scope } from './document/scope.ts'
import { snakeKeys } from './spelling.ts'
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

const keyOf = (scope: Scope) => ['attention', scope.kind, scope.kind === 'tenant' ? scope.tenant.id : null]

export const useAttention = (scope: Scope, status: ItemStatus = 'open') =>
  useInfiniteQuery({
    queryKey: [...keyOf(scope), status],
    queryFn: ({ pageParam, signal }) => readPage(scope, status, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }: Page) => cursor,
    refetchInterval: ({ state }) => everyMs * (state.data?.pages.length ?? 1),
  })

/** A store or business has its own items alone. */
async function readItem(scope: Scope, id: string, signal: AbortSignal): Promise<Item> {
  if (scope.kind === 'platform') return call('GET /v1/platform/attention/{id}', { path: { id }, signal })
  if (scope.kind === 'account') return call('GET /v1/attention/{id}', { path: { id }, signal })
  const { surface, id: tenantId } = scope.tenant
  if (surface === 'stores')
    return call('GET /v1/stores/{storeId}/attention/{id}', { path: { storeId: tenantId, id }, signal })
  const asked = { path: { businessId: tenantId, id }, signal }
  return snakeKeys(await call('GET /v1/businesses/{businessId}/attention/{id}', asked)) as Item
}

/** One item by its id: of a link, which may be on no page that is loaded, or resolved. */
export const useItem = (scope: Scope, id: string | undefined) =>
  useQuery({
    queryKey: [...keyOf(scope), 'item', id],
    queryFn: ({ signal }) => readItem(scope, id ?? '', signal),
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
