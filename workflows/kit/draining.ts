// A standing thing with work that comes due: does what is due, waits until more is, and ends when none is left.
import { condition, setHandler, workflowInfo } from '@temporalio/workflow'
import { changed } from './signals.ts'

export const ofDrains = {
  startToCloseTimeout: '5m',
  heartbeatTimeout: '3s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '5s' },
} as const

/** `drain`: an activity; milliseconds until the next row is due, null if none is left. `again` continues as new. */
export async function draining(
  drain: () => Promise<{ wait_ms: number | null }>,
  again: () => Promise<never>,
): Promise<void> {
  let woken = false
  setHandler(changed, () => {
    woken = true
  })
  for (;;) {
    // A change signalled before this read is in what it reads.
    woken = false
    const { wait_ms: wait } = await drain()
    if (wait !== null && wait > 0) await condition(() => woken, wait, { summary: 'until the next try is due' })
    // A signal during the read: the result may be stale. A signal after the end starts another run.
    if (wait === null && !woken) return
    if (workflowInfo().continueAsNewSuggested) await again()
  }
}
