// One route as an OpenAPI operation: parameters, body, answers and their names.
import type { FileLimits, Route } from '../kit/route.ts'
import { saidBy } from '../kit/surface.ts'
import { audiencesOf } from './audiences.ts'
import { headerParametersOf, headersOf } from './headers.ts'
import { answerNameOf, bodyNameOf, operationIdOf } from './names.ts'
import { pathParameterDescription, queryParameterDescription } from './parameters.ts'
import { pageContent, refusalsOf } from './refusals.ts'
import { type Components, isJson, type Json, namedBy, refTo, schemaOf } from './schemas.ts'
import { accessOf, securityOf } from './security.ts'
import { tagOf } from './tags.ts'

const filesOf = ({ field, files_max, bytes_max }: FileLimits): Json => ({
  type: 'object',
  properties: {
    [field]: {
      type: 'array',
      description: `Files of ${bytes_max / 1024 / 1024} MiB at most each.`,
      minItems: 1,
      maxItems: files_max,
      items: { type: 'string', format: 'binary' },
    },
  },
  required: [field],
  additionalProperties: false,
})

/**
 * A body is closed: its own fields and, for a record, the fields that cannot be written, so that a record that was read
 * can be sent back. Null for a body that must be empty.
 */
function bodyOf(route: Route, components: Components): Json | null {
  const whole = schemaOf(route.body as NonNullable<Route['body']>, 'input', components, route.surface)
  const own = isJson(whole.properties) ? whole.properties : {}
  const writes = route.method === 'PUT' || route.status === 201
  if (!writes && Object.keys(own).length === 0) return null
  const record = writes && route.record ? schemaOf(route.record, 'output', components, route.surface) : {}
  const { properties: answered = {} } = components[namedBy(record) ?? ''] ?? record
  const repeated = (name: string) =>
    [route.repeats[name], name === 'id' ? undefined : name].find(
      (one) => one && route.parameters.includes(one) && !route.textParameters.includes(one),
    )
  const ignored = Object.entries(answered as Json)
    .filter(([name]) => !(name in own))
    .map(([name, schema]) => {
      const description = repeated(name)
        ? `Must equal the path parameter \`${repeated(name)}\`, if it is sent.`
        : 'Ignored.'
      return [name, { ...(schema as Json), readOnly: true, description }]
    })
  return { ...whole, properties: { ...own, ...Object.fromEntries(ignored) }, additionalProperties: false }
}

function requestBodyOf(route: Route, components: Components, example: unknown): Json {
  const { upload, message, body } = route
  const { unparsed } = route.request
  if (message)
    return {
      requestBody: {
        required: true,
        content: { [message.type]: { schema: { type: 'string', maxLength: message.bytes_max } } },
      },
    }
  if (upload) {
    components[bodyNameOf(route)] = filesOf(upload)
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema: refTo(bodyNameOf(route)) } } } }
  }
  const closed = body && bodyOf(route, components)
  if (closed) {
    components[bodyNameOf(route)] = closed
    const content = { schema: refTo(bodyNameOf(route)), ...(example === undefined ? {} : { example }) }
    return { requestBody: { required: !body.safeParse({}).success, content: { 'application/json': content } } }
  }
  // Mail clients send what they like with a one-click link.
  if (unparsed && route.may === 'member-link')
    return { requestBody: { required: false, content: { '*/*': { schema: {} } } } }
  return unparsed
    ? { requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } } }
    : {}
}

function parametersOf(route: Route, components: Components): Json[] {
  const query = (route.query ? schemaOf(route.query, 'input', components, route.surface) : {}) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return [
    ...route.parameters.map((name) => ({
      name,
      in: 'path',
      required: true,
      description: pathParameterDescription(route, name),
      schema: route.textParameters.includes(name) ? { type: 'string' } : { type: 'string', format: 'uuid' },
    })),
    ...Object.entries(query.properties ?? {}).map(([name, schema]) => ({
      name,
      in: 'query',
      required: query.required?.includes(name) ?? false,
      description: queryParameterDescription(route, name, schema),
      schema,
    })),
    ...headerParametersOf(route),
  ]
}

const descriptions: Record<number, string> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  206: 'Partial Content',
  303: 'See Other',
  304: 'Not Modified',
  416: 'Range Not Satisfiable',
}

function responsesOf(route: Route, components: Components, refusals: ReadonlyMap<string, string>): Json {
  const { types, page, tagged } = route.answers
  const named = (name: string, schema: Json): Json => {
    if (typeof schema.$ref === 'string') return schema
    components[name] = schema
    return refTo(name)
  }
  const json: Json = route.out
    ? {
        'application/json': {
          schema: named(answerNameOf(route, route.out), schemaOf(route.out, 'output', components, route.surface)),
        },
      }
    : {}
  const bytes = (types ?? []).map((type) => [type, { schema: { type: 'string', format: 'binary' } }])
  const content: Json = route.out ? { ...json, ...(page ? pageContent : {}) } : Object.fromEntries(bytes)
  const answer = (status: number, what?: Json, description = descriptions[status] ?? '') => [
    String(status),
    {
      description,
      headers: headersOf(route, status),
      ...(what && Object.keys(what).length > 0 ? { content: what } : {}),
    },
  ]
  return Object.fromEntries([
    ...route.statuses.filter((status) => status < 400).map((status) => answer(status, status < 300 ? content : {})),
    ...refusalsOf(route, refusals, json),
    ...(types ? [answer(206, content), answer(304), answer(416)] : []),
    ...(tagged ? [answer(304)] : []),
  ])
}

export function operationOf(
  route: Route,
  components: Components,
  refusals: ReadonlyMap<string, string>,
  example: unknown,
): Json {
  const said = (text: string) => saidBy(route, text)
  return {
    operationId: operationIdOf(route),
    summary: said(route.summary),
    description: [route.description && said(route.description), said(accessOf(route))].filter(Boolean).join('\n\n'),
    'x-access': route.may,
    'x-audiences': audiencesOf(route),
    ...(route.request.while ? { 'x-while': { status: route.request.while } } : {}),
    tags: [tagOf(route.path)],
    security: securityOf(route),
    parameters: parametersOf(route, components),
    ...requestBodyOf(route, components, example),
    responses: responsesOf(route, components, refusals),
  }
}
