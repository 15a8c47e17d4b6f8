// One step of an execution: applies the runs that ended, computes the nodes that send nothing, and writes the rows of
// those that send. Idempotent.
import { type ExecutionNow, type NewRun, type OpenRun, writeStep } from '../../entities/automation/executions.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { ownerOf } from '../../entities/stores/tenant-owner.ts'
import {
  apply,
  begin,
  cancel,
  conclusion,
  type Result,
  type Run,
  ready,
  type State,
  start,
  withdraw,
} from '../../rules/automation/execution-state.ts'
import type { Plan } from '../../rules/automation/graph.ts'
import { type GraphNode, READ_PAUSE_MS, RUNS_MAX } from '../../rules/automation/graph-shapes.ts'
import { isTerminal } from '../../rules/effects.ts'
import { beginTrigger, endLoop, failedWith, inputsOf, type Made, runNode, scopeFrom } from './graph-nodes.ts'
import { limitMsOf, reads, sends } from './node-senders.ts'
import { collectedBy, type NodeValues, newValues, readValues } from './node-values.ts'

/** Runs of one execution that send at the same time. */
const parallelMax = 20
const stepRuns = 500
const stepBytes = 8 * 1_048_576

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

/** A step while it is computed. */
type Computation = {
  readonly execution: ExecutionNow
  readonly plan: Plan
  /** Runs whose end is applied to `state`, and those that have not ended. */
  readonly ended: readonly OpenRun[]
  readonly open: readonly OpenRun[]
  state: State
  /** The node whose failure failed the execution, or the code of another reason. */
  failed: string | null
  readonly values: NodeValues
  /** Bytes of the rows that the step writes. */
  bytes: number
  /** More runs are ready than one step computes. */
  more: boolean
}

/** The error of the execution in place of a failed node. */
const tooMany = 'runs_too_many'

function resultOf({ key, status, items, branch }: OpenRun): Result {
  const how = status === 'succeeded' ? 'completed' : status === 'unknown' ? 'unknown' : 'failed'
  return { run: key, status: how, ...(branch === null ? {} : { output: branch }), ...(items === null ? {} : { items }) }
}

/** A run has ended: the first failure without an error edge fails the execution. */
function end(step: Pick<Computation, 'plan' | 'state' | 'failed'>, node: string, result: Result): void {
  const next = apply(step.plan, step.state, result)
  if (!step.state.stopped && next.stopped === 'failed') step.failed = node
  step.state = next
}

/** The execution after the runs that ended, and before those that are ready. */
function computationFrom(em: EntityManager, execution: ExecutionNow, plan: Plan): Computation {
  const step: Computation = {
    ...{ execution, plan, state: execution.state ?? begin(plan), failed: null },
    ended: execution.open.filter(({ status }) => isTerminal(status)),
    open: execution.open.filter(({ status }) => !isTerminal(status)),
    ...{ values: newValues(em, execution), bytes: 0, more: false },
  }
  if (execution.cancel_requested) step.state = cancel(plan, step.state)
  for (const run of step.ended) {
    if (run.withdrawn) step.state = withdraw(plan, step.state, run.key)
    else end(step, run.node, resultOf(run))
  }
  if (execution.runs >= RUNS_MAX && !step.state.stopped) {
    // Nothing else starts, even along error edges, as after a cancellation.
    step.state = { ...cancel(plan, step.state), stopped: 'failed' }
    step.failed = tooMany
  }
  return step
}

/** Begins a run that is ready: returns its result, or the row to send. */
async function runOf({ execution, values }: Pick<Computation, 'execution' | 'values'>, run: Run, node: GraphNode) {
  const owner = await ownerOf(values.em, execution.tenant_id)
  try {
    if (node.type === 'trigger') return beginTrigger(node, execution.input)
    if (run.step === 'collect') return endLoop(await collectedBy(values, run))
    const inputs = inputsOf(run, node)
    return await runNode(node, scopeFrom(inputs, await readValues(values, [...inputs.input, ...inputs.nodes])), owner)
  } catch (error) {
    return failedWith(error)
  }
}

const isDueNow = ({ status, delay_ms = 0 }: NewRun): boolean => status === 'requested' && delay_ms === 0

/** Whether as many runs of the execution send as may at the same time. */
function sendsMost({ open, values }: Pick<Computation, 'open' | 'values'>): boolean {
  const before = open.filter(({ wait_ms }) => wait_ms === 0).length
  return before + [...values.made.values()].filter(isDueNow).length >= parallelMax
}

/** A run was begun. True: it has ended at once. */
function note(step: Computation, { key, node }: Run, made: Made): boolean {
  const row: NewRun = { key, node, ...made }
  step.values.made.set(key, row)
  step.bytes += (row.output_bytes ?? 0) + (row.request?.length ?? 0) + (row.params?.length ?? 0)
  if (row.status === 'requested') {
    step.state = start(step.plan, step.state, [key])
    return false
  }
  end(step, node, {
    run: key,
    status: row.status === 'succeeded' ? 'completed' : 'failed',
    ...(row.branch === undefined ? {} : { output: row.branch }),
    ...(row.items === undefined ? {} : { items: row.items }),
  })
  return true
}

