// What a schema of the OpenAPI document says about a value: its kind, whether it may be null, how it is written.

export type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  propertyNames?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  discriminator?: { propertyName: string }
  enum?: (string | number | boolean | null)[]
  const?: string | number | boolean | null
  $ref?: string
  format?: string
  pattern?: string
  description?: string
  readOnly?: boolean
  default?: unknown
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  example?: unknown
  /** Of a list: whole lists, whose entries a form offers. */
  examples?: Record<string, unknown>[][]
}
export type Schemas = Readonly<Record<string, Schema>>

export type Shape =
  | { kind: 'time' | 'money' | 'share' | 'bytes' | 'id' | 'boolean' | 'any' | 'free' }
  | { kind: 'number'; isInteger: boolean; values?: readonly number[] }
  | { kind: 'choice'; values: readonly (string | number)[] }
  | { kind: 'text'; isLong: boolean; isSecret: boolean; format: string | undefined }
  | { kind: 'list'; item: Schema }
  | { kind: 'map'; value: Schema }
  | { kind: 'object'; properties: Readonly<Record<string, Schema>>; required: readonly string[]; isOpen: boolean }
  | { kind: 'union'; options: readonly Option[]; by: string | undefined }

export type Option = { label: string; schema: Schema; constant: string | undefined }
export type Value = { shape: Shape; isNullable: boolean; description: string; schema: Schema }

const prefix = '#/components/schemas/'
export const nameOf = (schema: Schema | undefined): string | undefined => schema?.$ref?.slice(prefix.length)

/** The schema itself, with the description and the marks that stand beside its reference. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  if (!schema.$ref) return schema
  const { $ref: _, ...beside } = schema
  return { ...resolved(schemas[nameOf(schema) ?? ''] ?? {}, schemas), ...beside }
}

const isNull = (schema: Schema) => schema.type === 'null' || schema.const === null

/** Without null, and whether null is allowed. Alternatives of one primitive type are that type. */
function withoutNull(schema: Schema, schemas: Schemas): { schema: Schema; isNullable: boolean } {
  const whole = resolved(schema, schemas)
  if (Array.isArray(whole.type)) {
    const types = whole.type.filter((type) => type !== 'null')
    return {
      schema: { ...whole, type: types.length === 1 ? (types[0] as string) : types },
      isNullable: types.length < whole.type.length,
    }
  }
  const alternatives = whole.anyOf ?? whole.oneOf
  if (!alternatives) return { schema: whole, isNullable: false }
  const others = alternatives.filter((one) => !isNull(resolved(one, schemas)))
  const isNullable = others.length < alternatives.length
  const { anyOf: _, oneOf: __, ...rest } = whole
  if (others.length === 1) {
    const inner = withoutNull(others[0] as Schema, schemas)
    return { schema: { ...inner.schema, ...rest }, isNullable: isNullable || inner.isNullable }
  }
  const types = new Set(others.map((one) => resolved(one, schemas).type))
  const [type] = types
  if (types.size === 1 && typeof type === 'string' && !['object', 'array'].includes(type)) {
    const enums = others.map((one) => resolved(one, schemas))
    const values = enums.every((one) => one.enum ?? one.const !== undefined)
      ? enums.flatMap((one) => one.enum ?? [one.const as string])
      : undefined
    return { schema: { ...rest, type, ...(values ? { enum: values } : {}) }, isNullable }
  }
  return { schema: { ...rest, oneOf: others }, isNullable }
}

const constantIn = (schema: Schema, name: string, schemas: Schemas): string | undefined => {
  const property = resolved(schema, schemas).properties?.[name]
  const known = property && resolved(property, schemas)
  const constant = known?.const ?? (known?.enum?.length === 1 ? known.enum[0] : undefined)
  return constant === undefined || constant === null ? undefined : String(constant)
}

/** The property that tells the alternatives apart: the discriminator, or one that is a constant in each of them. */
function tellingProperty(schema: Schema, options: readonly Schema[], schemas: Schemas): string | undefined {
  if (schema.discriminator) return schema.discriminator.propertyName
  const names = Object.keys(resolved(options[0] ?? {}, schemas).properties ?? {})
  return names.find((name) => {
    const constants = options.map((option) => constantIn(option, name, schemas))
    return !constants.includes(undefined) && new Set(constants).size === constants.length
  })
}

/** What people call the types of accounts of networks. */
const networks = {
  network_a_page: 'Facebook page',
  network_b_business: 'Instagram account',
  network_c_channel: 'YouTube channel',
  network_d_account: 'X account',
  network_e_account: 'Threads account',
}
type NetworkType = keyof typeof networks
export const isNetwork = (text: unknown): text is NetworkType => Object.hasOwn(networks, String(text))

