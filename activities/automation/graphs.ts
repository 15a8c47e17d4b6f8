// One step of an execution: applies the runs that ended, computes the nodes that send nothing, and writes the rows of
// those that send. Idempotent.
import { setTimeout as pause } from 'node:timers/promises'
import {
  bytesOf,
  computationOf,
  type ExecutionNow,
  endTrigger,
  executionNow,
  graphOf,
  itemsOf,
  type NewRun,
  type OpenRun,
  outputsFor,
  postpone,
  withdrawRuns,
  writeStep,
} from '../../entities/automation/executions.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { newId } from '../../entities/kit/ids.ts'
import { freeSlot, takeSlot } from '../../entities/platform/task-slots.ts'
import { ownerOf } from '../../entities/stores/tenant-owner.ts'
import {
  apply,
  begin,
  cancel,
  conclusion,
  type Ref,
  type Result,
  type Run,
  ready,
  type State,
  start,
  withdraw,
} from '../../rules/automation/execution-state.ts'
import { type Plan, planOf } from '../../rules/automation/graph.ts'
import { Graph, type GraphNode, READ_PAUSE_MS, RUNS_MAX } from '../../rules/automation/graph-shapes.ts'
import { isTerminal } from '../../rules/effects.ts'
import { statement, transaction } from '../kit/database.ts'
import { beating } from '../kit/heartbeat.ts'
import { draining, untilWritten } from '../kit/once.ts'
import { workerId } from '../kit/worker-id.ts'
import { beginRun, CODE_MAX, INPUT_MAX, type Reader, triggered } from './graph-nodes.ts'
import { NodeError, OUTPUT_MAX } from './node-outputs.ts'
import { limitMsOf, reads, sends } from './node-senders.ts'

/** Runs of one execution that send at the same time. */
const parallelMax = 20
/** A longer step is committed and continued by another: a worker that stops loses no more than this. Milliseconds. */
const stepMs = 2_000
/** The limit of a step inside a workflow task, for whose slot other workflows of the worker wait. */
const taskStepMs = 500
/** Milliseconds that an execution computes before the next one of its store is granted the slot. */
const sliceMs = 5_000
const stepRuns = 500
const stepBytes = 8 * 1_048_576
const cachedBytes = 65_536
const turnMs = 60_000

/** What the workflow runs: `send` is an effect and its attempts, `read` may be retried. */
export type Work = { id: string; node: string; do: 'send' | 'read'; limit_ms: number }
export type Step =
  /** `turn`: some runs wait for a slot of the queue; the execution is signalled when one is granted. */
  | { do: 'go'; work: Work[]; wait_ms: number | null; turn?: true }
  /** More is to compute: `continueExecution` does it. */
  | { do: 'again' }
  /** More is to compute; the execution is signalled when its store has a free slot for it. */
  | { do: 'wait' }
  | { do: 'done'; status: 'completed' | 'failed' | 'cancelled' | 'unknown' | 'gone' }

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

function resultOf({ key, status, items, branch }: OpenRun): Result {
  const how = status === 'succeeded' ? 'completed' : status === 'unknown' ? 'unknown' : 'failed'
  return { run: key, status: how, ...(branch === null ? {} : { output: branch }), ...(items === null ? {} : { items }) }
}

const itemKey = (items: string, index: number) => `${items}[${index}]`

/** Reads outputs, but those that this step computed itself; of arrays only the item. */
function readerOf(em: EntityManager, execution: ExecutionNow, made: Map<string, NewRun>): Reader {
  const cached = new Map<string, unknown>()
  return async (references) => {
    const runs = references.filter((one): one is { ref: string; named: boolean } => typeof one.ref === 'string')
    const lost = runs
      .filter(({ ref }) => !made.has(ref) && !cached.has(ref))
      .map(({ ref, named }) => ({ key: ref, named }))
    const found = await outputsFor(em, execution, lost, { namedMax: INPUT_MAX, everyMax: CODE_MAX })
    if (!found)
      throw new NodeError(
        'input_too_large',
        `the outputs that the node reads are longer than ${INPUT_MAX / 1_048_576} MiB: an output is read as a whole`,
      )
    // Large values are not cached: a hundred of them would be a hundred megabytes.
    const large = new Map<string, unknown>()
    for (const { key, value, bytes, left_out } of found)
      if (!left_out) (bytes > cachedBytes ? large : cached).set(key, value)
    const places = references.flatMap(({ ref }) =>
      typeof ref === 'string' || made.has(ref.items) || cached.has(itemKey(ref.items, ref.index)) ? [] : [ref],
    )
    for (const { items, index, value } of await itemsOf(em, execution, places)) cached.set(itemKey(items, index), value)
    return (ref: Ref) => {
      if (typeof ref !== 'string') {
        const array = made.get(ref.items)?.output
        return Array.isArray(array) ? array[ref.index] : cached.get(itemKey(ref.items, ref.index))
      }
      const run = made.get(ref)
      return run ? (run.output ?? { error: run.error }) : cached.has(ref) ? cached.get(ref) : large.get(ref)
    }
  }
}

