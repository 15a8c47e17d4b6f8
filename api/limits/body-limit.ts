// The largest body that a route can use, by the shape of its fields: a request of a stranger is refused before it costs
// memory.
import { z } from 'zod'
import { itemsMaxOf, unwrapped } from '../../rules/spelling.ts'
import { bodyMax } from '../kit/body/body.ts'
import type { Route } from '../kit/route.ts'

const least = 4096
/** A character may be written as `\u` and four digits. */
const bytesPerCharacter = 6

const quoted = (length: number): number => length * bytesPerCharacter + 2

/**
 * Bytes of the longest JSON that the shape takes, without blanks; Infinity without a limit. `free`: bytes of a text
 * without a limit.
 */
function longest(schema: z.core.$ZodType, free: number, within: readonly z.core.$ZodType[] = []): number {
  if (within.includes(schema)) return Number.POSITIVE_INFINITY
  const of = (inner: z.core.$ZodType) => longest(inner, free, [...within, schema])
  const inner = unwrapped(schema, 'in')
  if (inner) return Math.max(4, of(inner))
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat)
    return schema.format === 'guid' || schema.format === 'uuid'
      ? quoted(36)
      : schema.maxLength === null
        ? free
        : quoted(schema.maxLength)
  if (schema instanceof z.ZodNumber) return 32
  if (schema instanceof z.ZodBoolean || schema instanceof z.ZodNull) return 5
  if (schema instanceof z.ZodLiteral)
    return Math.max(...[...schema.values].map((value) => quoted(String(value).length)))
  if (schema instanceof z.ZodEnum) return Math.max(...schema.options.map((option) => quoted(String(option).length)))
  if (schema instanceof z.ZodUnion) return Math.max(...schema.options.map(of))
  if (schema instanceof z.ZodArray) return itemsMaxOf(schema) * (of(schema.element) + 1) + 2
  if (!(schema instanceof z.ZodObject) || (schema.def.catchall && !(schema.def.catchall instanceof z.ZodNever)))
    return Number.POSITIVE_INFINITY
  return membersOf(schema.shape, of)
}

const membersOf = (shape: Readonly<Record<string, z.core.$ZodType>>, of: (field: z.core.$ZodType) => number): number =>
  Object.entries(shape).reduce((sum, [name, field]) => sum + quoted(name.length) + 2 + of(field), 2)

/** Texts of a record that its body may repeat, and that are ignored: names, codes, addresses. */
const recordText = 1024

function limitOf(route: Route): number {
  const { body, record, method, status, parameters } = route
  const { unparsed, bytesMax } = route.request
  if (bytesMax !== undefined) return bytesMax
  if (unparsed) return bodyMax
  if (!body) return least
  // A record that was read may be sent back with changes.
  const isRecord = method === 'PUT' || status === 201
  const ignored =
    isRecord && record instanceof z.ZodObject
      ? Object.entries(record.shape).filter(([name]) => !(name in body.shape))
      : []
  const sum =
    longest(body, Number.POSITIVE_INFINITY) +
    membersOf(Object.fromEntries(ignored), (field) => longest(field, recordText)) +
    parameters.length * 128
  // Twice for blanks, and in steps that can be stated.
  return Math.min(bodyMax, Math.max(least, 2 ** Math.ceil(Math.log2(2 * sum))))
}

const limits = new WeakMap<Route, number>()
/** Bytes: a power of two from 4 KiB to 1 MiB. */
export function bodyLimitOf(route: Route): number {
  const limit = limits.get(route) ?? limitOf(route)
  limits.set(route, limit)
  return limit
}
