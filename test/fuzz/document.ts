// What the API promises, read from its own document and from nothing else.

export type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  propertyNames?: Schema
  readOnly?: boolean
}

export type Parameter = { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema }
type Content = Record<string, { schema: Schema }>
type Header = { required?: boolean; schema: Schema }
/** `at`: where its content stands in the document. */
export type Response = {
  description: string
  content?: Content
  headers?: Record<string, Header>
  'x-problem-codes'?: string[]
  at: string[]
}
type Declared = {
  summary: string
  'x-access': string
  parameters: (Parameter | { $ref: string })[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Response | { $ref: string }>
}

export type Document = {
  openapi: string
  paths: Record<string, Record<string, Declared>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> }
}

export type Operation = {
  /** `POST /v1/stores/{storeId}/products` */
  name: string
  method: string
  path: string
  /** Every method of its path. */
  methods: string[]
  /** Who it is for, as its description says: `admin`, `visitor`, … */
  needs: string
  parameters: Parameter[]
  body: { type: string; schema: Schema; required: boolean } | null
  /** Of its body, and of all bodies that change the same record. */
  fields: string[]
  responses: Record<string, Response>
}

/** Whether a route also answers at the addresses of another: `carts/{id}` at `carts/current`. */
function answersAt(route: string, path: string): boolean {
  const [own, other] = [route.split('/'), path.split('/')]
  return own.length === other.length && own.every((part, at) => part.startsWith('{') || part === other[at])
}

const contentOf = (one: Declared | undefined, schemas: Record<string, Schema>): Schema =>
  resolve(Object.values(one?.requestBody?.content ?? {})[0]?.schema ?? {}, schemas)

export const operationsOf = ({ paths, components }: Document): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, declared]): Operation => {
      const [content] = Object.entries(declared.requestBody?.content ?? {})
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        methods: Object.entries(paths).flatMap(([other, more]) =>
          answersAt(other, path) ? Object.keys(more).map((one) => one.toUpperCase()) : [],
        ),
        needs: declared['x-access'],
        parameters: declared.parameters.filter((one) => 'name' in one),
        body: content
          ? { type: content[0], schema: content[1].schema, required: declared.requestBody?.required ?? false }
          : null,
        fields: [declared, ...Object.values(paths[path.replace(/\}\/[^{}]*$/, '}')] ?? {})].flatMap((one) =>
          Object.keys(contentOf(one, components.schemas).properties ?? {}),
        ),
        responses: Object.fromEntries(
          Object.entries(declared.responses).map(([status, response]) => {
            const name = '$ref' in response ? (response.$ref.split('/').at(-1) as string) : null
            return [
              status,
              name
                ? { ...(components.responses[name] as Response), at: ['components', 'responses', name] }
                : { ...(response as Response), at: ['paths', path, method, 'responses', status] },
            ]
          }),
        ),
      }
    }),
  )

/** A path without its parameters' names: `/v1/stores/{storeId}` becomes `/v1/stores/{}`. */
export const templateOf = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}')

const singular = (resource: string): string =>
  resource
    .replaceAll('-', '_')
    .replace(/ies$/, 'y')
    .replace(/([^s])s$/, '$1')

/**
 * What a parameter names, in the words of the fields: `{orderId}` and the `{id}` of `orders/{id}` are an `order_id`.
 */
export function namedBy(path: string, parameter: string): string {
  const resource = path.split(`/{${parameter}}`)[0]?.split('/').at(-1) ?? ''
  if (parameter === 'key') return `${singular(resource)}_key`
  if (parameter !== 'id') return parameter.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return idOf(resource)
}

/** `orders` → `order_id` */
export const idOf = (resource: string, field = 'id'): string => `${singular(resource)}_${field}`

/** The schema behind a reference. */
export function resolve(schema: Schema, schemas: Record<string, Schema>): Schema {
  return schema.$ref ? resolve(schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {}, schemas) : schema
}
