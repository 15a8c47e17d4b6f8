// The reminders of one booking: waits until the next is due or the booking changes, and ends when none is left.
import { condition, continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow'
import { changed } from '../kit/signals.ts'
import { steps } from '../kit/steps.ts'

export async function booking_reminder(bookingId: string): Promise<void> {
  let woken = false
  setHandler(changed, () => {
    woken = true
  })
  for (;;) {
    // A change signalled before this read is in what it reads.
    woken = false
    const step = await steps.applyReminders(bookingId)
    if (step.do === 'wait') await condition(() => woken, step.wait_ms, { summary: 'until the reminder is due' })
    // A signal during the read: the result may be stale, so the workflow goes on. A signal after the end starts another run.
    else if (!woken) return
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof booking_reminder>(bookingId)
  }
}
