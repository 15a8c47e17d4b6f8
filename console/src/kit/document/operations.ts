// The operations of the OpenAPI document, as far as a console offers them: what an operator of any role may call.
import { nameOf, plainText, propertiesOf, type Schema, type Schemas } from './schema.ts'

export type Parameter = { name: string; in: string; required: boolean; description: string; schema: Schema }
type RawOperation = {
  operationId: string
  summary: string
  description?: string
  'x-access': Access
  'x-while'?: { status: string[] }
  tags: string[]
  parameters: (Parameter | { $ref: string })[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema; example?: unknown }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}
export type OpenApi = {
  paths: Record<string, Record<string, RawOperation>>
  tags: { name: string; description: string }[]
  components: { schemas: Schemas }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Role = 'admin' | 'owner' | 'super'
export type Access =
  | Role
  | 'account'
  | 'platform'
  | 'customer'
  | 'public'
  | 'visitor'
  | 'verified'
  | 'member-link'
  | 'secret'

export type Operation = {
  /** As the typed client names it: `GET /v1/stores`. */
  spec: string
  method: Method
  path: string
  id: string
  summary: string
  description: string
  access: Access
  /** Values of the record's `status` with which the operation may succeed; any if undefined. */
  whileStatus: readonly string[] | undefined
  tag: string
  /** Names of the path parameters, from left to right. */
  params: readonly string[]
  query: readonly Parameter[]
  takesKey: boolean
  body: Schema | undefined
  example: unknown
  /** The field of a multipart form that takes files. */
  files: string | undefined
  answer: Schema | undefined
  /** The schema of the records of a list. */
  item: Schema | undefined
  /** Whether the list is in `items`, with a cursor where it has pages. */
  page: 'cursor' | 'whole' | 'array' | undefined
}

const offered = new Set<Access>(['admin', 'owner', 'super', 'account', 'platform', 'customer'])

/** Routes without a credential are for visitors, but the countries, which forms of addresses name. */
const isOffered = (path: string, access: Access) =>
  offered.has(access) || (access === 'public' && path.startsWith('/v1/platform/'))

const success = (responses: RawOperation['responses']) =>
  Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content?.['application/json']?.schema

function listIn(answer: Schema | undefined, method: string, schemas: Schemas): Pick<Operation, 'item' | 'page'> {
  const none = { item: undefined, page: undefined }
  if (method !== 'GET' || !answer) return none
  const whole = answer.$ref ? schemas[nameOf(answer) ?? ''] : answer
  if (whole?.type === 'array') return { item: whole.items, page: 'array' }
  const { items, cursor, id } = propertiesOf(answer, schemas)
  // A record may have items of its own, as a shipment does.
  return items?.items && !id ? { item: items.items, page: cursor ? 'cursor' : 'whole' } : none
}

function operationOf(path: string, method: string, raw: RawOperation, schemas: Schemas): Operation {
  const parameters = raw.parameters
    .filter((one): one is Parameter => !('$ref' in one))
    .map((one) => ({ ...one, description: plainText(one.description) }))
  const content = raw.requestBody?.content ?? {}
  const json = content['application/json']
  const form = content['multipart/form-data']?.schema
  const answer = success(raw.responses)
  return {
    spec: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase() as Method,
    path,
    id: raw.operationId,
    summary: plainText(raw.summary),
    description: (raw.description ?? '').replace(/\n\nAccess: .*$/s, '').replace(/^Access: .*$/s, ''),
    access: raw['x-access'],
    whileStatus: raw['x-while']?.status,
    tag: raw.tags[0] ?? '',
    params: parameters.filter((one) => one.in === 'path').map((one) => one.name),
    query: parameters.filter((one) => one.in === 'query'),
    takesKey: parameters.some((one) => one.in === 'header' && one.name === 'Idempotency-Key'),
    body: json?.schema,
    example: json?.example,
    files: form && Object.keys(propertiesOf(form, schemas))[0],
    answer,
    ...listIn(answer, method.toUpperCase(), schemas),
  }
}

export function operationsOf({ paths, components }: OpenApi): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, raw]) => isOffered(path, raw['x-access']) && raw.tags[0] !== 'Sign-in')
      .map(([method, raw]) => operationOf(path, method, raw, components.schemas)),
  )
}

const ranks: Record<string, number> = { customer: 1, admin: 1, owner: 2, super: 3 }

/** `role`: the caller's in the tenant at hand; undefined outside of one. */
export function isAllowed(access: Access, role: Role | undefined, isPlatform: boolean): boolean {
  if (access === 'platform') return isPlatform
  const needed = ranks[access]
  return needed === undefined || (role !== undefined && (ranks[role] ?? 0) >= needed)
}