/** A loop's own output: the outputs of its iterations, null for those that have none. */
async function collectedBy(
  em: EntityManager,
  execution: ExecutionNow,
  run: Run,
  read: Reader,
  made: Map<string, NewRun>,
): Promise<unknown[]> {
  const keys = run.collected.filter((key): key is string => key !== null)
  const stored = keys.filter((key) => !made.has(key))
  const bytes =
    (await bytesOf(em, execution, stored)) + keys.reduce((sum, key) => sum + (made.get(key)?.output_bytes ?? 0), 0)
  if (bytes > OUTPUT_MAX)
    throw new NodeError('output_too_large', `the outputs of the iterations are longer than ${OUTPUT_MAX / 1_024} KiB`)
  const valueAt = await read(keys.map((ref) => ({ ref, named: true })))
  return run.collected.map((key) => (key === null ? null : (valueAt(key) ?? null)))
}

/** The error of the execution in place of a failed node. */
const tooMany = 'runs_too_many'

type Reason = { code: string; message: string; node?: string }

/**
 * Why it did not complete, the most important reason first; null where the reason that was written before still holds.
 */
function reasonOf(
  status: 'running' | 'completed' | 'failed' | 'cancelled',
  state: State,
  failed: string | null,
): Reason | null {
  const unknown = Object.entries(state.nodes).find(([, one]) => one.status === 'unknown')?.[0]
  if (unknown && status === 'failed')
    return {
      code: 'node_unknown',
      message: `The outcome of the node ${unknown} is unknown: it may or may not have happened, and is not sent again.`,
      node: unknown,
    }
  if (failed === tooMany)
    return { code: tooMany, message: `The execution has run ${RUNS_MAX} nodes, the limit of one execution.` }
  if (status === 'cancelled') return { code: 'cancelled', message: 'The execution was cancelled.' }
  return failed === null
    ? null
    : { code: 'node_failed', message: `The node ${failed} failed, and its error output has no edge.`, node: failed }
}

/** The end as the workflow concludes it: an outcome that is not proved puts it on the operators' worklist. */
const doneAs = <S extends string>(status: S, isUnknown: boolean) =>
  ({ do: 'done', status: isUnknown ? 'unknown' : status }) as const

/**
 * Writes the next step of an execution. Null: another process wrote the step first, or runs were withdrawn; read again.
 */
