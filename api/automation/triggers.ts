// The address of a workflow: a POST with its secret starts an execution. A workflow that is not active is answered with
// 404.
import { config } from '../../config.ts'
import { notRun } from '../../entities/automation/node-results.ts'
import { tenantOfTrigger, trigger } from '../../entities/automation/triggers.ts'
import { invalidInput, notFound } from '../../rules/refusal.ts'
import { digest } from '../kit/caller.ts'
import { jsonOf } from '../kit/input.ts'
import { route } from '../kit/route.ts'
import { throttle } from '../limits/rate.ts'
import { ExecutionOut } from './execution-shapes.ts'

/** The largest input that code in a graph can read. */
const INPUT_BYTES_MAX = 262_144

/** Null for a text that is no secret. */
const digestOf = (secret: string): string | null => (/^[\w-]{40,60}$/.test(secret) ? digest(secret) : null)

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

export const triggers = [
  route('POST /v1/workflows/trigger/{secret}', {
    operation: 'triggerWorkflow',
    may: 'secret',
    refuses: ['malformed_json', 'too_deep', 'unsupported_media_type', 'too_many_requests'],
    textParameters: ['secret'],
    summary: 'Start an execution of a workflow',
    description:
      'The body, any JSON object of at most 256 KiB, is the input of the execution; a number with more digits than JavaScript keeps is a string of its digits there. Each call starts one. ' +
      '404 if the workflow is not active, or if the secret was rotated. ' +
      '429 `too_many_requests` beyond the rate limit of the address, 50 calls per second by default. Query parameters are ignored.',
    // The body may have any field, so no body shape is declared.
    request: {
      unparsed: true,
      bytesMax: INPUT_BYTES_MAX,
      async prove({ em, path }) {
        const tenant_id = await tenantOfTrigger(em, digestOf(path.secret))
        if (tenant_id === undefined) throw notFound('workflow')
        return { tenant_id }
      },
    },
    transaction: false,
    status: 201,
    out: ExecutionOut,
    async run({ em, path, raw, headers, now }) {
      const { value: input } = await jsonOf(raw, headers['content-type']?.toString(), 'texts')
      if (!isObject(input))
        throw invalidInput([{ pointer: '', code: 'invalid_type', detail: 'The body must be a JSON object.' }])
      // Only the digest of the secret is used from here on: neither statements nor rate limits hold the secret.
      const secret = digestOf(path.secret)
      if (secret) throttle(`trigger ${secret}`, config.rate.triggerPerS)
      const begun = secret && (await trigger(em, secret, input, now))
      if (!begun) throw notFound('workflow')
      const { id, workflow_id, nodes } = begun
      const times = { started_at: null, finished_at: null, created_at: now, updated_at: now }
      const results = Object.fromEntries(nodes.map((node) => [node, notRun('pending')]))
      return {
        id,
        workflow_id,
        status: 'pending' as const,
        source: 'webhook' as const,
        error: null,
        cancel_requested: false,
        ...times,
        input,
        results,
      }
    },
  }),
]
