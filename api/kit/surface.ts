// The two surfaces: stores (/v1/stores) and, older, businesses and networks (/v1/businesses, /v1/networks). A path says which one it is; tenancy and spelling follow.
import { pointerOf } from '../../rules/input/pointers.ts'
import { type Refusal, summaryOf } from '../../rules/refusal.ts'
import { camel, declaredNames, outwardMembers, outwardPath, outwardText, type Surface } from '../../rules/spelling.ts'
import type { Route } from './route.ts'

export const surfaceOf = (path: string): Surface => (/^\/v1\/(businesses|networks)(\/|$)/.test(path) ? 'older' : 'current')

const namesByRoute = new WeakMap<Route, ReadonlySet<string>>()
/** The names of all fields and parameters that the route declares, in snake_case. */
export function namesIn(route: Route): ReadonlySet<string> {
  let names = namesByRoute.get(route)
  if (!names) {
    const found = declaredNames(route.out)
    for (const shape of [route.query, route.body]) declaredNames(shape, found)
    names = found
    namesByRoute.set(route, names)
  }
  return names
}

const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

/** A pointer of a fault: that of a declared field of the body or of the record, or the name of a query parameter. */
function outwardPointer({ body, out, query, places }: Route, pointer: string): string {
  if (!pointer.startsWith('/')) return query && Object.hasOwn(query.shape, pointer) ? camel(pointer) : pointer
  const [first = '', ...rest] = pointer.slice(1).split('/').map(unescaped)
  const path = [places[first] ?? first, ...rest]
  const known = body && Object.hasOwn(body.shape, path[0] as string) ? body : out
  return pointerOf(outwardPath(known, path))
}

/** A refusal of an older route: its pointers, the names in its texts and its members as the older surface spells them. */
export function outward(route: Route, { status, code, message, details }: Refusal): Pick<Refusal, 'status' | 'code' | 'message' | 'details'> {
  const names = namesIn(route)
  const { members } = details
  const faults = details.faults?.map((fault) => ({ ...fault, pointer: outwardPointer(route, fault.pointer), detail: outwardText(fault.detail, names) }))
  return {
    status,
    code,
    message: faults && code === 'invalid_input' ? summaryOf(faults) : outwardText(message, names),
    details: {
      ...details,
      ...(faults ? { faults } : {}),
      ...(members ? { members: outwardMembers(members) as Record<string, unknown> } : {}),
    },
  }
}
