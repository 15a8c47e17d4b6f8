// Checks whether an answer is declared in the document, to the last field, and is usable for a caller.
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Document, Operation } from './document.ts'

/** `method` may be one that the operation does not have; `body` is the JSON that was sent, undefined for none. */
export type Asked = { method: string; body: unknown; query: string; headers: Record<string, string> }
/** `text` of what is no file. */
export type Answer = { status: number; headers: Record<string, string>; text: string; ms: number }

type Check = (operation: Operation, asked: Asked, answer: Answer) => string[]

type Problem = { status?: unknown; code?: unknown; request_id?: unknown; errors?: { pointer: string }[] }

/** Longer than the API itself waits; a request without an answer by then hangs. */
export const answerLimitMs = 15_000

const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

/** Whether the pointer exists in the sent body, or could: a missing field's pointer, or the pointer of its parent. */
function leads(pointer: string, body: unknown): boolean {
  if (pointer === '') return true
  if (!pointer.startsWith('/')) return false
  const parts = pointer.slice(1).split('/').map(unescaped)
  let at: unknown = body ?? {}
  for (const part of parts.slice(0, -1)) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, part)) return false
    at = (at as Record<string, unknown>)[part]
  }
  return at !== null && typeof at === 'object'
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The wording of the validator, and placeholders of texts that were not filled: no text of a problem has them. */
const foreignWords =
  /Invalid (input|option|string|number|key|value|discriminator)|Too (big|small): |Unrecognized key|\{[Ss]tores?\}/

/** Texts that repeat what was sent are not judged. */
function wordingFaults({ body, query }: Asked, text: string): string[] {
  const { detail, errors = [] } = (parsed(text) ?? {}) as { detail?: unknown; errors?: { detail?: unknown }[] }
  const found = [detail, ...errors.map((one) => one.detail)].map((said) => foreignWords.exec(String(said))?.[0])
  const word = found.find((one) => one !== undefined)
  return word === undefined || `${JSON.stringify(body)}${query}`.includes(word) ? [] : [`a text says “${word}”`]
}

function problemFaults(
  { parameters, fields: declared, responses }: Operation,
  asked: Asked,
  { status, headers, text }: Answer,
): string[] {
  const { body, query } = asked
  const problem = (parsed(text) ?? {}) as Problem
  const names = new Set([
    ...parameters.filter((one) => one.in === 'query').map(({ name }) => name),
    ...new URLSearchParams(query).keys(),
  ])
  // A field that was not sent may be at fault as stored: an update keeps it, and a checkout is of a cart.
  const fields = new Set(
    declared.filter((name) => body === null || typeof body !== 'object' || !Object.hasOwn(body, name)),
  )
  const lost = (problem.errors ?? []).filter(
    ({ pointer }) => !names.has(pointer) && !leads(pointer, body) && !fields.has(pointer.split('/')[1] ?? ''),
  )
  const codes = responses[status]?.['x-problem-codes']
  return [
    ...(codes && !codes.includes(problem.code as string)
      ? [`the code ${problem.code} is not declared for ${status}`]
      : []),
    ...(problem.status === status ? [] : [`the problem says status ${problem.status}`]),
    ...(typeof problem.code === 'string' && /^[a-z][a-z0-9_]*$/.test(problem.code)
      ? []
      : [`the problem’s code is ${problem.code}`]),
    ...(problem.request_id === headers['x-request-id'] ? [] : ['the problem’s request_id is not that of the header']),
    ...lost.map(({ pointer }) => `a pointer leads nowhere: ${pointer}`),
    ...wordingFaults(asked, text),
  ]
}

function headerFaults({ headers: sent }: Asked, { status, headers }: Answer): string[] {
  const given = sent['x-request-id']
  const kept = given !== undefined && /^[\x21-\x7e]{1,128}$/.test(given)
  return [
    ...(headers['x-request-id'] && (!kept || headers['x-request-id'] === given)
      ? []
      : [`X-Request-Id is ${headers['x-request-id']}`]),
    ...(headers['x-content-type-options'] === 'nosniff' ? [] : ['X-Content-Type-Options is missing']),
    ...(status === 401 && !headers['www-authenticate'] ? ['401 without WWW-Authenticate'] : []),
    ...(status === 429 && !headers['retry-after'] ? ['429 without Retry-After'] : []),
    ...(status === 405 && !headers.allow ? ['405 without Allow'] : []),
  ]
}

