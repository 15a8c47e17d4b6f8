// Checks the path and body of a request against the route's declaration (its query: query.ts). Every error names its
// place; an unknown field is an error.
import { setImmediate as turn } from 'node:timers/promises'
import { z } from 'zod'
import { strictTextOfBytes } from '../../rules/input/bytes.ts'
import { noSuch } from '../../rules/input/nearest-name.ts'
import { exactnessFaults, losslessJson, mayHideDigits, numberFaults } from '../../rules/input/numbers.ts'
import { pointerOf } from '../../rules/input/pointers.ts'
import { textFaults } from '../../rules/input/storable.ts'
import { faultsOf, noteDroppedKeys, parse } from '../../rules/input/validation-errors.ts'
import { type Fault, invalidInput, note, Refusal } from '../../rules/refusal.ts'
import { camel, inward } from '../../rules/spelling.ts'
import { bodyMax } from './body/body.ts'
import type { Route, Shape } from './route.ts'

/**
 * Limit of objects, and of members of objects: parsing so many distinct names takes 40 ms of processor time, more than
 * any array of 1 MiB.
 */
const partsMax = 55_000

const [quote, backslash, colon, brace, bracket] = [...'"\\:{['].map((char) => char.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
]

/** Depth of nesting, number of objects and number of members of a JSON text, counted without parsing it. */
function sizesOf(text: string): { depth: number; objects: number; members: number } {
  let depth = 0
  let most = 0
  let objects = 0
  let members = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === quote) quoted = !quoted
    else if (quoted) at += char === backslash ? 1 : 0
    else if (char === colon) members++
    else if (char === brace || char === bracket) {
      most = Math.max(most, ++depth)
      if (char === brace) objects++
    } else if (char === brace + 2 || char === bracket + 2) depth--
  }
  return { depth: most, objects, members }
}

/** `mayNamePrototype`: the text may hold the key `__proto__`, which shapes drop without an error. */
export type Json = { value: unknown; mayNamePrototype: boolean }
export const emptyJson: Json = { value: {}, mayNamePrototype: false }

/**
 * Larger bodies are parsed, checked and processed in separate turns of the event loop, so that other requests are
 * served in between.
 */
export const largeBytes = 64 * 1024

const malformedJson = () =>
  new Refusal(
    400,
    'malformed_json',
    'The body is not valid JSON in UTF-8, or in the charset that its `Content-Type` names.',
  )

/**
 * The body as JSON; `{}` if it is empty. `inexact`: numbers that JavaScript would change are refused, or read as texts
 * of their digits. 400, 413, 415, and 422 with every text and number that cannot be stored.
 */
export async function jsonOf(
  bytes: Buffer,
  contentType: string | undefined,
  inexact: 'refused' | 'texts' = 'refused',
): Promise<Json> {
  if (bytes.length === 0) return emptyJson
  if (contentType && !/^application\/([\w.-]+\+)?json\b/i.test(contentType))
    throw new Refusal(415, 'unsupported_media_type', 'Send application/json.')
  const text = strictTextOfBytes(bytes, contentType)
  if (text === undefined) throw malformedJson()
  try {
    const { depth, objects, members } = sizesOf(text)
    if (depth > 100) throw new Refusal(400, 'too_deep', 'The body is nested more than 100 levels deep.')
    if (Math.max(objects, members) > partsMax)
      throw new Refusal(413, 'too_large', `The body has more than ${partsMax} objects, or members of objects.`)
    if (bytes.length > largeBytes) await turn()
    const value = inexact === 'texts' ? losslessJson(text) : JSON.parse(text)
    if (bytes.length > largeBytes) await turn()
    if (text.includes('\\u')) {
      const faults = textFaults(value)
      if (faults.length > 0) throw invalidInput(faults)
    }
    if (mayHideDigits(text)) {
      const exactness = inexact === 'texts' ? [] : exactnessFaults(text)
      const faults = exactness.length > 0 ? exactness : numberFaults(value, bodyMax)
      if (faults.length > 0) throw invalidInput(faults)
    }
    return { value, mayNamePrototype: text.includes('__proto__') || text.includes('\\u') }
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw malformedJson()
  }
}

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** `malformed`: the 404 that is thrown after the caller was identified. */
export type Path = { path: Record<string, string>; malformed: Refusal | null }

