// A workflow of a webhook or a mailbox: does what is due, waits until more is, and ends when none is left.
import { workflowInfo } from '@temporalio/workflow'
import { listen } from './changes.ts'

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
  const changes = listen()
  for (;;) {
    changes.clear()
    const { wait_ms: wait } = await drain()
    if (wait !== null && wait > 0) await changes.wait(wait, 'until the next try is due')
    if (wait === null && !changes.signalled) return
    if (workflowInfo().continueAsNewSuggested) await again()
  }
}
