// A route is found by the segments of its path, and it is the one that the library's own router finds among all
// patterns.
import { expect, test } from '@jest/globals'
import Router from '@koa/router'
import { routeHint } from '../../api/kit/nearest-route.ts'
import { SegmentRouter } from '../../api/kit/router.ts'
import { routes } from '../../api/routes.ts'

const [ours, theirs] = [new SegmentRouter({ strict: false }), new Router({ strict: false })]
for (const router of [ours, theirs]) {
  router.get('/health', () => {})
  router.get('/below/*rest', () => {})
  for (const { path, method } of routes)
    router.register(path.replaceAll(/\{(\w+)\}/g, ':$1'), [method.toLowerCase()], () => {})
}
const id = '018f0000-0000-7000-8000-00000000000a'
const found = (router: Router, path: string, method: string) => {
  const { path: matching, pathAndMethod, route } = router.match(path, method)
  return [matching, pathAndMethod, route].map((part) =>
    Array.isArray(part)
      ? part.map((layer) => [layer.path, layer.methods, layer.params(path, layer.captures(path))])
      : part,
  )
}

test('A path is matched as the router of the library matches it', () => {
  const odd = ['%2F', 'a%20b', 'İ', 'K', '.', '..', ':id', '{id}', '', 'summary', 'admin', 'SUMMARY']
  let matched = 0
  for (const [at, { path, method }] of routes.entries()) {
    const filled = path.replaceAll(/\{\w+\}/g, id)
    const strange = path.replaceAll(/\{\w+\}/g, () => odd[at % odd.length] as string)
    const variants = [
      `${filled}/`,
      `${filled}//`,
      `/${filled}`,
      filled.toUpperCase(),
      `${filled}/more`,
      filled.replace(/\/[^/]+$/, ''),
      filled.replace('/v1/', '/v1//'),
    ]
    for (const one of [filled, strange, variants[at % variants.length] as string])
      for (const sent of [method, at % 2 ? 'HEAD' : 'OPTIONS']) {
        const expected = found(theirs, one, sent)
        expect([one, sent, ...found(ours, one, sent)]).toEqual([one, sent, ...expected])
        if (expected[2]) matched++
      }
  }
  expect(matched).toBeGreaterThan(routes.length)
})

test('A route of all paths below another is matched as by the router of the library', () => {
  const paths = ['', '/', '/a', '/a/', '/a/b/c.js', '//', '/a//b', '/%2e%2e/x', '/..', '/İ']
  const matched = paths.filter((rest) => {
    for (const path of [`/below${rest}`, `/BELOW${rest}`, `/above${rest}`, `/x/below${rest}`])
      expect([path, ...found(ours, path, 'GET')]).toEqual([path, ...found(theirs, path, 'GET')])
    return ours.match(`/below${rest}`, 'GET').route
  })
  expect(matched).toEqual(expect.arrayContaining(['/a', '/a/b/c.js']))
  expect(matched).not.toContain('')
})

test('Paths of slashes, and of thousands of segments, match nothing', () => {
  for (const path of ['', '/', '//', '///', '/'.repeat(8_000), '/v1'.repeat(4_000), `/${'v1/stores/'.repeat(2_000)}`])
    expect([path.length, ...found(ours, path, 'GET')]).toEqual([path.length, [], [], false])
})

test('A path whose parameter is a part of a segment is refused when it is registered', () => {
  const router = new SegmentRouter()
  router.get('/files/:name.csv', () => {})
  expect(() => router.match('/files/a.csv', 'GET')).toThrow(/whole parameters/)
})

test.each([
  ['GET', '/v1/products', '`GET /v1/storefront/products` or `GET /v1/stores/{storeId}/products`'],
  ['GET', `/v1/stores/${id}/product`, '`GET /v1/stores/{storeId}/products`'],
  ['POST', `/v1/stores/${id}/refunds`, '`POST /v1/stores/{storeId}/orders/{orderId}/refunds`'],
  ['GET', `/v1/stores/${id}/order/${id}`, '`GET /v1/stores/{storeId}/orders'],
])('A path that no route has is answered with the routes that were meant: %s %s', (method, path, meant) => {
  expect(routeHint(routes, method, path)).toContain(meant)
})

test('A path like no route gets no suggestion, and a secret in a path is not repeated', () => {
  expect(routeHint(routes, 'GET', '/wp-admin/setup.php')).toBe('There is no such path.')
  expect(routeHint(routes, 'GET', '/')).toBe('There is no such path.')
  expect(routeHint(routes, 'POST', '/v1/workflow/trigger/my-secret')).not.toContain('my-secret')
  expect(routeHint(routes, 'GET', `/${'a/'.repeat(4_000)}`)).toBe('There is no such path.')
})
