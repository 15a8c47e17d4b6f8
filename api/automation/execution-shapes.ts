// An execution, its nodes and their runs, as operators and callers see them.
import { z } from 'zod'

export const ExecutionStatus = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled'])
export const ExecutionSource = z.enum(['webhook', 'schedule', 'event'])
export const NodeStatus = z.enum(['pending', 'running', 'completed', 'failed', 'skipped', 'cancelled', 'unknown'])

const seconds = z.int().nullable()
const next_attempt_at = seconds.describe(
  "When the next attempt is due: after the node's delay, or when the mail server asked for a later attempt. Null: not waiting.",
)
const error = z.looseObject({ code: z.string(), message: z.string() }).nullable()

export const ExecutionItem = z
  .object({
    id: z.string(),
    workflow_id: z.string(),
    status: ExecutionStatus,
    source: ExecutionSource.describe('what started it'),
    error: error.describe('why it failed; `node` is the first node that did'),
    cancel_requested: z.boolean(),
    started_at: seconds,
    finished_at: seconds,
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'ExecutionItem' })

export const NodeResultOut = z
  .object({
    status: NodeStatus,
    output: z.unknown().describe('null where it is larger than 64 KiB: it is read by its run_id'),
    output_bytes: z.int().nullable().describe('of the output as JSON'),
    error,
    attempts: z.int(),
    run_id: z.string().nullable().describe('of the latest iteration in a loop'),
    started_at: seconds,
    finished_at: seconds,
    next_attempt_at,
  })
  .meta({ id: 'NodeResult', description: 'unknown: it may or may not have happened, and is never sent again' })

export const ExecutionOut = z
  .object({ ...ExecutionItem.shape, input: z.looseObject({}).describe('what the trigger gives on'), results: z.record(z.string(), NodeResultOut) })
  .meta({ id: 'Execution' })

export const NodeRunItem = z
  .object({
    id: z.string(),
    key: z.string().describe('of the node, in loops with the iteration: `mail#3`'),
    node: z.string(),
    status: NodeStatus,
    output_bytes: z.int().nullable(),
    error,
    attempts: z.int(),
    sent_at: seconds,
    started_at: seconds,
    finished_at: seconds,
    next_attempt_at,
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'NodeRunItem' })

export const NodeRunOut = z
  .object({
    ...NodeRunItem.shape,
    output: z.unknown(),
    evidence: z.looseObject({}).nullable().describe('what the receiver said'),
    late_evidence: z.looseObject({}).nullable().describe('what it said after the outcome was called unknown'),
  })
  .meta({ id: 'NodeRun' })
