// The path and body of a request, checked against the route's declaration (its query: query.ts): every fault has its place, and an unknown name is a fault.
import type { IncomingMessage } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import getRawBody from 'raw-body'
import { z } from 'zod'
import { config } from '../../config.ts'
import { noSuch } from '../../rules/input/nearest-name.ts'
import { mayHideDigits, numberFaults } from '../../rules/input/numbers.ts'
import { pointerOf } from '../../rules/input/pointers.ts'
import { textFaults } from '../../rules/input/storable.ts'
import { droppedKeys, faultsOf, isObject, parse } from '../../rules/input/validation-errors.ts'
import { type Fault, invalidInput, Refusal } from '../../rules/refusal.ts'
import type { Route, Shape } from './route.ts'

const bodyMax = 1024 * 1024

export function refuseEncodings({ headers }: IncomingMessage): void {
  if (headers['content-encoding'] && headers['content-encoding'] !== 'identity')
    throw new Refusal(415, 'unsupported_encoding', 'Send the body without a content encoding.')
}

export const brokeOff = () => new Refusal(400, 'bad_request', 'The body broke off.')
export const tooSlow = () => new Refusal(408, 'too_slow', 'The body did not arrive in time.', { headers: { Connection: 'close' } })

/** The bytes of the body, at most 1 MiB. Read before a connection is taken, so that a slow sender holds none. */
export async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  refuseEncodings(request)
  const late = Promise.withResolvers<never>()
  // One that takes longer to arrive is an attack or a dead peer.
  const timer = setTimeout(() => late.reject(tooSlow()), config.bodyLimitMs)
  try {
    return await Promise.race([getRawBody(request, { limit: bodyMax, length: request.headers['content-length'] ?? null }), late.promise])
  } catch (error) {
    if (error instanceof Refusal) throw error
    if ((error as { status?: number }).status === 413) throw new Refusal(413, 'too_large', 'A body has at most 1 MiB.')
    throw brokeOff()
  } finally {
    clearTimeout(timer)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Objects, and members of objects: new names are dear to parse, 55,000 take some 40 ms of processor time, and no list of plain values takes more. */
const partsMax = 55_000

/** How deep the brackets of a JSON text lead, and how many objects and members it has. Those within a string are none. */
function sizesOf(text: string): { depth: number; objects: number; members: number } {
  let depth = 0
  let most = 0
  let objects = 0
  let members = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') quoted = !quoted
    else if (quoted) at += char === '\\' ? 1 : 0
    else if (char === ':') members++
    else if (char === '{' || char === '[') {
      most = Math.max(most, ++depth)
      if (char === '{') objects++
    } else if (char === '}' || char === ']') depth--
  }
  return { depth: most, objects, members }
}

/** Bodies whose text may name a `__proto__`, which shapes pass over in silence. */
const prototypical = new WeakSet<object>()

/** A body of more than this is parsed, checked and worked on in turns of the event loop of their own: other requests come in between. */
export const largeBytes = 64 * 1024

/** The body as JSON whose texts and numbers can be kept; 422 with the place of each that cannot. */
export async function jsonOf(bytes: Buffer, contentType: string | undefined): Promise<unknown> {
  if (bytes.length === 0) return {}
  if (contentType && !/^application\/([\w.-]+\+)?json\b/i.test(contentType)) throw new Refusal(415, 'unsupported_media_type', 'Send application/json.')
  let value: unknown
  try {
    const text = utf8.decode(bytes)
    const { depth, objects, members } = sizesOf(text)
    if (depth > 100) throw new Refusal(400, 'too_deep', 'JSON is nested at most 100 deep.')
    if (Math.max(objects, members) > partsMax) throw new Refusal(413, 'too_large', `A body has at most ${partsMax} objects, and as many members of objects.`)
    if (bytes.length > largeBytes) await turn()
    value = JSON.parse(text)
    if (bytes.length > largeBytes) await turn()
    if (text.includes('\\u')) {
      const faults = textFaults(value)
      if (faults.length > 0) throw invalidInput(faults)
    }
    if (mayHideDigits(text)) {
      const faults = numberFaults(value, bodyMax)
      if (faults.length > 0) throw invalidInput(faults)
    }
    if (isObject(value) && (text.includes('__proto__') || text.includes('\\u'))) prototypical.add(value)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal(400, 'malformed_json', 'The body is not JSON.')
  }
  return value
}

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** `malformed`: the 404 to answer once the caller is known. */
export type Path = { path: Record<string, string>; malformed: Refusal | null }

/** Path parameters, decoded. A malformed one is left out: it names no resource. */
export function pathOf(route: Route, found: Record<string, string>): Path {
  const path: Record<string, string> = {}
  let malformed: Refusal | null = null
  for (const name of route.parameters) {
    const value = found[name] ?? ''
    const text = route.words.includes(name)
    if (text ? !value.includes('\0') && value.isWellFormed() : uuid.test(value)) path[name] = text ? value : value.toLowerCase()
    else malformed ??= new Refusal(404, 'not_found', `There is no such resource: the path parameter \`${name}\` is not ${text ? 'valid text' : 'a UUID'}.`)
  }
  return { path, malformed }
}

const outFields = (out: z.ZodType | undefined): string[] => (out instanceof z.ZodObject ? Object.keys(out.shape) : [])

type Fields = { declared: Set<string>; ignored: Set<string>; repeated: Map<string, string> }
const known = new WeakMap<Route, Fields>()

function fieldsOf(route: Route, { shape }: Shape): Fields {
  const fields = known.get(route) ?? {
    declared: new Set(Object.keys(shape)),
    ignored: new Set(outFields(route.out)),
    repeated: new Map([...route.parameters.flatMap((name) => [[name, name] as const, [snake(name), name] as const]), ...Object.entries(route.repeats)]),
  }
  known.set(route, fields)
  return fields
}

/**
 * The declared fields of a body. It may repeat path parameters under their own names, which must agree, and carry any field of the
 * resource's own response, which is ignored: a record that was read can be sent back. Anything else is a fault.
 */
export function bodyOf(route: Route, value: unknown, path: Record<string, string>): unknown {
  if (!route.body) return {}
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw invalidInput([{ pointer: '', code: 'invalid_type', detail: 'The body must be a JSON object.' }])
  const { declared, ignored, repeated } = fieldsOf(route, route.body)
  const faults: Fault[] = []
  for (const [key, given] of Object.entries(value)) {
    if (declared.has(key)) continue
    const parameter = repeated.get(key)
    if (parameter !== undefined && !route.words.includes(parameter)) {
      if (typeof given !== 'string' || given.toLowerCase() !== path[parameter])
        faults.push({ pointer: pointerOf([key]), code: 'differs_from_path', detail: `Must equal the path parameter ${parameter}.` })
    } else if (parameter === undefined && !ignored.has(key)) {
      faults.push({ pointer: pointerOf([key]), code: 'unknown_field', detail: noSuch('field', key, declared, faults) })
    }
  }
  const parsed = parse(route.body, value)
  if (!parsed.success) faults.push(...faultsOf(parsed.issues, value))
  else if (prototypical.has(value)) for (const [name, kept] of Object.entries(parsed.data)) faults.push(...droppedKeys(Reflect.get(value, name), kept, [name]))
  if (faults.length > 0 || !parsed.success) throw invalidInput(faults)
  return parsed.data
}
