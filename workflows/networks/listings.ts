// Rebuilds the listings of all records of a tenant, in slices. A walk that is requested again begins again.
import { continueAsNew, proxyActivities } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { listen } from '../kit/changes.ts'
import { ofSlices, slices } from '../kit/slices.ts'

const { refreshTenantListings } = proxyActivities<typeof activities>(ofSlices)

export async function listings(tenantId: string): Promise<void> {
  // A signal during the last batch: the walk may have been requested after it.
  await listen().repeat(() =>
    slices(
      () => refreshTenantListings(tenantId),
      // The walk's row stays: the reconciler starts this workflow again.
      async () => {},
      () => continueAsNew<typeof listings>(tenantId),
    ),
  )
}
