// Serializes an answer by its shape: undeclared fields are dropped, and undefined becomes null where the shape allows null.
//   serialize(z.object({ id: z.string() }), { id: '1', secret: 'x' })   → { id: '1' }
import { z } from 'zod'

type Writer = (value: unknown) => unknown
const writers = new WeakMap<z.core.$ZodType, Writer>()

const asIs: Writer = (value) => value

function make(schema: z.core.$ZodType): Writer {
  if (schema instanceof z.ZodObject) {
    if (schema.def.catchall && !(schema.def.catchall instanceof z.ZodNever)) return asIs
    const fields = Object.entries(schema.shape).map(([name, field]) => [name, writerOf(field)] as const)
    return (value) => {
      if (value === null || typeof value !== 'object') return value
      const written: Record<string, unknown> = {}
      for (const [name, write] of fields) {
        const inner = write((value as Record<string, unknown>)[name])
        if (inner !== undefined) written[name] = inner
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
  if (schema instanceof z.ZodUnion) return (value) => schema.parse(value)
  return asIs
}

function writerOf(schema: z.core.$ZodType): Writer {
  let writer = writers.get(schema)
  if (!writer) {
    // A placeholder for recursive shapes.
    writers.set(schema, (value) => (writer as Writer)(value))
    writer = make(schema)
    writers.set(schema, writer)
  }
  return writer
}

export const serialize = (schema: z.ZodType, value: unknown): unknown => writerOf(schema)(value)
