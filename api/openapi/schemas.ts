// Zod shapes as JSON schemas. A named shape becomes one component, in constructs that client generators support.
import { z } from 'zod'
import { openFieldsOf } from '../../rules/open-answers.ts'
import {
  camel,
  declaredNames,
  fieldsOf,
  outwardWords,
  type Surface,
  saidOn,
  unwrapped,
  wordSpelling,
} from '../../rules/spelling.ts'
import { declarationOf } from '../kit/declared.ts'
import { businessSchemaName } from './names.ts'
import { portable } from './patterns.ts'

export type Json = Record<string, unknown>
type Io = 'input' | 'output'

export const isJson = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const prefix = '#/components/schemas/'
export const refTo = (name: string): Json => ({ $ref: `${prefix}${name}` })
export const namedBy = (value: Json): string | undefined =>
  typeof value.$ref === 'string' ? value.$ref.slice(prefix.length) : undefined

/** Replaces every nested object, innermost first, by the result of `change`. `name` is the key of the object. */
export function mapped(value: unknown, change: (one: Json, name?: string) => Json, name?: string): unknown {
  if (Array.isArray(value)) return value.map((one) => mapped(one, change, name))
  if (!isJson(value)) return value
  return change(
    Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapped(inner, change, key)])),
    name,
  )
}

/** Drops a pattern beside a format, which implies it, and marks integers beyond 32 bits. */
function simplified(schema: Json): Json {
  const { pattern, ...rest } = schema
  if (schema.type === 'integer' && !('format' in schema) && Number(schema.maximum ?? Infinity) > 2_147_483_647)
    rest.format = 'int64'
  if (typeof pattern !== 'string') return isJson(pattern) ? { ...rest, pattern } : rest
  return typeof schema.format === 'string' ? rest : { ...rest, pattern: portable(pattern) }
}

/** Drops the bounds of an integer that has no others than those of safe integers: tools would make examples of them. */
function withoutSafeBounds(schema: Json): Json {
  const { minimum, maximum, ...rest } = schema
  return minimum === Number.MIN_SAFE_INTEGER && maximum === Number.MAX_SAFE_INTEGER ? rest : schema
}

const isBare = (schema: unknown): schema is Json =>
  isJson(schema) &&
  [schema.type].flat()[0] === 'string' &&
  Object.keys(schema).every((key) => ['type', 'description'].includes(key))
const isOurs = (name: string) =>
  /^(id|\w+_ids?|\w+Ids?)$/.test(name) &&
  !/^(provider_\w+_id|provider[A-Z]\w*Id|request_id|requestId|shipping_method_id|shippingMethodId)$/.test(name)

/**
 * A plain string called `id` or `…_id` in an answer is an identifier of ours, a UUID. Identifiers of third parties are
 * named after them (`provider_…`) or have constraints.
 */
function identified(schema: Json): Json {
  if (!isJson(schema.properties)) return schema
  const uuid = (one: unknown): unknown => {
    if (isBare(one)) return { ...one, format: 'uuid' }
    if (isJson(one) && Array.isArray(one.anyOf)) return { ...one, anyOf: one.anyOf.map(uuid) }
    return isJson(one) && one.type === 'array' ? { ...one, items: uuid(one.items) } : one
  }
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([name, one]) => [name, isOurs(name) ? uuid(one) : one]),
    ),
  }
}

export type Components = Record<string, Json>

/** The enum of a field or of the items of a list. */
function enumIn(shape: z.core.$ZodType): z.ZodEnum | undefined {
  if (shape instanceof z.ZodEnum) return shape
  const inner = shape instanceof z.ZodArray ? shape.element : unwrapped(shape, 'in')
  return inner && enumIn(inner)
}

/** Names and words of one schema, as the business surface spells them. */
function respell(shape: z.core.$ZodType, schema: Json): void {
  const spell = wordSpelling(shape)
  if (spell && Array.isArray(schema.enum)) schema.enum = schema.enum.map(spell)
  if (spell && typeof schema.const === 'string') schema.const = spell(schema.const)
  const words = enumIn(shape)
  if (words && typeof schema.description === 'string') schema.description = outwardWords(schema.description, words)
  if (!(fieldsOf(shape) ?? openFieldsOf(shape)) || !isJson(schema.properties)) return
  schema.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [camel(name), one]))
  if (Array.isArray(schema.required)) schema.required = schema.required.map(camel)
}

