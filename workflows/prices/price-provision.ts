// A price at the payment provider: its attempts, and the search for a price whose creation is unknown.
import { continueAsNew, proxyActivities, sleep } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { attempts, conclude } from '../kit/attempts.ts'

/**
 * Reads the provider: it may repeat. Bounded, so that a workflow does not outlive an account that can no longer be
 * read.
 */
const { findPrice } = proxyActivities<typeof activities>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '60s', maximumAttempts: 30 },
})
// Milliseconds before each search. After the last, an update of the tier requests the price again.
const searches = [0, 10_000, 60_000]

export async function price_provision(id: string): Promise<string> {
  const status = await attempts('price_provision', id)
  if (status === 'requested') return continueAsNew<typeof price_provision>(id)
  if (status !== 'unknown') return conclude(status)
  for (const wait of searches) {
    if (wait > 0) await sleep(wait, { summary: 'until the price is searched for again: its creation is unknown' })
    // The row stays unknown, and no operator has to act: the price is used.
    if (await findPrice(id)) return conclude('succeeded')
  }
  return conclude(status)
}