/** A method that the document does not name, at a path that it does. */
function undeclared(operation: Operation, asked: Asked, answer: Answer): string[] {
  const { status, text } = answer
  if (asked.method === 'OPTIONS') return [200, 204].includes(status) ? [] : [`OPTIONS answered ${status}`]
  if (asked.method === 'HEAD') {
    // Another route may answer here: `POST …/carts/current` beside `GET …/carts/{id}`.
    const elsewhere = operation.method !== 'GET' && operation.methods.includes('GET')
    return [
      ...(text === '' ? [] : ['HEAD answered with a body']),
      ...(status === 405 || operation.responses[status] || elsewhere ? [] : [`HEAD answered ${status}`]),
    ]
  }
  return [
    ...(status === 405 ? [] : [`${asked.method} answered ${status} where 405 belongs`]),
    ...headerFaults(asked, answer),
    ...problemFaults(operation, asked, answer),
  ]
}

const escaped = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

export type Judge = {
  /** The faults of the answer, one line each. */
  faults: Check
  /** Why the document refuses this body; null if it accepts it. */
  refuses(operation: Operation, body: unknown): string | null
}

export function judgeOf(document: Document): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true })
  formats.default(ajv)
  ajv.addFormat('binary', true)
  ajv.addSchema(document, 'openapi')
  const at = (...parts: string[]) => ajv.compile({ $ref: `openapi#/${parts.map(escaped).join('/')}` })
  const known = new Map<string, ReturnType<typeof at>>()
  const validator = (...parts: string[]) => {
    const key = parts.join('\n')
    const made = known.get(key) ?? at(...parts)
    known.set(key, made)
    return made
  }
  const complaint = (validate: ReturnType<typeof at>): string => {
    const { instancePath = '', message = '', params = {} } = validate.errors?.[0] ?? {}
    return `${instancePath.replaceAll(/\/\d+/g, '/n') || 'it'} ${message} ${JSON.stringify(params)}`
  }

  function contentFaults(operation: Operation, status: string, { headers, text }: Answer): string[] {
    const { content, at = [] } = operation.responses[status] ?? {}
    const type = (headers['content-type'] ?? '').split(';')[0]?.trim() ?? ''
    if (!content) return text === '' ? [] : [`a body where none is declared for ${status}`]
    const declared = Object.keys(content).find(
      (one) => one === type || one === '*/*' || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))),
    )
    if (declared === undefined) return [`content type ${type || 'none'} is not declared for ${status}`]
    if (!type.endsWith('json')) return []
    const body = parsed(text)
    if (body === undefined) return ['the body is not JSON']
    const validate = validator(...at, 'content', declared, 'schema')
    return validate(body) ? [] : [`the body of ${status} is not as declared: ${complaint(validate)}`]
  }

  return {
    faults(operation, asked, answer) {
      const { status, ms } = answer
      const slow = ms > answerLimitMs ? [`it took ${Math.round(ms)} ms`] : []
      const broken = status >= 500 ? [`answered ${status}`] : []
      if (asked.method !== operation.method) return [...slow, ...broken, ...undeclared(operation, asked, answer)]
      if (!operation.responses[status]) return [...slow, ...broken, `status ${status} is not declared`]
      return [
        ...slow,
        ...broken,
        ...contentFaults(operation, String(status), answer),
        ...headerFaults(asked, answer),
        ...(answer.headers['content-type']?.startsWith('application/problem')
          ? problemFaults(operation, asked, answer)
          : []),
      ]
    },
    refuses(operation, body) {
      if (!operation.body) return null
      const validate = validator(
        'paths',
        operation.path,
        operation.method.toLowerCase(),
        'requestBody',
        'content',
        operation.body.type,
        'schema',
      )
      return validate(body) ? null : complaint(validate)
    },
  }
}