/** `CreateProductBody` → Create product body; `created_at` → Created at; `taxMode` → Tax mode. */
export function wordsOf(name: string): string {
  const known = name.toLowerCase()
  if (isNetwork(known)) return networks[known]
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .replace(/(?<=[a-z]{3})(?=\d$)/, ' ')
    .trim()
    .toLowerCase()
    .replace(/\b(id|ids|url|urls|sku|smtp|imap|api|ip|html|utc|json|http|dns)\b/g, (word) =>
      word === 'ids' ? 'IDs' : word === 'urls' ? 'URLs' : word.toUpperCase(),
    )
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A field as people say it: the contact, not its id; paid, not paid at. */
export function fieldName(name: string, { shape }: Pick<Value, 'shape'>): string {
  const item = shape.kind === 'list' ? 'list' : shape.kind
  if (item === 'share') return wordsOf(name.replace(/_?bps$/i, '_rate'))
  if (item === 'id' || item === 'list')
    return wordsOf(
      name
        .replace(/(?<=.)(_id|Id)(s?)$/, '$2')
        .replace(/(x|ch|ss)s$/, '$1es')
        .replace(/([^aeiou])ys$/, '$1ies'),
    )
  return wordsOf(item === 'time' ? name.replace(/(?<=.)(_at|At)(?=$|_from$|_to$|From$|To$)/, '') : name)
}

/** Without the marks of code, which texts for programmers have. */
export const plainText = (text: string): string => text.replaceAll('`', '')

const route = /`?(?:\b(?:GET|POST|PUT|DELETE) )?\/v1\/[^\s`,;)]*`?/
const isOfPrograms = (sentence: string) => route.test(sentence) || /`[^`]*[{}][^`]*`/.test(sentence)

/**
 * For operators: without sentences about requests, and `needs_reconnect` as words. A text that says nothing else names
 * the API in place of the route.
 */
export function peopleText(text: string): string {
  const sentences = text.split(/(?<=[.!?])\s+/).filter((sentence) => !isOfPrograms(sentence))
  const said = sentences.length > 0 ? sentences.join(' ') : text.replaceAll(new RegExp(route, 'g'), 'the API')
  const worded = said.replaceAll(/`[a-z]+(_[a-z]+)+`/g, (name) => name.replaceAll('_', ' '))
  return plainText(worded.charAt(0).toUpperCase() + worded.slice(1))
}

function optionsOf(schema: Schema, schemas: Schemas): { options: Option[]; by: string | undefined } {
  const alternatives = schema.oneOf ?? schema.anyOf ?? []
  const by = tellingProperty(schema, alternatives, schemas)
  const options = alternatives.map((one, at) => {
    const constant = by === undefined ? undefined : constantIn(one, by, schemas)
    const { type, items } = resolved(one, schemas)
    const plain =
      type === 'array' ? `List of ${wordsOf(nameOf(items) ?? 'values').toLowerCase()}` : String(type ?? at + 1)
    return { label: wordsOf(constant ?? nameOf(one) ?? plain), schema: one, constant }
  })
  return { options, by }
}

const longNames = /^(body|text|html|message|prompt|goal|description|note|notes|content|caption|code|expression)$/i
const secretNames = /(password|secret|api_?key|private_?key|access_?key|token)$/i

const isPlainObject = (schema: Schema) =>
  schema.properties && Object.values(schema.properties).length > 0 ? schema.properties : undefined

function objectShape(schema: Schema): Shape {
  const properties = isPlainObject(schema)
  const { additionalProperties: others } = schema
  if (properties)
    return {
      kind: 'object',
      properties,
      required: schema.required ?? [],
      isOpen: others !== false && others !== undefined,
    }
  if (others !== null && typeof others === 'object' && Object.keys(others).length > 0)
    return { kind: 'map', value: others }
  return others === false ? { kind: 'object', properties: {}, required: [], isOpen: false } : { kind: 'free' }
}

function stringShape(name: string, schema: Schema, description: string): Shape {
  if (schema.format === 'uuid') return { kind: 'id' }
  const isSecret = /write-only/i.test(description)
    ? !/url/i.test(name)
    : secretNames.test(name) && schema.minLength !== undefined
  const isLong = (longNames.test(name) && (schema.maxLength ?? 1000) > 255) || (schema.maxLength ?? 0) > 2000
  return {
    kind: 'text',
    isLong: isLong && schema.format !== 'uri' && !/url|cursor/i.test(name),
    isSecret,
    format: schema.format,
  }
}

function numberShape(schema: Schema, description: string): Shape {
  const isInteger = schema.type === 'integer'
  if (isInteger && /unix seconds/i.test(description)) return { kind: 'time' }
  if (isInteger && /minor units?/i.test(description)) return { kind: 'money' }
  if (isInteger && /basis points/i.test(description)) return { kind: 'share' }
  if (isInteger && /\bin bytes\b/i.test(description)) return { kind: 'bytes' }
  return { kind: 'number', isInteger }
}

function shapeOf(name: string, schema: Schema, schemas: Schemas, description: string): Shape {
  if (schema.const !== undefined && schema.const !== null) return { kind: 'choice', values: [String(schema.const)] }
  if (schema.enum)
    return { kind: 'choice', values: schema.enum.filter((one) => typeof one !== 'boolean' && one !== null) as string[] }
  if (schema.oneOf ?? schema.anyOf) return { kind: 'union', ...optionsOf(schema, schemas) }
  switch (schema.type) {
    case 'string':
      return stringShape(name, schema, description)
    case 'integer':
    case 'number':
      return numberShape(schema, description)
    case 'boolean':
      return { kind: 'boolean' }
    case 'array':
      return { kind: 'list', item: schema.items ?? {} }
    case 'object':
      return objectShape(schema)
    default:
      return { kind: 'any' }
  }
}

/**
 * `name`: the property that holds the value; a time of a body that ignores it has no other description than its name.
 */
export function describe(name: string, given: Schema, schemas: Schemas): Value {
  const { schema, isNullable } = withoutNull(given, schemas)
  const description = given.description ?? schema.description ?? ''
  return { shape: shapeOf(name, schema, schemas, description), isNullable, description, schema }
}

/** The properties of an object, references resolved; none of anything else. */
export const propertiesOf = (schema: Schema | undefined, schemas: Schemas): Readonly<Record<string, Schema>> =>
  schema ? (withoutNull(schema, schemas).schema.properties ?? {}) : {}