/** Begins runs that are ready, until one ends at once, or the step is long. Returns whether it has begun any. */
async function beginRuns(step: Computation, runs: readonly Run[], until: number): Promise<boolean> {
  const { plan, values } = step
  let begun = false
  for (const run of runs) {
    if (performance.now() > until || values.made.size >= stepRuns || step.bytes >= stepBytes) {
      step.more = true
      return begun
    }
    const node = plan.nodes[run.node] as GraphNode
    if (sends(node) && sendsMost(step)) continue
    begun = true
    // Its end may change which runs are ready: a cancelled one is not any more.
    if (note(step, run, await runOf(step, run, node))) return begun
  }
  return begun
}

/** Begins the runs that are ready, and those that become ready by it, until none is left or the step is long. */
async function compute(step: Computation, longestMs: number): Promise<void> {
  const until = performance.now() + longestMs
  for (let runs = ready(step.plan, step.state); runs.length > 0; runs = ready(step.plan, step.state))
    if (!(await beginRuns(step, runs, until)) || step.more) return
}

type Reason = { code: string; message: string; node?: string }

/**
 * Why it did not complete, the most important reason first; null where the reason that was written before still holds.
 */
function reasonOf(
  status: 'running' | 'completed' | 'failed' | 'cancelled',
  { state, failed }: Pick<Computation, 'state' | 'failed'>,
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
export const doneAs = <S extends string>(status: S, isUnknown: boolean) =>
  ({ do: 'done', status: isUnknown ? 'unknown' : status }) as const

/** Runs that need a slot now, and those whose slot is free again, by id. */
function slotsOf({ execution, plan, open }: Computation): Record<'takes' | 'frees', string[]> {
  const takes = open.filter(
    ({ node, wait_ms, granted }) => granted === null && wait_ms === 0 && sends(plan.nodes[node]),
  )
  // Of runs that ended, and of those that wait for their next attempt. During a shorter pause the activity keeps its
  // slot.
  const frees = execution.open.filter(
    (run) => run.granted !== null && (isTerminal(run.status) || run.wait_ms > READ_PAUSE_MS),
  )
  return { takes: takes.map(({ id }) => id), frees: frees.map(({ id }) => id) }
}

/**
 * When the reconciler starts it again if its workflow is lost: a wait needs no check before it is due, and sends have
 * their own deadlines.
 */
function wakeMs({ open, values, more }: Computation): number {
  const begun = [...values.made.values()].filter(({ status }) => status === 'requested')
  const due = [...open.map(({ wait_ms }) => wait_ms), ...begun.map(({ delay_ms = 0 }) => delay_ms)]
  return more || due.length === 0 ? 30_000 : Math.max(30_000, Math.min(...due))
}

type WaitingRun = Pick<OpenRun, 'id' | 'node' | 'status' | 'wait_ms' | 'granted'>
type Written = NonNullable<Awaited<ReturnType<typeof writeStep>>>

/** The runs that have not ended, with the slots that were granted. */
function openAfter(
  { open, values }: Computation,
  { made: rows, granted }: Written,
  takes: readonly string[],
): WaitingRun[] {
  const begun = rows.flatMap(({ id, key }) => {
    const run = values.made.get(key)
    return run?.status === 'requested'
      ? [{ id, node: run.node, status: run.status, wait_ms: run.delay_ms ?? 0, granted: granted.has(id) }]
      : []
  })
  return [
    ...open.map((run) => ({ ...run, granted: takes.includes(run.id) ? granted.has(run.id) : run.granted })),
    ...begun,
  ]
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

/**
 * Computes and writes the next step of an execution: at most `longestMs` milliseconds of it. Null: another process
 * wrote the step first, or runs were withdrawn; read again.
 */
export async function advance(
  em: EntityManager,
  execution: ExecutionNow,
  plan: Plan,
  longestMs: number,
): Promise<Step | null> {
  const step = computationFrom(em, execution, plan)
  await compute(step, longestMs)
  const { values, ended, open, state, more } = step
  const status = more ? 'running' : conclusion(state)
  const { takes, frees } = slotsOf(step)
  const changed =
    values.made.size + takes.length + frees.length + ended.length > 0 ||
    status !== 'running' ||
    execution.state === null ||
    execution.cancel_requested
  if (!changed) return stepOf(plan, open)
  const error = reasonOf(status, step)
  const written = await writeStep(em, execution, {
    ...{ state, status, error, takes, frees },
    runs: [...values.made.values()],
    applied: ended.map(({ id }) => id),
    wake_ms: wakeMs(step),
  })
  if (!written) return null
  if (more) return { do: 'again' }
  if (status !== 'running') return doneAs(status, error?.code === 'node_unknown')
  const all = openAfter(step, written, takes)
  // Requested runs of an execution that has failed are withdrawn by the next step; calls that were sent are waited for,
  // with or without a slot.
  const isWithdrawn = ({ status: at, wait_ms, granted }: WaitingRun) =>
    at === 'requested' && (wait_ms > 0 || granted === false)
  return state.stopped && all.some(isWithdrawn) ? null : stepOf(plan, all)
}
