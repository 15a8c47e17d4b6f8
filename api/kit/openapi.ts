// Derives /openapi.json (3.1) from the routes. Its parts are in openapi/.
import { Problem } from './answer/shapes.ts'
import { webhooksOf } from './openapi/events.ts'
import { headers, parameters } from './openapi/headers.ts'
import { info, servers } from './openapi/info.ts'
import { operationOf } from './openapi/operations.ts'
import { problemSchemas, sharedRefusals } from './openapi/refusals.ts'
import { type Components, type Json, schemaOf, unified } from './openapi/schemas.ts'
import { securitySchemes } from './openapi/security.ts'
import { tagsOf } from './openapi/tags.ts'
import { nameUnions } from './openapi/unions.ts'
import type { Route } from './route.ts'

/** `examples`: from the spec of a route (`POST /v1/stores`) to an example body. */
export function documentOf(routes: readonly Route[], examples: Readonly<Record<string, unknown>> = {}): Json {
  const made: Components = {}
  schemaOf(Problem, 'output', made)
  Object.assign(made, problemSchemas(made.Problem as Json))
  const { responses, names } = sharedRefusals(routes)
  const operations: Record<string, Json> = {}
  for (const route of routes)
    operations[route.path] = {
      ...operations[route.path],
      [route.method.toLowerCase()]: operationOf(route, made, names, examples[route.spec]),
    }
  const events = webhooksOf((shape, surface) => schemaOf(shape, 'output', made, surface))
  nameUnions(made)
  const {
    document: { paths, webhooks },
    components,
  } = unified({ paths: operations, webhooks: events }, made)
  return {
    openapi: '3.1.1',
    info,
    servers,
    tags: tagsOf(routes.map(({ path }) => path)),
    paths,
    webhooks,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses,
      headers,
      parameters,
      securitySchemes,
    },
  }
}
