// /openapi.json (3.1) says what the routes declare; nothing is written down a second time.
import { z } from 'zod'
import type { May } from './caller.ts'
import { webhooksOf } from './openapi-events.ts'
import { pathParameterDescription, queryParameterDescription } from './openapi-parameters.ts'
import type { Limits, Route } from './route.ts'
import { Problem } from './shapes.ts'

type Json = Record<string, unknown>

const credentials: Record<May, Json[]> = {
  public: [],
  secret: [],
  visitor: [{ publishableKey: [], visitorToken: [] }],
  verified: [{ publishableKey: [], visitorToken: [] }],
  account: [{ bearer: [] }],
  platform: [{ bearer: [] }],
  admin: [{ bearer: [] }],
  owner: [{ bearer: [] }],
  super: [{ bearer: [] }],
}
/** Where a visitor need not be known, the shop's key alone is enough. */
const securityOf = ({ may, contact }: Route): Json[] =>
  may === 'visitor' && contact !== 'required' ? [{ publishableKey: [] }, ...credentials.visitor] : credentials[may]

/** A schema with the named shapes in it as references to the components of the same direction. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: Json): Json {
  const suffix = io === 'input' ? 'Input' : ''
  const {
    $schema: _,
    $defs,
    ...whole
  } = z.toJSONSchema(schema, { io, unrepresentable: 'throw', target: 'draft-2020-12' }) as Json & { $defs?: Record<string, Json> }
  for (const [name, definition] of Object.entries($defs ?? {})) components[`${name}${suffix}`] ??= relink(definition, suffix)
  const named = z.globalRegistry.get(schema)?.id
  if (!named) return relink(whole, suffix) as Json
  components[`${named}${suffix}`] ??= relink(whole, suffix)
  return { $ref: `#/components/schemas/${named}${suffix}` }
}

function relink(value: unknown, suffix: string): unknown {
  if (Array.isArray(value)) return value.map((one) => relink(one, suffix))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'id' || !('properties' in value || 'type' in value || 'anyOf' in value) || typeof (value as Json).id !== 'string')
      .map(([key, inner]) => [
        key,
        key === '$ref' && typeof inner === 'string' ? `${inner.replace('#/$defs/', '#/components/schemas/')}${suffix}` : relink(inner, suffix),
      ]),
  )
}

export const operationIdOf = (route: Route): string =>
  `${route.method.toLowerCase()}${route.path
    .replace(/^\/v1/, '')
    .split('/')
    .filter((part) => part !== '')
    .map((part) =>
      part.startsWith('{')
        ? `By${part[1]?.toUpperCase()}${part.slice(2, -1)}`
        : part.replaceAll(/(^|[-_])(\w)/g, (_, __, letter: string) => letter.toUpperCase()),
    )
    .join('')}`

const tagOf = (path: string): string => {
  const parts = path.split('/').filter((part) => part !== '' && !part.startsWith('{'))
  return parts[1] === 'stores'
    ? (parts[2] ?? 'stores')
    : parts[1] === 'storefront'
      ? `storefront ${parts[2] ?? ''}`.trim()
      : (parts[1] ?? parts[0] ?? 'operations')
}

const filesOf = ({ field, files_max, bytes_max }: Limits): Json => ({
  type: 'object',
  properties: {
    [field]: {
      type: 'array',
      description: `each ${bytes_max / 1024 / 1024} MiB at most`,
      minItems: 1,
      maxItems: files_max,
      items: { type: 'string', format: 'binary' },
    },
  },
  required: [field],
  additionalProperties: false,
})

function operation(route: Route, components: Json): Json {
  const query = route.query ? (schemaOf(route.query, 'input', components) as { properties?: Record<string, Json>; required?: string[] }) : {}
  const refused = { description: 'Refused', content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } }
  const known = ['400', '401', ...(securityOf(route).length > 0 ? ['403'] : []), '404', '409', '413', '415', '422', '429', '500', '503']
  const json: Json = route.out ? { 'application/json': { schema: schemaOf(route.out, 'output', components) } } : {}
  const answered = {
    description: 'Done',
    ...(route.answers ? { content: Object.fromEntries(route.answers.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])) } : {}),
    ...(route.out ? { content: json } : {}),
    ...(route.contact === 'created'
      ? { headers: { 'X-Service-Visitor-Token': { description: 'The token of a visitor who had none', schema: { type: 'string' } } } }
      : {}),
  }
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    description: [route.description, `Needs: ${route.may}.`].filter(Boolean).join('\n\n'),
    tags: [tagOf(route.path)],
    security: securityOf(route),
    parameters: [
      ...route.parameters.map((name) => ({
        name,
        in: 'path',
        required: true,
        description: pathParameterDescription(route, name),
        schema: route.words.includes(name) ? { type: 'string' } : { type: 'string', format: 'uuid' },
      })),
      ...Object.entries(query.properties ?? {}).map(([name, schema]) => ({
        name,
        in: 'query',
        required: query.required?.includes(name) ?? false,
        description: queryParameterDescription(name, schema),
        schema,
      })),
    ],
    ...(route.upload ? { requestBody: { required: true, content: { 'multipart/form-data': { schema: filesOf(route.upload) } } } } : {}),
    ...(route.body
      ? { requestBody: { required: !route.body.safeParse({}).success, content: { 'application/json': { schema: schemaOf(route.body, 'input', components) } } } }
      : route.unparsed
        ? { requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } } }
        : {}),
    responses: {
      ...Object.fromEntries([route.status, 200, ...(route.answers ? [206] : [])].map((status) => [String(status), answered])),
      ...Object.fromEntries(known.map((status) => [status, refused])),
      ...Object.fromEntries(route.refusesAs.map((status) => [String(status), { ...refused, content: { ...refused.content, ...json } }])),
      ...(route.answers ? { 304: { description: 'It is still what is known' }, 416: { description: 'There is no such part of it' } } : {}),
    },
  }
}

export function documentOf(routes: readonly Route[]): Json {
  const components: Json = {}
  schemaOf(Problem, 'output', components)
  const webhooks = webhooksOf((shape) => schemaOf(shape, 'output', components))
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    paths[route.path] ??= {}
    Object.assign(paths[route.path] as Json, { [route.method.toLowerCase()]: operation(route, components) })
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Tillwright', version: '1', description: 'Every effect happens once; what cannot be proved is unknown and is never sent again.' },
    servers: [{ url: '/' }],
    paths,
    webhooks,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An access token (twat_…) or an API token (twk_…)' },
        publishableKey: { type: 'apiKey', in: 'header', name: 'X-Service-Publishable-Key' },
        visitorToken: { type: 'apiKey', in: 'header', name: 'X-Service-Visitor-Token' },
      },
    },
  }
}
