// Reads what happened to a record.
import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../api.ts'
import { peopleText } from '../document/schema.ts'
import type { Tenant } from '../document/scope.ts'
import type { Entry } from './courses.ts'

type Page = { items: Entry[]; cursor: string | null }

async function readPage(
  { surface, id }: Tenant,
  subject: string,
  cursor: string | null,
  signal: AbortSignal,
): Promise<Page> {
  const query = { subject, limit: 100, cursor }
  const page = (await (surface === 'stores'
    ? call('GET /v1/stores/{storeId}/timeline', { path: { storeId: id }, query, signal })
    : call('GET /v1/businesses/{businessId}/timeline', { path: { businessId: id }, query, signal }))) as Page
  return { ...page, items: page.items.map((entry) => ({ ...entry, title: peopleText(entry.title) })) }
}

export const useTimeline = (tenant: Tenant | undefined, subject: string | undefined) =>
  useInfiniteQuery({
    queryKey: ['timeline', tenant?.id, subject],
    queryFn: ({ pageParam, signal }) => readPage(tenant as Tenant, subject as string, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }: Page) => cursor,
    enabled: tenant !== undefined && subject !== undefined,
    // All pages that are loaded are read again: so many requests in so much more time.
    refetchInterval: ({ state }) => 5000 * (state.data?.pages.length ?? 1),
  })
