// Problems of the operations: codes and their meaning by status, and one shared response for operations with equal
// codes.
import { type ProblemStatus, problems } from '../../rules/problems.ts'
import type { Surface } from '../../rules/spelling.ts'
import { titleOf } from '../kit/answer/errors.ts'
import { problemsOf } from '../kit/answer/problems.ts'
import type { Route } from '../kit/route.ts'
import { saidBy } from '../kit/surface.ts'
import { headersOf } from './headers.ts'
import { businessSchemaName, typeName } from './names.ts'
import { type Components, type Json, refTo } from './schemas.ts'

const statuses = Object.keys(problems).map(Number) as ProblemStatus[]
/** `Unprocessable Content` → `UnprocessableContent` */
const phraseOf = (status: ProblemStatus): string => titleOf(status).replaceAll(' ', '')
/** `ConflictProblem` */
const schemaName = (status: ProblemStatus): string => `${phraseOf(status)}Problem`

const abouts: Readonly<Record<number, Readonly<Record<string, string>>>> = problems
const aboutOf = (status: ProblemStatus, code: string): string => abouts[status]?.[code] ?? ''

/** One schema per status: the fields of a problem, and the codes of this status. */
export function problemSchemas(problem: Json): Components {
  const { properties, ...rest } = problem as { properties: Record<string, Json> } & Json
  return Object.fromEntries(
    statuses.map((status) => [
      schemaName(status),
      {
        ...rest,
        description: `A problem with status ${status}.`,
        properties: {
          ...properties,
          status: { ...properties.status, const: status },
          code: { ...properties.code, enum: Object.keys(problems[status]) },
        },
      },
    ]),
  )
}

const responseOf = (route: Route, status: ProblemStatus, codes: ReadonlySet<string>): Json => ({
  description: [
    titleOf(status),
    ...[...codes].map((code) => `- \`${code}\`: ${saidBy(route, aboutOf(status, code))}`),
  ].join('\n'),
  headers: headersOf(route, status),
  content: { 'application/problem+json': { schema: refTo(schemaName(status)) } },
  'x-problem-codes': [...codes],
})

const keyOf = ({ surface }: Route, status: ProblemStatus, codes: ReadonlySet<string>): string =>
  [surface, status, ...codes].join(' ')

type Shared = { responses: Record<string, Json>; names: ReadonlyMap<string, string> }

/** Responses of more than one operation. The most frequent one of a status is named after the status alone. */
export function sharedRefusals(routes: readonly Route[]): Shared {
  const ofStores = sharedOf(routes, 'store')
  const ofBusinesses = sharedOf(routes, 'business')
  const responses = Object.entries({ ...ofStores.responses, ...ofBusinesses.responses }).sort(([a], [b]) =>
    a < b ? -1 : 1,
  )
  return { responses: Object.fromEntries(responses), names: new Map([...ofStores.names, ...ofBusinesses.names]) }
}

function sharedOf(routes: readonly Route[], surface: Surface): Shared {
  const uses = new Map<string, { status: ProblemStatus; codes: ReadonlySet<string>; count: number; response: Json }>()
  for (const route of routes.filter((one) => one.surface === surface && !one.answers.refusal))
    for (const [status, codes] of problemsOf(route)) {
      const key = keyOf(route, status, codes)
      const use = uses.get(key)
      uses.set(key, {
        status,
        codes,
        count: (use?.count ?? 0) + 1,
        response: use?.response ?? responseOf(route, status, codes),
      })
    }
  const shared = [...uses].filter(([, { count }]) => count > 1).sort(([, a], [, b]) => b.count - a.count)
  const usual = new Map(shared.toReversed().map(([, { status, codes }]) => [status, codes]))
  const responses: Record<string, Json> = {}
  const names = new Map<string, string>()
  for (const [key, { status, codes, response }] of shared) {
    const common = usual.get(status) as ReadonlySet<string>
    const others = [...codes].filter((code) => !common.has(code))
    const phrase = surface === 'business' ? businessSchemaName(phraseOf(status)) : phraseOf(status)
    const short = `${phrase}${codes === common ? '' : others.map(typeName).join('') || 'Basic'}`
    const name = short in responses ? `${phrase}${[...codes].map(typeName).join('')}` : short
    responses[name] = response
    names.set(key, name)
  }
  return { responses, names }
}

/** The content of an answer that is a page where `Accept` names HTML. */
export const pageContent: Json = { 'text/html': { schema: { type: 'string' } } }

/** `also`: the content of the statuses that may answer with `out` instead of a problem. */
export function refusalsOf(route: Route, names: ReadonlyMap<string, string>, also: Json): [string, Json][] {
  const withOut = new Set<number>(route.statuses.filter((status) => status >= 400))
  const answered = [...withOut].map((status): [string, Json] => [
    String(status),
    { description: titleOf(status as ProblemStatus), headers: headersOf(route, status), content: also },
  ])
  const refused = [...problemsOf(route)].map(([status, codes]): [string, Json] => {
    if (withOut.has(status)) {
      const { content, ...response } = responseOf(route, status, codes)
      return [String(status), { ...response, content: { ...(content as Json), ...also } }]
    }
    if (route.answers.refusal) {
      const { content, ...response } = responseOf(route, status, codes)
      return [String(status), { ...response, content: { ...(content as Json), ...pageContent } }]
    }
    const name = names.get(keyOf(route, status, codes))
    return [String(status), name ? { $ref: `#/components/responses/${name}` } : responseOf(route, status, codes)]
  })
  return [...answered, ...refused]
}
