// Shapes of automation graphs: nodes, edges, drafts and schedules. An active graph has exactly these fields, a draft
// may lack any.
import { z } from 'zod'
import { isEmailAddress } from '../input/email-addresses.ts'
import { Headers } from '../input/http-headers.ts'
import { anyCase, Id } from '../shapes.ts'
import { eventTypes } from '../webhooks/events.ts'

export const NODES_MAX = 200
export const EDGES_MAX = 1000
/** Limit of a graph, in bytes of its JSON as UTF-8. */
export const GRAPH_BYTES_MAX = 262_144
/** Limit of the nesting of objects and arrays in one node. */
export const DEPTH_MAX = 32
export const LOOP_ITEMS_MAX = 10_000
/** Limit of node runs in one execution, as nested loops multiply them. */
export const RUNS_MAX = 100_000

const dayMs = 86_400_000

/** Milliseconds, waited for with a durable timer. */
const Delay = z
  .int()
  .min(0)
  .max(30 * dayMs)

/** May hold templates (rules/automation/templates.ts). */
const text = (max: number) => z.string().min(1).max(max)

/**
 * Requires the scheme, unless the address begins with a template. The address itself is checked when the request is
 * sent.
 */
const Url = z
  .string()
  .min(1)
  .max(8192)
  .refine((url) => {
    const filled = url.replaceAll(/\{\{[^{}]*\}\}/g, '1')
    return url.startsWith('{{') || (/^https?:\/\/[^\s\\]+$/i.test(filled) && URL.canParse(filled))
  }, 'Expected an absolute http or https URL.')

export const HttpMethod = z.enum(['get', 'post', 'put', 'patch', 'delete'])

const Trigger = z.strictObject({
  type: z.literal('trigger').describe('The node that starts the graph; each graph has exactly one.'),
  delay_ms: Delay.default(0).describe('Milliseconds to wait before the first node; 30 days at most.'),
  events: z
    .array(z.enum(eventTypes))
    .max(eventTypes.length)
    .default([])
    .describe('Events of the {store} that start the graph, in addition to its address and schedule.'),
})

/**
 * Milliseconds. A shorter pause between attempts of a read is spent in its activity, as a workflow timer takes at least
 * a second.
 */
export const READ_PAUSE_MS = 10_000

/** `retries` and `retry_delay_ms` are stored and ignored for other methods than get, and so is the body of a get. */
const Http = z.strictObject({
  type: z.literal('http').describe('Sends an HTTP request.'),
  method: anyCase(HttpMethod).describe('Method of the request.'),
  url: Url.describe(
    'Absolute http or https address; may hold templates. Their values are percent-encoded, and a value that makes a segment of the path `.` or `..` fails the node with `url_invalid`. A template at the very beginning is not encoded: its value is an address, or the beginning of one.',
  ),
  headers: Headers.default({}).describe('Headers of the request; values may hold templates.'),
  body: z.unknown().optional().describe('Body of the request, sent as JSON; may hold templates. Ignored for `get`.'),
  timeout_ms: z
    .int()
    .min(1)
    .max(120_000)
    .default(30_000)
    .describe('Milliseconds to wait for the answer; 30,000 by default, 120,000 at most.'),
  delay_ms: Delay.default(0).describe('Milliseconds to wait before the request; 30 days at most.'),
  retries: z
    .int()
    .min(0)
    .max(10)
    .default(0)
    .describe('Further attempts of a failed `get`, 10 at most. Other methods are never repeated.'),
  retry_delay_ms: z
    .int()
    .min(0)
    .max(dayMs)
    .default(0)
    .describe('Milliseconds between two attempts of a `get`; one day at most.'),
})

const SendEmail = z.strictObject({
  type: z.literal('send_email').describe('Sends an e-mail.'),
  mailbox_id: Id.describe('Identifier of the mailbox that the mail is sent from.'),
  template_id: Id.describe('Identifier of the e-mail template.'),
  to: text(1000)
    .refine((to) => to.includes('{{') || isEmailAddress(to), 'Expected an e-mail address.')
    .describe('Address of the receiver; may hold templates.'),
  variables: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Values for the e-mail template; texts may hold templates.'),
})

const DeployWebhook = z.strictObject({
  type: z.literal('deploy_webhook').describe('Calls a build hook.'),
  build_hook_id: Id.describe('Identifier of the build hook.'),
  delay_ms: Delay.default(0).describe('Milliseconds to wait before the call; 30 days at most.'),
})

const DriveUpload = z.strictObject({
  type: z.literal('drive_upload').describe('Uploads a file to a drive.'),
  connection_id: Id.describe('Identifier of the connection to the drive.'),
  folder: z
    .string()
    .max(1024)
    .default('')
    .describe("Folder below the drive's root; may hold templates. Empty: the root."),
  file_name: text(1024).describe('Name of the file; may hold templates.'),
  content: z.string().max(GRAPH_BYTES_MAX).describe('Text of the file; may hold templates.'),
})

const Switch = z.strictObject({
  type: z
    .literal('switch')
    .describe(
      'Continues on the output of the first rule whose condition is true (`rule_0`, `rule_1`, …), or on `fallback`.',
    ),
  rules: z
    .array(z.strictObject({ condition: text(10_000).describe('JavaScript expression over `input` and `nodes`.') }))
    .min(1)
    .max(50)
    .describe('Rules in the order in which they are evaluated, 1 to 50.'),
})

