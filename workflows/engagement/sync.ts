// The syncs of a store, a slice after the other: at most three at a time, each of another account. Between two slices, those of other stores have their turn.
import { condition, continueAsNew, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { made } from '../kit/attempts.ts'
import { changed } from '../kit/signals.ts'
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
  let woken = false
  setHandler(changed, () => {
    woken = true
  })
  /** Connections that have a slice. */
  const busy = new Set<string>()
  for (;;) {
    // A change signalled before this read is in what it reads.
    woken = false
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
        woken = true
      })
      continue
    }
    if (isLong && busy.size === 0) await continueAsNew<typeof social_sync>(tenantId)
    if (step.do === 'wait') await condition(() => woken, step.wait_ms, { summary: 'until a network may be read again' })
    // A signal during the read: the result may be stale. A signal after the end starts another run.
    else if (!woken) return
  }
}
