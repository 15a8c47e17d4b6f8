// An execution of an automation graph: alternates steps of its reducer with the nodes that send. All state is in rows.
import { ApplicationFailure, continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { attempts, conclude } from '../kit/attempts.ts'
import { listen } from '../kit/changes.ts'
import { steps } from '../kit/steps.ts'

const heartbeatTimeout = '10s'
/**
 * A regular activity: a long local one occupies one of the worker's workflow task slots, for which other workflows
 * wait.
 */
const { continueExecution } = proxyActivities<typeof activities>({
  startToCloseTimeout: '60s',
  heartbeatTimeout,
  retry: { maximumInterval: '10s' },
})
const { readNode } = proxyActivities<typeof activities>({
  startToCloseTimeout: '45s',
  heartbeatTimeout,
  retry: { maximumInterval: '10s' },
})

/**
 * A signal ends the wait for a slot; the timer shows the reason of the wait in the UI, and covers a signal that an
 * operator's reset lost.
 */
const turnMs = 600_000

type Step = Awaited<ReturnType<typeof activities.advanceExecution>>
type Work = Extract<Step, { do: 'go' }>['work'][number]

/** The UI shows each under the name of its node. */
function perform({ id, node, do: how, limit_ms }: Work): Promise<unknown> {
  if (how === 'read')
    return readNode.executeWithOptions({ startToCloseTimeout: limit_ms + 30_000, summary: node }, [id])
  // A deferred run is due when its row says so, as a delayed node is: until then the execution can be cancelled, and
  // continue as new.
  return attempts('node_run', id, { limitMs: limit_ms, summary: node, deferred: 'leave' })
}

export async function execution(id: string): Promise<string> {
  const changes = listen()
  const open = new Map<string, Promise<unknown>>()
  let computes = false
  for (;;) {
    changes.clear()
    const step: Step = computes ? await continueExecution(id) : await steps.advanceExecution(id)
    computes = step.do === 'wait' || step.do === 'again'
    if (step.do === 'wait') await changes.wait(turnMs, 'until the store has a free slot to compute')
    if (step.do === 'done') {
      if (step.status === 'unknown') return conclude('unknown')
      return step.status
    }
    if (step.do === 'go') {
      for (const work of step.work) {
        if (open.has(work.id)) continue
        const over = () => {
          open.delete(work.id)
          changes.signal()
        }
        open.set(work.id, perform(work).then(over, over))
      }
      if (step.wait_ms === null && open.size === 0 && !step.turn)
        throw ApplicationFailure.nonRetryable('The execution has no open node and has not ended.', 'Stuck')
      if (step.turn) await changes.wait(Math.min(step.wait_ms ?? turnMs, turnMs), 'until the store has a free slot')
      else
        await (step.wait_ms === null
          ? changes.waitUntimed()
          : changes.wait(step.wait_ms, 'until a delayed node is due'))
    }
    if (workflowInfo().continueAsNewSuggested) {
      await Promise.all(open.values())
      await continueAsNew<typeof execution>(id)
    }
  }
}
