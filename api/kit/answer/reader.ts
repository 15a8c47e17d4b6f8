// A refusal for its reader: operators get the route that mends a lack of set-up, visitors one sentence that says what
// they can do.
import { mendsOf, missing, missingIn } from '../../../rules/readiness/checks.ts'
import type { Refusal } from '../../../rules/refusal.ts'
import { visitorTexts } from '../../../rules/visitor-texts.ts'
import { type Headers, isOperator } from '../caller.ts'
import type { Route } from '../route.ts'
import type { Said } from '../surface.ts'

type Request = { headers: Headers; path: Readonly<Record<string, string>> }

const visitors: ReadonlySet<Route['may']> = new Set(['visitor', 'verified', 'member-link', 'public'])

/** The refusal as the caller of the route reads it. */
export function forReader(refusal: Refusal, route: Route | undefined, { headers, path }: Request): Said {
  const { status, code, message, details } = refusal
  if (!route) return refusal
  if (visitors.has(route.may) || (route.may === 'customer' && !isOperator(headers))) {
    const detail = missing[code]?.visitor ?? visitorTexts[code] ?? null
    if (detail === null) return refusal
    const faults = details.faults?.map((fault) => (fault.code === code ? { ...fault, detail } : fault))
    return { status, code, message: detail, details: { ...details, ...(faults ? { faults } : {}) } }
  }
  const ids = missingIn(code, details.faults ?? [])
  const tenantId = path[route.tenant]
  if (ids.length === 0 || tenantId === undefined) return refusal
  const mends = mendsOf(ids, route.surface, tenantId)
  return { status, code, message, details: { ...details, members: { ...details.members, mends } } }
}
