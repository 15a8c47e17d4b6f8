// The data of an event as a test sends it: every declared field, of its type, without content.
import { z } from 'zod'
import { unwrapped } from '../spelling.ts'

const id = '00000000-0000-7000-8000-000000000000'

/**
 * A value of the shape: null and empty lists where they are allowed, the first of several alternatives and words, 0,
 * and ids of zeros.
 */
export function sampleOf(schema: z.core.$ZodType, name = ''): unknown {
  if (schema instanceof z.ZodNullable) return null
  const inner = unwrapped(schema, 'out')
  if (inner) return sampleOf(inner, name)
  if (schema instanceof z.ZodUnion) return sampleOf(schema.options[0] as z.core.$ZodType, name)
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(Object.entries(schema.shape).map(([key, field]) => [key, sampleOf(field, key)]))
  if (schema instanceof z.ZodArray) return []
  if (schema instanceof z.ZodLiteral) return schema.value
  if (schema instanceof z.ZodEnum) return schema.options[0]
  if (schema instanceof z.ZodNumber) return 0
  if (schema instanceof z.ZodBoolean) return false
  if (schema instanceof z.ZodString) return /(^|_)id$/.test(name) ? id : ''
  return {}
}
