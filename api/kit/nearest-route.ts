// Suggests the route that was probably meant by a path that no route has. The path itself, which may have a secret, is
// not repeated.
import { nearest } from '../../rules/input/nearest-name.ts'
import { Id } from '../../rules/shapes.ts'
import type { Route } from './route.ts'

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')
const isParameter = (part: string) => part.startsWith('{')

const shownMax = 2

/**
 * The detail of 404 no_route: the routes of this method, or else of any, whose last name is the one that was asked for
 * or one letter away, the nearest in length first.
 */
export function routeHint(routes: readonly Pick<Route, 'method' | 'path'>[], method: string, path: string): string {
  const asked = partsOf(path)
  const name = asked.findLast((part) => !Id.safeParse(part).success)
  const named = (route: Pick<Route, 'path'>) => partsOf(route.path).findLast((part) => !isParameter(part)) ?? ''
  const meant = name === undefined ? undefined : nearest(name, new Set(routes.map(named)))
  const all = routes.filter((route) => named(route) === meant)
  const same = all.filter((route) => route.method === method)
  const distance = (route: Pick<Route, 'path'>) => {
    const parts = partsOf(route.path)
    return Math.abs(parts.length - asked.length) - parts.filter((part) => asked.includes(part)).length
  }
  const close = [...(same.length > 0 ? same : all)].sort((a, b) => distance(a) - distance(b)).slice(0, shownMax)
  const listed = close.map((route) => `\`${route.method} ${route.path}\``).join(' or ')
  return `There is no such path.${listed === '' ? '' : ` Did you mean ${listed}?`}`
}
