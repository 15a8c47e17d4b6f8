// The syncs of a store, a slice after the other: at most three at a time, each of another account. Between two slices,
// those of other stores have their turn.
import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { made } from '../kit/attempts.ts'
import { listen } from '../kit/changes.ts'
import { steps } from '../kit/steps.ts'

const { runSyncSlice } = proxyActivities<typeof activities>({
  startToCloseTimeout: '60s',
  heartbeatTimeout: '5s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 10 },
})

const slicesMax = 3

/** A slice whose tries are used up ends its publication, not the others. */
async function slice(itemId: string): Promise<void> {
  if (!(await made(runSyncSlice.executeWithOptions({ summary: 'a slice of a sync' }, [itemId]))))
    await steps.failSyncItem(itemId)
}

export async function social_sync(tenantId: string): Promise<void> {
  const changes = listen()
  /** Connections that have a slice. */
  const busy = new Set<string>()
  for (;;) {
    changes.clear()
    const isLong = workflowInfo().continueAsNewSuggested
    const step =
      isLong || busy.size >= slicesMax
        ? ({ do: 'wait', wait_ms: 60_000 } as const)
        : await steps.nextSyncSlice(tenantId, [...busy])
    if (step.do === 'slice') {
      const { connection_id, item_id } = step
      busy.add(connection_id)
      void slice(item_id).then(() => {
        busy.delete(connection_id)
        changes.signal()
      })
      continue
    }
    if (isLong && busy.size === 0) await continueAsNew<typeof social_sync>(tenantId)
    if (step.do === 'wait') await changes.wait(step.wait_ms, 'until a network may be read again')
    else if (!changes.signalled) return
  }
}
