// A turn of a model: its calls, one after the other, each sent at most once. What happens between them is written by a
// step on our own rows.
import { continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { attempts } from '../kit/attempts.ts'
import { steps } from '../kit/steps.ts'

/** Reads may repeat; how often a page is read is counted in its row. */
const { readPages } = proxyActivities<typeof activities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

export async function model_turn(id: string): Promise<string> {
  for (;;) {
    const step = await steps.advanceTurn(id)
    switch (step.do) {
      case 'send':
        // An unknown outcome is final for the turn, and does not fail the workflow: a person may ask again.
        await attempts('model_call', step.id, { limitMs: step.limit_ms })
        break
      case 'read':
        await readPages(id)
        break
      case 'wait':
        await sleep(step.ms, { summary: 'until the provider may be asked again' })
        break
      case 'done':
        return step.status
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof model_turn>(id)
  }
}
