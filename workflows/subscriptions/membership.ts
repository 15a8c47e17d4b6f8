// A membership: sends the changes of its subscription one after the other, and reads at the provider what events do not
// say.
import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { attempts, conclude, made } from '../kit/attempts.ts'
import { listen } from '../kit/changes.ts'
import { steps } from '../kit/steps.ts'

/**
 * Reads of the provider: they may repeat. After the last attempt, some two minutes later, the reconciler starts the
 * workflow again.
 */
const { readInvoicePayment, readSubscription } = proxyActivities<typeof activities>({
  startToCloseTimeout: '45s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '60s', maximumAttempts: 10 },
})
// Milliseconds before each read that looks for a change whose outcome is unknown; together longer than the five minutes
// in which it is looked for.
const pauses = [0, 2_000, 10_000, 30_000, 60_000, 90_000, 120_000]

export async function membership(subscriptionId: string): Promise<string> {
  const changes = listen()
  let reads = 0
  for (;;) {
    changes.clear()
    const step = await steps.readMembership(subscriptionId)
    let read = true
    switch (step.do) {
      case 'payment':
        read = await made(readInvoicePayment(step.id))
        break
      case 'send':
        await attempts('subscription_change', step.id)
        break
      case 'read': {
        const pause = step.again ? (pauses[Math.min(reads++, pauses.length - 1)] ?? 0) : 0
        if (pause === 0 || !(await changes.wait(pause, 'until a change whose outcome is unknown is looked for again')))
          read = await made(readSubscription(subscriptionId))
        break
      }
      case 'done':
        return conclude(step.outcome)
    }
    // What changed meanwhile may be a cancellation, which is sent before another read.
    if (!read && !changes.signalled) return conclude('failed')
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof membership>(subscriptionId)
  }
}
