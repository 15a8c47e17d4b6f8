// Routes of stores as routes of businesses: the same rules, checks and statuses under /v1/businesses/{businessId},
// spelled by the business surface.
//   ...twins(webhooks, { without: ['GET /v1/stores/{storeId}/webhooks/{id}'] })

import { surfaceOf } from '../kit/path-surface.ts'
import type { Route, Spec } from '../kit/route.ts'

const stores = '/v1/stores/{storeId}'
const businesses = '/v1/businesses/{businessId}'

/** `openStorePortal` → `openBusinessPortal`, `choosePlan` → `chooseBusinessPlan` */
const renamed = (operation: string): string =>
  operation.includes('Store')
    ? operation.replace('Store', 'Business')
    : operation.replace(/^[a-z]+/, (verb) => `${verb}Business`)

function twin(route: Route): Route {
  const path = route.path.replace(stores, businesses)
  const named = (name: string) => (name === 'storeId' ? 'businessId' : name)
  return {
    ...route,
    spec: `${route.method} ${path}` as Spec,
    path,
    parameters: route.parameters.map(named),
    repeats: Object.fromEntries(Object.entries(route.repeats).map(([name, parameter]) => [name, named(parameter)])),
    operation: route.operation && renamed(route.operation),
    surface: surfaceOf(path),
    tenant: 'businessId',
  }
}

/** `without`: those that a business does not have. All others must be routes of one store. */
export function twins(routes: readonly unknown[], { without = [] }: { without?: readonly Spec[] } = {}): Route[] {
  const declared = routes as readonly Route[]
  const unknown = without.filter((spec) => !declared.some((route) => route.spec === spec))
  if (unknown.length > 0) throw new Error(`There are no routes ${unknown.join(', ')}.`)
  return declared.filter(({ spec, path }) => !without.includes(spec) && path.startsWith(`${stores}/`)).map(twin)
}
