// Every operation has its readers, by the declaration of its route.
import { expect, test } from '@jest/globals'
import type { Route } from '../../api/kit/route.ts'
import { audiences, audiencesOf } from '../../api/openapi/audiences.ts'
import { routes as table } from '../../api/routes.ts'

const routes: readonly Route[] = table
const readersOf = (spec: string) => {
  const found = routes.find((route) => route.spec === spec)
  return found && audiencesOf(found)
}

test('Every operation has an audience, and every audience operations', () => {
  const readers = routes.map((route) => audiencesOf(route))
  expect(readers.filter((some) => some.length === 0 || new Set(some).size < some.length)).toEqual([])
  expect(audiences.filter((one) => !readers.some((some) => some.includes(one)))).toEqual([])
})

test('Nobody but a platform administrator reads only what nobody else may call', () => {
  const others = routes.filter(({ may }) => may === 'platform').flatMap((route) => audiencesOf(route))
  expect([...new Set(others)]).toEqual(['platform'])
  const visitors = routes.filter((route) => audiencesOf(route).includes('storefront'))
  expect(visitors.filter(({ may }) => !['public', 'visitor', 'verified', 'member-link'].includes(may))).toEqual([])
})

test.each([
  ['POST /v1/auth/verify', ['operator', 'business', 'platform']],
  ['GET /v1/accounts/me', ['operator', 'business', 'platform']],
  ['GET /v1/platform/countries', ['storefront', 'operator', 'business', 'platform']],
  ['POST /v1/storefront/carts/{id}/checkout', ['storefront']],
  ['GET /v1/stores/{storeId}/orders', ['operator']],
  ['GET /v1/businesses', ['business']],
  ['GET /v1/networks/{networkKey}/products', ['business']],
  ['POST /v1/webhooks/stripe', ['platform']],
])('%s is for %j', (spec, readers) => {
  expect(readersOf(spec)).toEqual(readers)
})

test('A route without a caller below an unknown path is refused, as no audience would read it', () => {
  expect(() => audiencesOf({ may: 'public', path: '/v1/things', surface: 'store' })).toThrow('audiences.ts')
})