const Transform = z.strictObject({
  type: z.literal('transform').describe('Computes its output with JavaScript.'),
  code: text(65_536).describe(
    "Body of a JavaScript function over `input` and `nodes`; its return value is the node's output. Templates are not rendered in it.",
  ),
})

const Loop = z.strictObject({
  type: z.literal('loop').describe('Runs its body (output `each`) once per item, then continues on `done`.'),
  items: text(10_000).describe('Template or JavaScript expression that yields an array of at most 10,000 items.'),
})

const nodeShapes = [Trigger, Http, SendEmail, DeployWebhook, DriveUpload, Switch, Transform, Loop] as const
const NodeType = z.enum(nodeShapes.map(({ shape }) => shape.type.value))
export type NodeType = z.infer<typeof NodeType>

export const GraphNode = z.discriminatedUnion('type', nodeShapes).meta({
  id: 'WorkflowNode',
  description: 'A node of one of eight types. Texts may hold templates such as `{{input.form.email}}`.',
})
export type GraphNode = z.infer<typeof GraphNode>
export type NodeOf<T extends NodeType> = Extract<GraphNode, { type: T }>

export const NodeId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'Expected 1 to 64 letters, digits, hyphens and underscores.')

export const GraphEdge = z
  .strictObject({
    source: NodeId.describe('Id of the node where the edge starts.'),
    target: NodeId.describe('Id of the node where the edge ends.'),
    output: text(64).describe(
      'Output of the source: `default` of a trigger; `success` or `error`; `rule_0`, `rule_1`, … or `fallback` of a switch; `each` or `done` of a loop.',
    ),
    back_edge: z.boolean().default(false).describe('True only where the body of a loop returns to the loop.'),
  })
  .meta({ id: 'WorkflowEdge', description: 'A connection from an output of one node to another node.' })
export type GraphEdge = z.infer<typeof GraphEdge>

/** The shape of a graph. `graphFaults` checks that nodes and edges fit together. */
export const Graph = z.object({ nodes: z.record(NodeId, GraphNode), edges: z.array(GraphEdge) })
export type Graph = z.infer<typeof Graph>

/**
 * A draft: any field may be missing or incomplete. A node has a known type or none, and an edge has no other fields.
 */
export const GraphDraft = z.object({
  nodes: z
    .record(z.string().min(1).max(64), z.looseObject({ type: NodeType.optional() }))
    .refine((nodes) => Object.keys(nodes).length <= NODES_MAX, `Expected at most ${NODES_MAX} nodes.`),
  edges: z
    .array(
      z.strictObject({
        source: z.string().max(64).optional(),
        target: z.string().max(64).optional(),
        output: z.string().max(64).optional(),
        back_edge: z.boolean().default(false),
      }),
    )
    .max(EDGES_MAX),
})
export type GraphDraft = z.infer<typeof GraphDraft>

/** The fields of a cron expression in order, with their range and names. */
export const cronFields: { min: number; max: number; names?: string[] }[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { min: 0, max: 7, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
]

/** The number of a cron value, or NaN. */
export const cronNumber = (text: string, { min, max, names = [] }: (typeof cronFields)[number]): number => {
  const named = names.indexOf(text.toLowerCase())
  if (named >= 0) return named + (max === 12 ? 1 : 0)
  const number = /^\d{1,2}$/.test(text) ? Number(text) : -1
  return number >= min && number <= max ? number : Number.NaN
}

const isCronPart = (part: string, field: (typeof cronFields)[number]): boolean => {
  const [, range = '', step] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(part) ?? []
  if (range === '' || (step !== undefined && (Number(step) < 1 || Number(step) > field.max))) return false
  if (range === '*') return true
  const ends = range.split('-').map((text) => cronNumber(text, field))
  const [from = Number.NaN, to = from] = ends
  // `5/15` has different meanings in different implementations.
  return ends.length <= 2 && from <= to && (step === undefined || ends.length === 2)
}

const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether a date with the day and the month exists, if both are plain numbers: `0 0 30 2 *` would never run. */
const hasDay = (day: string, month: string, weekday: string) => {
  const at = cronNumber(month, cronFields[3] as (typeof cronFields)[number])
  return weekday !== '*' || !/^\d+$/.test(day) || Number.isNaN(at) || Number(day) <= (longestMonths[at - 1] ?? 31)
}

/**
 * Whether the text is a cron expression of five fields: minute, hour, day of month, month, day of week (0 and 7 are
 * Sunday), with lists, ranges, steps on `*` and on ranges, and English three-letter names of months and days. Not
 * supported: seconds, years, @daily, L, W, # and ? (POSIX crontab).
 */
export const isCron = (schedule: string): boolean => {
  const fields = schedule.trim().split(/[ \t]+/)
  const [, , day = '', month = '', weekday = ''] = fields
  return (
    fields.length === 5 &&
    cronFields.every((field, index) => (fields[index] ?? '').split(',').every((part) => isCronPart(part, field))) &&
    hasDay(day, month, weekday)
  )
}

export const Schedule = z.string().max(255).refine(isCron, 'Expected a cron expression of five fields.')
