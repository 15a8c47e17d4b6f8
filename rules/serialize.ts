// Serializes an answer by its shape: undeclared fields are dropped, and undefined becomes null where the shape allows
// null.
//   serialize(z.object({ id: z.string() }), { id: '1', secret: 'x' })   → { id: '1' }
import { z } from 'zod'
import { openFieldsOf } from './open-answers.ts'
import { camel, outwardMembers, type Surface, unwrapped, wordSpelling } from './spelling.ts'

type Writer = (value: unknown) => unknown
const writers: Record<Surface, WeakMap<z.core.$ZodType, Writer>> = { store: new WeakMap(), business: new WeakMap() }

const asIs: Writer = (value) => value

function make(schema: z.core.$ZodType, surface: Surface): Writer {
  const writerOf = (inner: z.core.$ZodType) => writerOn(inner, surface)
  const isBusiness = surface === 'business'
  if (schema instanceof z.ZodObject) {
    if (schema.def.catchall && !(schema.def.catchall instanceof z.ZodNever)) {
      const declared = isBusiness ? openFieldsOf(schema) : undefined
      if (!declared) return asIs
      const writers = new Map(Object.entries(declared).map(([name, field]) => [name, writerOf(field)]))
      const spelled = ([name, inner]: [string, unknown]) => [camel(name), (writers.get(name) ?? outwardMembers)(inner)]
      return (value) =>
        value !== null && typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(spelled)) : value
    }
    const fields = Object.entries(schema.shape).map(
      ([name, field]) => [name, isBusiness ? camel(name) : name, writerOf(field)] as const,
    )
    return (value) => {
      if (value === null || typeof value !== 'object') return value
      const written: Record<string, unknown> = {}
      for (const [name, spelled, write] of fields) {
        const inner = write((value as Record<string, unknown>)[name])
        if (inner !== undefined) written[spelled] = inner
      }
      return written
    }
  }
  if (schema instanceof z.ZodArray) {
    const write = writerOf(schema.element)
    return (value) => (Array.isArray(value) ? value.map(write) : value)
  }
  if (schema instanceof z.ZodNullable) {
    const write = writerOf(schema.unwrap())
    return (value) => (value === undefined || value === null ? null : write(value))
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return writerOf(schema.unwrap())
  // The matching alternative is found by parsing.
  if (schema instanceof z.ZodUnion)
    return isBusiness ? ofAlternatives(schema.options, writerOf) : (value) => schema.parse(value)
  if (!isBusiness) return asIs
  // The store surface writes all others as they are.
  if (schema instanceof z.ZodRecord) {
    const write = writerOf(schema.valueType)
    return (value) =>
      value !== null && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, write(one)]))
        : value
  }
  const spell = wordSpelling(schema)
  if (spell) return (value) => (typeof value === 'string' ? spell(value) : value)
  const inner = unwrapped(schema, 'out')
  return inner ? writerOf(inner) : asIs
}

/** Writes by the first alternative that takes the value. */
function ofAlternatives(options: readonly z.core.$ZodType[], writerOf: (schema: z.core.$ZodType) => Writer): Writer {
  const alternatives = options.map((option) => [option as z.ZodType, writerOf(option)] as const)
  return (value) => {
    for (const [option, write] of alternatives) {
      const taken = option.safeParse(value)
      if (taken.success) return write(taken.data)
    }
    throw new Error('No alternative of a union takes the value of an answer.')
  }
}

function writerOn(schema: z.core.$ZodType, surface: Surface): Writer {
  const known = writers[surface]
  let writer = known.get(schema)
  if (!writer) {
    // A placeholder for recursive shapes.
    known.set(schema, (value) => (writer as Writer)(value))
    writer = make(schema, surface)
    known.set(schema, writer)
  }
  return writer
}

/** `surface`: how names are spelled, as for stores by default. */
export const serialize = (schema: z.ZodType, value: unknown, surface: Surface = 'store'): unknown =>
  writerOn(schema, surface)(value)
