// The surface that a path belongs to: stores, or businesses and networks.
import type { Surface } from '../../rules/spelling.ts'

export const surfaceOf = (path: string): Surface =>
  /^\/v1\/(businesses|networks)(\/|$)/.test(path) ? 'business' : 'store'
