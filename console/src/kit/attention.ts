// What a person has to do, of the scope at hand: read again every few seconds while the page is seen.
import { useInfiniteQuery } from '@tanstack/react-query'
import type { AttentionItem } from '../../../client/client.ts'
import type { Scope } from './access.tsx'
import { call } from './api.ts'

export type Item = AttentionItem
type Page = { items: Item[]; cursor: string | null }

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
    refetchInterval: everyMs,
  })

export function useAttentionCount(scope: Scope): number | undefined {
  const { data } = useAttention(scope)
  return data?.pages.reduce((count, { items }) => count + items.length, 0)
}
