// Writes client/api.ts, the types of the client, from api/openapi.json: `npm run openapi`.
// openapi-typescript would do it, but needs the compiler API of TypeScript 5. A keyword that this file does not know is
// an error: no type is guessed.
import fs from 'node:fs'
import type { OpenApi, Operation, Schema } from './openapi.ts'

const checks = `format pattern minLength maxLength minimum maximum exclusiveMinimum minItems maxItems uniqueItems minProperties maxProperties propertyNames default
  example examples title description discriminator readOnly writeOnly deprecated`
const known = new Set([
  'type',
  'enum',
  'const',
  '$ref',
  'anyOf',
  'oneOf',
  'items',
  'properties',
  'required',
  'additionalProperties',
  ...checks.split(/\s+/),
])
const primitives: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}
const isName = (text: string) => /^[A-Za-z_$][\w$]*$/.test(text)
const key = (name: string) => (isName(name) ? name : JSON.stringify(name))
const union = (types: readonly string[]) => [...new Set(types)].join(' | ')

const docOf = (text: string | undefined, indent: string) =>
  text ? `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ')} */\n` : ''

function typeOf(schema: Schema, indent: string): string {
  const strange = Object.keys(schema).filter((keyword) => !known.has(keyword))
  if (strange.length > 0)
    throw new Error(
      `client/generate.ts has no type for ${strange.join(', ')} in ${JSON.stringify(schema).slice(0, 200)}`,
    )
  if (schema.$ref) return schema.$ref.replace('#/components/schemas/', '')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)))
  const options = schema.anyOf ?? schema.oneOf
  if (options) return union(options.map((option) => typeOf(option, indent)))
  if (schema.type === undefined) return 'unknown'
  return union(
    [schema.type]
      .flat()
      .map((type) => primitives[type] ?? (type === 'array' ? arrayOf(schema, indent) : objectOf(schema, indent))),
  )
}

function arrayOf({ items }: Schema, indent: string): string {
  const item = items ? typeOf(items, indent) : 'unknown'
  return isName(item) ? `${item}[]` : `Array<${item}>`
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const fields = Object.entries(properties).map(([name, field]) => {
    const optional = !required.includes(name)
    return `${docOf(field.description, `${indent}  `)}${indent}  ${key(name)}${optional ? '?' : ''}: ${typeOf(field, `${indent}  `)}${optional ? ' | undefined' : ''}\n`
  })
  const others = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown'
  if (fields.length === 0) return additionalProperties === false ? 'Record<string, never>' : `Record<string, ${others}>`
  // An index signature would have to fit the named fields too.
  return `{\n${fields.join('')}${indent}}${additionalProperties === false ? '' : ' & Record<string, unknown>'}`
}

function parametersOf(operation: Operation, place: 'path' | 'query'): string | undefined {
  const fields = operation.parameters.flatMap((parameter) => {
    if ('$ref' in parameter || parameter.in !== place) return []
    const { name, description, schema, required = false } = parameter
    const item = schema.type === 'array' && schema.items ? typeOf(schema.items, '      ') : undefined
    const type = item === undefined ? typeOf(schema, '      ') : `${item} | ReadonlyArray<${item}>`
    return `${docOf(description, '      ')}      ${key(name)}${required ? '' : '?'}: ${type}${required ? '' : ' | null | undefined'}\n`
  })
  return fields.length > 0 ? `{\n${fields.join('')}    }` : undefined
}

const jsonOf = (content: Record<string, { schema: Schema }> | undefined) => content?.['application/json']?.schema

function operationOf(spec: string, operation: Operation): string {
  const success = Object.entries(operation.responses).filter(
    ([status]) => Number(status) >= 200 && Number(status) < 300,
  )
  const answer = success.map(([, response]) => jsonOf(response.content)).find((schema) => schema !== undefined)
  const { requestBody } = operation
  const body = jsonOf(requestBody?.content)
  const isForm = requestBody?.content['multipart/form-data'] !== undefined
  const members = {
    path: parametersOf(operation, 'path'),
    query: parametersOf(operation, 'query'),
    body: body && typeOf(body, '    '),
    form: isForm ? 'FormData' : undefined,
    answer: answer ? typeOf(answer, '    ') : 'unknown',
  }
  const lines = Object.entries(members).flatMap(([name, type]) =>
    type === undefined ? [] : `    ${name}${name === 'body' && !requestBody?.required ? '?' : ''}: ${type}\n`,
  )
  return `${docOf([operation.summary, operation.description].filter(Boolean).join('. '), '  ')}  ${JSON.stringify(spec)}: {\n${lines.join('')}  }\n`
}

/** A body without the fields that only responses have: requests ignore them. */
const writable = ({ properties = {}, ...body }: Schema): Schema => ({
  ...body,
  properties: Object.fromEntries(Object.entries(properties).filter(([, field]) => !field.readOnly)),
})

/** The text of client/api.ts. */
export function typesOf({ paths, components }: OpenApi): string {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => {
    const type = typeOf(name.endsWith('Body') && schema.properties ? writable(schema) : schema, '')
    return `${docOf(schema.description, '')}export type ${name} = ${type}\n`
  })
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationOf(`${method.toUpperCase()} ${path}`, operation)),
  )
  return `// Generated from api/openapi.json by \`npm run openapi\`. Do not edit.\n\n${schemas.join('\n')}\nexport type Operations = {\n${operations.join('')}}\n`
}

const beside = (file: string) => new URL(file, import.meta.url)
if (process.argv[1] === import.meta.filename) {
  const document: OpenApi = JSON.parse(fs.readFileSync(beside('../api/openapi.json'), 'utf8'))
  fs.writeFileSync(beside('api.ts'), typesOf(document))
}