/**
 * The schema of a shape; named shapes in it are added to `components`. Input and output under one name may differ, for
 * example by defaults: the input is called `…Input` until `unified` finds both equal. `names`: the surface that spells
 * the names, if it is not the one whose texts are said.
 */
export function schemaOf(
  shape: z.ZodType,
  io: Io,
  components: Components,
  surface: Surface = 'store',
  names: Surface = surface,
): Json {
  const isBusiness = names === 'business'
  const nameOf = (id: string) => `${isBusiness ? businessSchemaName(id) : id}${io === 'input' ? 'Input' : ''}`
  const declared = isBusiness ? declaredNames(shape) : new Set<string>()
  const made = z.toJSONSchema(shape, {
    io,
    unrepresentable: 'throw',
    target: 'draft-2020-12',
    override({ zodSchema, jsonSchema }) {
      if (isBusiness) respell(zodSchema, jsonSchema as Json)
      // Fields that are sent beside a caller's own, such as those of settings, are spelled alike on both surfaces, with
      // all that is in them.
      const isKept =
        isBusiness &&
        io === 'input' &&
        zodSchema instanceof z.ZodObject &&
        !(fieldsOf(zodSchema) ?? openFieldsOf(zodSchema))
      const other = isKept ? zodSchema : declarationOf(zodSchema)
      if (!other) return
      for (const key of Object.keys(jsonSchema)) if (key !== 'description') delete jsonSchema[key]
      Object.assign(jsonSchema, schemaOf(other, io, components, surface, isKept ? 'store' : names))
    },
  })
  const { $schema: _, $defs, ...whole } = made as Json & { $defs?: Record<string, Json> }
  const tidy = (value: Json, texts = names): Json =>
    mapped(value, (one) => {
      // zod repeats a shape's name inside it.
      const { id, ...rest } = one
      const schema = typeof id === 'string' ? rest : one
      const linked =
        typeof schema.$ref === 'string' && schema.$ref.startsWith('#/$defs/')
          ? { ...schema, $ref: `${prefix}${nameOf(schema.$ref.slice('#/$defs/'.length))}` }
          : schema
      const said =
        typeof linked.description === 'string'
          ? { ...linked, description: saidOn(texts, linked.description, declared) }
          : linked
      const tidied = simplified(said)
      return io === 'output' ? identified(withoutSafeBounds(tidied)) : tidied
    }) as Json
  for (const [name, definition] of Object.entries($defs ?? {})) components[nameOf(name)] ??= tidy(definition)
  const name = z.globalRegistry.get(shape)?.id
  if (!name) return tidy(whole, surface)
  components[nameOf(name)] ??= tidy(whole)
  return refTo(nameOf(name))
}

/** Merges `…Input` with the output of the same name if both are equal. */
export function unified<T>(document: T, components: Components): { document: T; components: Components } {
  const bare = (name: string) => name.replace(/Input$/, '')
  const taken = Object.keys(components).filter((name) => name.endsWith('Input'))
  const same = new Set(taken)
  const rename = (name: string) => (same.has(name) ? bare(name) : name)
  const reference = /"#\/components\/schemas\/(\w+)"/g
  const renamed = <V>(value: V): V =>
    JSON.parse(JSON.stringify(value).replaceAll(reference, (_, name: string) => `"${prefix}${rename(name)}"`))
  for (let before = -1; before !== same.size; ) {
    before = same.size
    for (const name of same) {
      const answered = components[bare(name)]
      if (answered && JSON.stringify(renamed(answered)) !== JSON.stringify(renamed(components[name]))) same.delete(name)
    }
  }
  return {
    document: renamed(document),
    components: Object.fromEntries(Object.entries(components).map(([name, schema]) => [rename(name), renamed(schema)])),
  }
}
