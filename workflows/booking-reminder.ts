// The reminders of one booking: sleeps until the next is due, or until the row is another, and ends when none is to come.
import { condition, continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow'
import { changed } from './signals.ts'
import { steps } from './steps.ts'

export async function booking_reminder(bookingId: string): Promise<void> {
  let woken = false
  setHandler(changed, () => {
    woken = true
  })
  for (;;) {
    // What woke us before is in what is read now.
    woken = false
    const step = await steps.applyReminders(bookingId)
    if (step.do === 'wait') await condition(() => woken, step.wait_ms, { summary: 'until the reminder is due' })
    // Woken while it was read: what was read may be old, so this is not the end. A signal that comes later starts another run.
    else if (!woken) return
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof booking_reminder>(bookingId)
  }
}
