// The address of a workflow: whoever has it starts an execution with a JSON object. What is not active is not there.

import { config } from '../../config.ts'
import { notRun } from '../../entities/automation/node-results.ts'
import { trigger } from '../../entities/automation/triggers.ts'
import { invalidInput, notFound, Refusal } from '../../rules/refusal.ts'
import { digest } from '../kit/caller.ts'
import { jsonOf } from '../kit/input.ts'
import { throttle } from '../kit/rate.ts'
import { route } from '../kit/route.ts'
import { ExecutionOut } from './execution-shapes.ts'

/** As much as code in a graph can read. */
const INPUT_BYTES_MAX = 262_144

const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object' && !Array.isArray(value)

export const triggers = [
  route('POST /v1/workflows/trigger/{secret}', {
    operation: 'triggerWorkflow',
    may: 'secret',
    refuses: ['malformed_json', 'too_deep', 'unsupported_media_type', 'too_many_requests'],
    words: ['secret'],
    summary: 'Start an execution of a workflow',
    description:
      'The body, any JSON object of at most 256 KiB, is the input of the execution. Each call starts one. A workflow that is not active is 404, as is an address that was ' +
      'replaced. Query parameters are ignored.',
    // Any field may be in it: nothing is declared, and so nothing is checked by a declaration.
    unparsed: true,
    reads: true,
    status: 201,
    out: ExecutionOut,
    async run({ em, path, raw, headers, now }) {
      if (raw.length > INPUT_BYTES_MAX) throw new Refusal(413, 'too_large', 'What starts an execution has at most 256 KiB.')
      const input = await jsonOf(raw, headers['content-type']?.toString())
      if (!isObject(input)) throw invalidInput([{ pointer: '', code: 'invalid_type', detail: 'The body must be a JSON object.' }])
      // From here on the secret is its digest: neither a statement nor what is remembered of callers holds it.
      const secret = /^[\w-]{40,60}$/.test(path.secret) ? digest(path.secret) : null
      if (secret) throttle(`trigger ${secret}`, config.rate.triggerPerS)
      const begun = secret && (await trigger(em, secret, input, now))
      if (!begun) throw notFound('workflow')
      const { id, workflow_id, nodes } = begun
      const times = { started_at: null, finished_at: null, created_at: now, updated_at: now }
      const results = Object.fromEntries(nodes.map((node) => [node, notRun('pending')]))
      return { id, workflow_id, status: 'pending' as const, source: 'webhook' as const, error: null, cancel_requested: false, ...times, input, results }
    },
  }),
]
