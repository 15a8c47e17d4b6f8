// The steps of an execution: each is computed and written by one process, several in one activity.
import { setTimeout as pause } from 'node:timers/promises'
import {
  computationOf,
  type ExecutionNow,
  endTrigger,
  executionNow,
  graphOf,
  postpone,
  withdrawRuns,
} from '../../entities/automation/executions.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { newId } from '../../entities/kit/ids.ts'
import { freeSlot, takeSlot } from '../../entities/platform/task-slots.ts'
import { type Plan, planOf } from '../../rules/automation/graph.ts'
import { Graph } from '../../rules/automation/graph-shapes.ts'
import { statement, transaction } from '../kit/database.ts'
import { beating } from '../kit/heartbeat.ts'
import { draining, untilWritten } from '../kit/once.ts'
import { workerId } from '../kit/worker-id.ts'
import { advance, doneAs, type Step } from './execution-steps.ts'
import { triggered } from './graph-nodes.ts'

/** A longer step is committed and continued by another: a worker that stops loses no more than this. Milliseconds. */
const stepMs = 2_000
/** The limit of a step inside a workflow task, for whose slot other workflows of the worker wait. */
const taskStepMs = 500
/** Milliseconds that an execution computes before the next one of its store is granted the slot. */
const sliceMs = 5_000
const turnMs = 60_000

const plans = new Map<string, Plan>()
/** Graphs never change: the last hundred are cached. */
async function planFor(em: EntityManager, { tenant_id, graph_id }: ExecutionNow): Promise<Plan> {
  const cached = plans.get(graph_id)
  if (cached) return cached
  const stored = await graphOf(em, tenant_id, graph_id)
  const plan = planOf(Graph.parse(stored))
  if (plans.size >= 100) for (const first of [...plans.keys()].slice(0, 1)) plans.delete(first)
  plans.set(graph_id, plan)
  return plan
}

async function step(id: string, longestMs: number): Promise<Step> {
  for (;;) {
    const result = await statement(async (em) => {
      let execution = await executionNow(em, id)
      if (!execution) return { do: 'done', status: 'gone' } as const
      const { status, is_unknown } = execution
      // The workflow may have lost the result of its last step, and takes the result once more.
      if (status !== 'pending' && status !== 'running') return doneAs(status, is_unknown)
      const plan = await planFor(em, execution)
      const trigger = execution.open.find(
        ({ node, wait_ms, status: at }) => plan.nodes[node]?.type === 'trigger' && at === 'requested' && wait_ms === 0,
      )
      const stopped = execution.state?.stopped === 'failed'
      const hasRunsToWithdraw = execution.open.some(
        ({ status: at, wait_ms, granted }) =>
          at === 'requested' && (execution?.cancel_requested || (stopped && (wait_ms > 0 || granted === false))),
      )
      if (hasRunsToWithdraw) await withdrawRuns(em, execution.tenant_id, id, execution.cancel_requested)
      else if (trigger) await endTrigger(em, execution, trigger.id, triggered(execution.input))
      if (hasRunsToWithdraw || trigger) execution = await executionNow(em, id)
      return execution ? advance(em, execution, plan, longestMs) : ({ do: 'done', status: 'gone' } as const)
    })
    if (result) return result
  }
}

type Turn = { begun: boolean; done: Promise<Step> }
/** The latest step of each execution in this process. */
const turns = new Map<string, Turn>()

/**
 * Computes and writes the next step. Idempotent, and safe to run concurrently: of two processes that compute the same
 * step one writes it. Within a process steps are serialised: an attempt that timed out still runs, and a parallel retry
 * would contend with it for the processor.
 */
function nextStep(id: string, longestMs: number): Promise<Step> {
  const before = turns.get(id)
  // It has not read the rows yet, so it serves this call too.
  if (before && !before.begun) return before.done
  const turn: Turn = { begun: false, done: Promise.resolve({ do: 'again' }) }
  const run = async () => {
    // Bounded: its connection may hang.
    if (before) await Promise.race([before.done.catch(() => {}), pause(turnMs, undefined, { ref: false })])
    turn.begun = true
    return step(id, longestMs)
  }
  turn.done = run().finally(() => {
    if (turns.get(id) === turn) turns.delete(id)
  })
  turns.set(id, turn)
  return turn.done
}

/** One step of at most half a second: it runs inside a workflow task. Idempotent. */
export const advanceExecution = (id: string): Promise<Step> => nextStep(id, taskStepMs)

/**
 * Further steps of an execution that computes, for some seconds, under one of its store's slots of `computation`. Where
 * none is free, nothing is done, and the execution is signalled when one is granted. An execution that was stopped
 * needs none. Idempotent.
 */
export const continueExecution = (id: string): Promise<Step> =>
  beating(async () => {
    const execution = await statement((em) => computationOf(em, id))
    if (!execution || execution.stopped) {
      await statement((em) => freeSlot(em, id))
      return nextStep(id, stepMs)
    }
    const { tenant_id } = execution
    const holder = { id: newId(), worker: workerId }
    try {
      const granted = await transaction(async (em) => {
        if (await takeSlot(em, { tenant_id, queue: 'computation', kind: 'execution', row_id: id }, holder)) return true
        await postpone(em, tenant_id, id)
        return false
      })
      if (!granted) return { do: 'wait' }
      const until = performance.now() + sliceMs
      for (;;) {
        const next = await nextStep(id, stepMs)
        if (next.do !== 'again' || draining.now || performance.now() > until) return next
      }
    } finally {
      // The slot may be taken although its commit failed or was not acknowledged.
      await untilWritten(() => statement((em) => freeSlot(em, holder.id)))
    }
  })