/** The decoded path parameters. A malformed one is omitted: it identifies no resource. */
export function pathOf(route: Route, found: Record<string, string>): Path {
  const path: Record<string, string> = {}
  let malformed: Refusal | null = null
  for (const name of route.parameters) {
    const value = found[name] ?? ''
    const isText = route.textParameters.includes(name)
    if (isText ? !value.includes('\0') && value.isWellFormed() : uuid.test(value))
      path[name] = isText ? value : value.toLowerCase()
    else
      malformed ??= new Refusal(
        404,
        'not_found',
        `There is no such resource: the path parameter \`${name}\` is not ${isText ? 'valid text' : 'a UUID'}.`,
      )
  }
  return { path, malformed }
}

const outFields = (out: z.ZodType | undefined): string[] => (out instanceof z.ZodObject ? Object.keys(out.shape) : [])

/** `names`: the declared fields as the surface spells them. */
type Fields = { declared: Set<string>; names: string[]; ignored: Set<string>; repeated: Map<string, string> }
const fieldsByRoute = new WeakMap<Route, Fields>()

function fieldsOf(route: Route, { shape }: Shape): Fields {
  const isBusiness = route.surface === 'business'
  const spelled = (names: string[]) => (isBusiness ? names.map(camel) : names)
  const fields = fieldsByRoute.get(route) ?? {
    declared: new Set(Object.keys(shape)),
    names: spelled(Object.keys(shape)),
    ignored: new Set(spelled(outFields(route.record))),
    repeated: new Map([
      ...route.parameters
        .filter((name) => name !== 'id')
        .flatMap((name) => [[name, name] as const, [isBusiness ? name : snake(name), name] as const]),
      ...Object.entries(route.repeats),
    ]),
  }
  fieldsByRoute.set(route, fields)
  return fields
}

/**
 * The declared fields of a body. A body may repeat path parameters, which must be equal, and may hold any field of the
 * resource's response, which is ignored: a record that was read can be sent back. 422 for any other field.
 */
export function bodyOf(route: Route, { value, mayNamePrototype }: Json, path: Record<string, string>): unknown {
  if (!route.body) return {}
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw invalidInput([{ pointer: '', code: 'invalid_type', detail: 'The body must be a JSON object.' }])
  const { declared, names, ignored, repeated } = fieldsOf(route, route.body)
  const faults: Fault[] = []
  const named = route.surface === 'business' ? (inward(route.body, value, faults) as object) : value
  for (const key of Object.keys(named)) {
    if (declared.has(key)) continue
    const parameter = repeated.get(key)
    if (parameter !== undefined && !route.textParameters.includes(parameter)) {
      const given: unknown = Reflect.get(named, key)
      if (typeof given !== 'string' || given.toLowerCase() !== path[parameter])
        faults.push({
          pointer: pointerOf([key]),
          code: 'differs_from_path',
          detail: `Must equal the path parameter \`${parameter}\`.`,
        })
    } else if (parameter === undefined && !ignored.has(key)) {
      const unknown = () => ({
        pointer: pointerOf([key]),
        code: 'unknown_field',
        detail: noSuch('field', key, names, faults),
      })
      // The fields are not checked: the refusal is full without their errors.
      if (note(faults, unknown)) throw invalidInput(faults)
    }
  }
  const parsed = parse(route.body, named)
  if (!parsed.success) faults.push(...faultsOf(parsed.issues, named))
  else if (mayNamePrototype)
    for (const [name, copy] of Object.entries(parsed.data))
      noteDroppedKeys(faults, Reflect.get(named, name), copy, [name])
  if (faults.length > 0 || !parsed.success) throw invalidInput(faults)
  return parsed.data
}
