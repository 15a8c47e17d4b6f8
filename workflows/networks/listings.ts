// The listings of all records of a tenant, made anew in slices. A walk that is requested again begins again.
import { continueAsNew, proxyActivities, setHandler } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { changed } from '../kit/signals.ts'
import { ofSlices, slices } from '../kit/slices.ts'

const { refreshTenantListings } = proxyActivities<typeof activities>(ofSlices)

export async function listings(tenantId: string): Promise<void> {
  let woken = false
  setHandler(changed, () => {
    woken = true
  })
  do {
    woken = false
    await slices(
      () => refreshTenantListings(tenantId),
      // The walk's row stays: the reconciler starts this workflow again.
      async () => {},
      () => continueAsNew<typeof listings>(tenantId),
    )
    // A signal during the last batch: the walk may have been requested after it.
  } while (woken)
}
