// Derives /openapi.json (OpenAPI 3.1) from the routes; each of its parts is a file of this folder.
import { Problem } from '../kit/answer/shapes.ts'
import type { Route } from '../kit/route.ts'
import { webhooksOf } from './events.ts'
import { headers, parameters } from './headers.ts'
import { info, servers } from './info.ts'
import { operationOf } from './operations.ts'
import { problemSchemas, sharedRefusals } from './refusals.ts'
import { type Components, type Json, schemaOf, unified } from './schemas.ts'
import { securitySchemes } from './security.ts'
import { tagsOf } from './tags.ts'
import { nameUnions } from './unions.ts'

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
