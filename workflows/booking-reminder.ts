// The reminders of one booking: waits until the next is due or the booking changes, and ends when none is left.
import { condition, continueAsNew, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../activities/index.ts'
import { changed } from './signals.ts'

const { applyReminders } = proxyActivities<typeof activities>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

export async function booking_reminder(bookingId: string): Promise<void> {
  let woken = false
  setHandler(changed, () => {
    woken = true
  })
  for (;;) {
    // A change signalled before this read is in what it reads.
    woken = false
    const step = await applyReminders(bookingId)
    if (step.do === 'wait') await condition(() => woken, step.wait_ms, { summary: 'until the reminder is due' })
    // A signal during the read: the result may be stale, so the workflow goes on. A signal after the end starts another run.
    else if (!woken) return
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof booking_reminder>(bookingId)
  }
}
