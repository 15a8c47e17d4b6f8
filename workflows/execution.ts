// An automation graph: one step of its reducer after another, and what leaves the building in between. All that is known stands in rows.
import { ApplicationFailure, condition, continueAsNew, patched, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../activities/index.ts'
import { attempts, conclude } from './attempts.ts'
import { changed } from './signals.ts'
import { steps } from './steps.ts'

const heartbeatTimeout = '10s'
const { sendNode } = proxyActivities<typeof activities>({ startToCloseTimeout: '45s', heartbeatTimeout, retry: { maximumAttempts: 1 } })
/** A regular activity: a workflow task that is repeated for a local one keeps its place among those of the worker, however many others wait for it. */
const { continueExecution } = proxyActivities<typeof activities>({ startToCloseTimeout: '60s', heartbeatTimeout, retry: { maximumInterval: '10s' } })
const { readNode } = proxyActivities<typeof activities>({ startToCloseTimeout: '45s', heartbeatTimeout, retry: { maximumInterval: '10s' } })

/** A signal ends the wait for a slot; the timer says in the UI what is waited for, and covers a signal that an operator's reset lost. */
const turnMs = 600_000

type Step = Awaited<ReturnType<typeof activities.advanceExecution>>
type Work = Extract<Step, { do: 'go' }>['work'][number]

/** Each is named after its node, as the UI shows it. */
function perform({ id, node, do: how, limit_ms }: Work): Promise<unknown> {
  const options = { startToCloseTimeout: limit_ms + 30_000, heartbeatTimeout, summary: node }
  if (how === 'read') return readNode.executeWithOptions({ ...options, retry: { maximumInterval: '10s' } }, [id])
  // One that is put off is due again when its row says so, as a delayed node is: until then the execution can be cancelled, and continue as new.
  return attempts('node_runs', id, (_, token) => sendNode.executeWithOptions({ ...options, retry: { maximumAttempts: 1 } }, [id, token, limit_ms]), 'leave')
}

export async function execution(id: string): Promise<string> {
  let woken = false
  setHandler(changed, () => {
    woken = true
  })
  const open = new Map<string, Promise<unknown>>()
  let computes = false
  for (;;) {
    // What woke us before is in what is read now.
    woken = false
    const step: Step = computes ? await continueExecution(id) : await steps.advanceExecution(id)
    computes = step.do === 'wait' || (step.do === 'again' && patched('computation'))
    if (step.do === 'wait') await condition(() => woken, turnMs, { summary: 'until the store has a free slot to compute' })
    if (step.do === 'done') {
      if (step.status === 'unknown') return conclude('unknown')
      return step.status
    }
    if (step.do === 'go') {
      for (const work of step.work) {
        if (open.has(work.id)) continue
        const over = () => {
          open.delete(work.id)
          woken = true
        }
        open.set(work.id, perform(work).then(over, over))
      }
      if (step.wait_ms === null && open.size === 0 && !step.turn) throw ApplicationFailure.nonRetryable('Nothing is left to do, and it is not over.', 'Stuck')
      if (step.turn) await condition(() => woken, Math.min(step.wait_ms ?? turnMs, turnMs), { summary: 'until the store has a free slot' })
      else await (step.wait_ms === null ? condition(() => woken) : condition(() => woken, step.wait_ms, { summary: 'until a delayed node is due' }))
    }
    if (workflowInfo().continueAsNewSuggested) {
      await Promise.all(open.values())
      await continueAsNew<typeof execution>(id)
    }
  }
}
