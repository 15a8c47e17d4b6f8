// Reads what a store sold and did by day, what waits, and what it lacks. Businesses have the same in other spelling.
import { queryOptions } from '@tanstack/react-query'
import type { GetOverviewResult, ReadinessCheck } from '../../../../client/client.ts'
import { call } from '../../kit/api.ts'
import type { Tenant } from '../../kit/document/scope.ts'
import { snakeKeys } from '../../kit/spelling.ts'

export type Overview = GetOverviewResult
export type Figures = Overview['totals']
export type Check = ReadinessCheck

export const overviewQuery = ({ surface, id }: Tenant, days: number) =>
  queryOptions({
    queryKey: ['overview', id, days],
    queryFn: async ({ signal }): Promise<Overview> => {
      const query = { days }
      return surface === 'stores'
        ? call('GET /v1/stores/{storeId}/overview', { path: { storeId: id }, query, signal })
        : (snakeKeys(
            await call('GET /v1/businesses/{businessId}/overview', { path: { businessId: id }, query, signal }),
          ) as Overview)
    },
    refetchInterval: 30_000,
  })

export const readinessQuery = ({ surface, id }: Tenant) =>
  queryOptions({
    queryKey: ['readiness', id],
    queryFn: async ({ signal }): Promise<Check[]> => {
      if (surface === 'stores')
        return (await call('GET /v1/stores/{storeId}/readiness', { path: { storeId: id }, signal })).items
      const { items } = await call('GET /v1/businesses/{businessId}/readiness', { path: { businessId: id }, signal })
      return snakeKeys(items) as Check[]
    },
  })
