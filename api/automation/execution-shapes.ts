// Shapes of an execution, of the results of its nodes and of its node runs.

import { z } from 'zod'
import { ExecutionSource, ExecutionStatus, NodeStatus } from '../../rules/automation/executions.ts'
import { CreatedAt, UpdatedAt } from '../../rules/shapes.ts'

const seconds = z.int().nullable()
const next_attempt_at = seconds.describe(
  "When the next attempt is due, in Unix seconds: after the node's delay, or when the mail server asked for a later attempt. Null: not waiting.",
)
const error = z
  .looseObject({
    code: z.string().describe('Stable code of what went wrong.'),
    message: z.string().describe('What went wrong, for people.'),
  })
  .nullable()

export const ExecutionItem = z
  .object({
    id: z.string().describe('Identifier of the execution, a UUIDv7 made by the server.'),
    workflow_id: z.string().describe('Identifier of the workflow that is executed.'),
    status: ExecutionStatus.describe('State of the execution.'),
    source: ExecutionSource.describe('What started it.'),
    error: error.describe('Why it failed; `node` is the first node that failed. Null if it did not fail.'),
    cancel_requested: z
      .boolean()
      .describe('Whether a cancellation was requested. Nodes that have started still finish.'),
    started_at: seconds.describe('Time at which it started, in Unix seconds; null until then.'),
    finished_at: seconds.describe('Time at which it ended, in Unix seconds; null until then.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'ExecutionItem' })

export const NodeResultOut = z
  .object({
    status: NodeStatus.describe(
      'State of the node. `unknown`: it cannot be proved whether the receiver acted, and nothing is sent again.',
    ),
    output: z
      .unknown()
      .describe('What the node returned; null where it is larger than 64 KiB: read the run `run_id` instead.'),
    output_bytes: z.int().nullable().describe('Size of the output as JSON, in bytes; null where there is none.'),
    error: error.describe('Why the node failed; null if it did not.'),
    attempts: z.int().describe('Number of attempts that were started.'),
    run_id: z
      .string()
      .nullable()
      .describe('Identifier of the run; of the latest iteration in a loop. Null for a node that has not run.'),
    started_at: seconds.describe('Time at which the node started, in Unix seconds; null until then.'),
    finished_at: seconds.describe('Time at which the node ended, in Unix seconds; null until then.'),
    next_attempt_at,
  })
  .meta({
    id: 'NodeResult',
    description:
      'Latest result of a node. In status `unknown` the effect may or may not have happened, and it is never sent again.',
  })

export const ExecutionOut = z
  .object({
    ...ExecutionItem.shape,
    input: z.looseObject({}).describe('Value that the trigger passes on: `{{input}}` in templates.'),
    results: z.record(z.string(), NodeResultOut).describe('From node id to the latest result of that node.'),
  })
  .meta({ id: 'Execution' })

export const NodeRunItem = z
  .object({
    id: z.string().describe('Identifier of the node run, a UUIDv7 made by the server.'),
    key: z.string().describe('Id of the node; in a loop followed by the iteration: `mail#3`.'),
    node: z.string().describe('Id of the node in the graph.'),
    status: NodeStatus.describe(
      'State of the run. `unknown`: it cannot be proved whether the receiver acted, and nothing is sent again.',
    ),
    output_bytes: z.int().nullable().describe('Size of the output as JSON, in bytes; null where there is none.'),
    error: error.describe('Why the run failed; null if it did not.'),
    attempts: z.int().describe('Number of attempts that were started.'),
    sent_at: seconds.describe(
      'Time at which the request may have left for the receiver, in Unix seconds; null if it has not.',
    ),
    started_at: seconds.describe('Time at which the run started, in Unix seconds; null until then.'),
    finished_at: seconds.describe('Time at which the run ended, in Unix seconds; null until then.'),
    next_attempt_at,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'NodeRunItem' })

export const NodeRunOut = z
  .object({
    ...NodeRunItem.shape,
    output: z.unknown().describe('What the node returned; null where there is none.'),
    evidence: z
      .looseObject({})
      .nullable()
      .describe('The part of the answer of the receiver that was stored; null without an answer.'),
    resolution: z
      .looseObject({})
      .nullable()
      .describe(
        'Who resolved a run that was `unknown`, when, how and why, with the resolutions before; null if none was needed.',
      ),
    late_evidence: z
      .looseObject({})
      .nullable()
      .describe('What the receiver answered after the outcome was recorded as `unknown`; null without such an answer.'),
  })
  .meta({ id: 'NodeRun' })