async function advance(
  em: EntityManager,
  execution: ExecutionNow,
  plan: Plan,
  longestMs: number,
): Promise<Step | null> {
  let state = execution.state ?? begin(plan)
  let failed: string | null = null
  const end = (node: string, result: Result) => {
    const next = apply(plan, state, result)
    if (!state.stopped && next.stopped === 'failed') failed = node
    state = next
  }
  const ended = execution.open.filter(({ status }) => isTerminal(status))
  const open = execution.open.filter(({ status }) => !isTerminal(status))
  if (execution.cancel_requested) state = cancel(plan, state)
  for (const run of ended) {
    if (run.withdrawn) state = withdraw(plan, state, run.key)
    else end(run.node, resultOf(run))
  }

  if (execution.runs >= RUNS_MAX && !state.stopped) {
    // Nothing else starts, even along error edges, as after a cancellation.
    state = { ...cancel(plan, state), stopped: 'failed' }
    failed = tooMany
  }

  const made = new Map<string, NewRun>()
  const read = readerOf(em, execution, made)
  const sent = open.filter(({ wait_ms }) => wait_ms === 0).length
  const until = performance.now() + longestMs
  let bytes = 0
  let more = false
  for (let runs = ready(plan, state); runs.length > 0; runs = ready(plan, state)) {
    let idle = true
    for (const run of runs) {
      if (performance.now() > until || made.size >= stepRuns || bytes >= stepBytes) {
        more = true
        break
      }
      const node = plan.nodes[run.node] as GraphNode
      if (
        sends(node) &&
        sent +
          [...made.values()].filter(({ status, delay_ms = 0 }) => status === 'requested' && delay_ms === 0).length >=
          parallelMax
      )
        continue
      const o = {
        owner: await ownerOf(em, execution.tenant_id),
        trigger: execution.input,
        collected: () => collectedBy(em, execution, run, read, made),
      }
      const row: NewRun = { key: run.key, node: run.node, ...(await beginRun(run, node, read, o)) }
      made.set(run.key, row)
      bytes += (row.output_bytes ?? 0) + (row.request?.length ?? 0) + (row.params?.length ?? 0)
      idle = false
      if (row.status === 'requested') state = start(plan, state, [run.key])
      else {
        const output = row.branch === undefined ? {} : { output: row.branch }
        const items = row.items === undefined ? {} : { items: row.items }
        end(run.node, {
          run: run.key,
          status: row.status === 'succeeded' ? 'completed' : 'failed',
          ...output,
          ...items,
        })
        // Its end may change which runs are ready: a cancelled one is not any more.
        break
      }
    }
    if (more || idle) break
  }

  const status = more ? 'running' : conclusion(state)
  const takes = open
    .filter(({ node, wait_ms, granted }) => granted === null && wait_ms === 0 && sends(plan.nodes[node]))
    .map(({ id }) => id)
  // The slots of runs that ended, and of those that wait for their next attempt. During a shorter pause the activity
  // keeps its slot.
  const frees = execution.open
    .filter((run) => run.granted !== null && (isTerminal(run.status) || run.wait_ms > READ_PAUSE_MS))
    .map(({ id }) => id)
  const changed =
    made.size > 0 ||
    takes.length > 0 ||
    frees.length > 0 ||
    ended.length > 0 ||
    status !== 'running' ||
    execution.state === null ||
    execution.cancel_requested
  if (!changed) return stepOf(plan, open)
  const waits = open.map(({ wait_ms }) => wait_ms)
  const due = [
    ...waits,
    ...[...made.values()].flatMap(({ status, delay_ms = 0 }) => (status === 'requested' ? [delay_ms] : [])),
  ]
  const written = await writeStep(em, execution, {
    state,
    status,
    error: reasonOf(status, state, failed),
    runs: [...made.values()],
    applied: ended.map(({ id }) => id),
    takes,
    frees,
    // When the reconciler starts it again if its workflow is lost: a wait needs no check before it is due, and sends
    // have their own deadlines.
    wake_ms: more || due.length === 0 ? 30_000 : Math.max(30_000, Math.min(...due)),
  })
  if (!written) return null
  if (more) return { do: 'again' }
  if (status !== 'running') return doneAs(status, reasonOf(status, state, failed)?.code === 'node_unknown')
  const { made: rows, granted } = written
  const begunNow = rows.flatMap(({ id, key }) => {
    const run = made.get(key)
    return run?.status === 'requested'
      ? [{ id, node: run.node, status: run.status, wait_ms: run.delay_ms ?? 0, granted: granted.has(id) }]
      : []
  })
  const before = open.map((run) => ({ ...run, granted: takes.includes(run.id) ? granted.has(run.id) : run.granted }))
  const all = [...before, ...begunNow]
  // Requested runs of an execution that has failed are withdrawn by the next step; calls that were sent are waited for,
  // with or without a slot.
  if (
    state.stopped &&
    all.some(({ status: at, wait_ms, granted: has }) => at === 'requested' && (wait_ms > 0 || has === false))
  )
    return null
  return stepOf(plan, all)
}

function stepOf(plan: Plan, open: readonly Pick<OpenRun, 'id' | 'node' | 'wait_ms' | 'granted'>[]): Step {
  const waiting = open.filter(({ wait_ms }) => wait_ms > 0)
  const due = open.filter(({ node, wait_ms }) => wait_ms === 0 && sends(plan.nodes[node]))
  const work = due.flatMap(({ id, node, granted }): Work[] => {
    const at = plan.nodes[node]
    return granted && sends(at) ? [{ id, node, do: reads(at) ? 'read' : 'send', limit_ms: limitMsOf(at) }] : []
  })
  return {
    do: 'go',
    work,
    wait_ms: waiting.length > 0 ? Math.min(...waiting.map(({ wait_ms }) => wait_ms)) : null,
    ...(work.length < due.length ? { turn: true } : {}),
  }
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
