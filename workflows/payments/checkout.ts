// A card checkout of an order or a subscription: opens the provider's page and releases what it reserved only when the
// page can no longer be paid.
import { continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { attempts, conclude, made } from '../kit/attempts.ts'
import { listen } from '../kit/changes.ts'
import { steps } from '../kit/steps.ts'

/**
 * Reads of the provider: they may repeat. After the last attempt, some two minutes later, the search for a page counts;
 * otherwise the checkout ends as unknown, and the reconciler starts it again.
 */
const { findPaymentSession, findCoupon, readPaymentSession } = proxyActivities<typeof activities>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '60s', maximumAttempts: 10 },
})
// Milliseconds before each search for a page whose opening is unknown; after the last, the page is left to expire by
// itself, half an hour later.
const searches = [0, 2_000, 10_000, 60_000, 300_000]

/** What the UI shows beside the timer. */
const waits = { hold: 'until the hold ends or the page is paid', event: 'for the signed event of a page that was paid' }

export async function checkout(ownerId: string): Promise<string> {
  const changes = listen()
  let searched = 0
  let reads = 0
  for (;;) {
    // The signal of the start causes no second read.
    changes.clear()
    const step = await steps.readCheckout(ownerId)
    switch (step.do) {
      case 'make_coupon':
        await attempts('coupon', step.id)
        break
      case 'find_coupon':
        if (!(await made(findCoupon(step.id)))) return conclude('unknown')
        break
      case 'drop_waiting':
        await steps.dropWaiting(ownerId)
        break
      case 'open':
        await attempts('payment_session', step.id)
        break
      case 'request_close':
        await steps.requestSessionExpiry(step.id)
        break
      case 'close':
        await attempts('session_expiry', step.id)
        break
      case 'read':
        if (reads++ > 0)
          await changes.wait(
            Math.min(60_000, 2_000 * 2 ** reads),
            'until the page is read again: its closing is unknown or was refused',
          )
        if (!(await made(readPaymentSession(step.id)))) return conclude('unknown')
        break
      case 'find':
        if (searched >= searches.length) return conclude('unknown')
        if (searched > 0) await sleep(searches[searched] ?? 0, { summary: 'until the lost page is looked for again' })
        searched++
        // Where the provider gives no answer, the search counts.
        await made(findPaymentSession(step.id))
        break
      case 'release':
        await steps.releaseCheckout(ownerId)
        break
      case 'wait':
        await changes.wait(step.wait_ms, waits[step.for])
        break
      case 'done':
        return conclude(step.outcome)
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof checkout>(ownerId)
  }
}
