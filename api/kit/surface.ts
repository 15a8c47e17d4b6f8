// The two surfaces: stores (/v1/stores), and businesses and networks (/v1/businesses, /v1/networks). A path says
// which one it is; tenancy and spelling follow.
import { pointerOf } from '../../rules/input/pointers.ts'
import { isNotAnOption, notAnOption } from '../../rules/input/validation-errors.ts'
import { type Fault, type Refusal, summaryOf } from '../../rules/refusal.ts'
import { camel, declaredNames, outwardMembers, outwardPlace, outwardWords, saidOn } from '../../rules/spelling.ts'
import { StoreRole } from '../../rules/stores/roles.ts'
import type { Route } from './route.ts'

/** Members of problems that texts name. */
const members = ['cart_id', 'reaction_id', 'referenced_by']
const namesByRoute = new WeakMap<Route, ReadonlySet<string>>()
/** The names of all fields and parameters that the route declares, and of members of problems, in snake_case. */
export function namesIn(route: Route): ReadonlySet<string> {
  let names = namesByRoute.get(route)
  if (!names) {
    const found = declaredNames(route.out, new Set(members))
    for (const shape of [route.query, route.body]) declaredNames(shape, found)
    names = found
    namesByRoute.set(route, names)
  }
  return names
}

/** A text of the source as the route's surface says it. Without a route, as the store surface does. */
export function saidBy(route: Route | undefined, text: string): string {
  if (route?.surface !== 'business') return saidOn('store', text)
  return outwardWords(saidOn('business', text, namesIn(route)), StoreRole)
}

const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

/**
 * A fault of a declared field of the body or of the record, or of a query parameter. A name that was refused stays as
 * it was sent.
 */
function outwardFault(route: Route, { pointer, code, detail }: Fault): Fault {
  const { body, out, query, fields } = route
  const said = saidBy(route, detail)
  if (!pointer.startsWith('/')) {
    const field =
      code !== 'unknown_parameter' && query && Object.hasOwn(query.shape, pointer) ? query.shape[pointer] : undefined
    const { words } = outwardPlace(field as typeof out, [])
    return {
      pointer: field ? camel(pointer) : pointer,
      code,
      detail: words && isNotAnOption(detail) ? notAnOption(words) : said,
    }
  }
  const [first = '', ...rest] = pointer.slice(1).split('/').map(unescaped)
  const path = [fields.places?.[first] ?? first, ...rest]
  const refused = code === 'unknown_field' ? path.splice(-1) : []
  const { path: spelled, words } = outwardPlace(body && Object.hasOwn(body.shape, path[0] ?? '') ? body : out, path)
  return {
    pointer: pointerOf([...spelled, ...refused]),
    code,
    detail: words && isNotAnOption(detail) ? notAnOption(words) : said,
  }
}

/** What is answered of a refusal. */
export type Said = Pick<Refusal, 'status' | 'code' | 'message' | 'details'>

/**
 * A refusal as the route's surface says it: its texts, and on that of businesses also its pointers and its members.
 * Without a route, as the store surface does.
 */
export function outward(route: Route | undefined, { status, code, message, details }: Said): Said {
  const isBusiness = route?.surface === 'business'
  const members = isBusiness ? details.members : undefined
  const faults = details.faults?.map((fault) =>
    isBusiness ? outwardFault(route, fault) : { ...fault, detail: saidBy(route, fault.detail) },
  )
  return {
    status,
    code,
    // That of several errors counts those that are not listed, too.
    message: faults?.length === 1 && code === 'invalid_input' ? summaryOf(faults) : saidBy(route, message),
    details: {
      ...details,
      ...(faults ? { faults } : {}),
      ...(members ? { members: outwardMembers(members) as Record<string, unknown> } : {}),
    },
  }
}
