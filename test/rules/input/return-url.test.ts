// A browser is redirected only to HTTPS, or to the caller's own machine.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { PageUrl, ReturnUrl, returnUrl } from '../../../rules/input/return-url.ts'

test.each([
  ['https://shop.example/thanks?a=1#top', 'https://shop.example/thanks?a=1'],
  ['HTTPS://Shop.Example', 'https://shop.example/'],
  ['https://shop.example/#', 'https://shop.example/'],
  ['https://shop.example/?session={CHECKOUT_SESSION_ID}', 'https://shop.example/?session={CHECKOUT_SESSION_ID}'],
  ['http://localhost:3000/done', 'http://localhost:3000/done'],
  ['http://LOCALHOST/', 'http://localhost/'],
  ['http://shop.localhost/', 'http://shop.localhost/'],
  ['http://127.0.0.1/', 'http://127.0.0.1/'],
  ['http://127.8.9.10:80/', 'http://127.8.9.10/'],
  ['http://[::1]:8080/', 'http://[::1]:8080/'],
  ['http://[0:0:0:0:0:0:0:1]/', 'http://[::1]/'],
])('The return URL %s is accepted as %s', (value, url) => {
  expect(returnUrl(value)).toEqual({ ok: true, url })
  expect(ReturnUrl.parse(value)).toBe(url)
})

test.each([
  ['', 'url_invalid'],
  ['/thanks', 'url_invalid'],
  ['shop.example', 'url_invalid'],
  ['//shop.example/', 'url_invalid'],
  ['https:shop.example', 'url_invalid'],
  ['https:\\\\shop.example', 'url_invalid'],
  [' https://shop.example', 'url_invalid'],
  ['https://shop.example/a b', 'url_invalid'],
  ['https://shop.example\\@evil.example', 'url_invalid'],
  ['https://', 'url_invalid'],
  ['javascript:alert(1)', 'url_invalid'],
  ['ftp://localhost/', 'url_not_https'],
  ['http://shop.example/', 'url_not_https'],
  ['http://localhost.evil.example/', 'url_not_https'],
  ['http://notlocalhost/', 'url_not_https'],
  ['http://127.0.0.1.evil.example/', 'url_not_https'],
  ['http://128.0.0.1/', 'url_not_https'],
  ['http://[::2]/', 'url_not_https'],
  ['http://0.0.0.0/', 'url_not_https'],
  ['https://user:secret@shop.example/', 'url_has_credentials'],
  ['https://user@shop.example/', 'url_has_credentials'],
  ['http://:secret@localhost/', 'url_has_credentials'],
  [`https://shop.example/${'a'.repeat(2048)}`, 'url_too_long'],
])('The return URL %s is refused with %s', (value, code) => {
  expect(returnUrl(value)).toMatchObject({ ok: false, code })
  expect(ReturnUrl.safeParse(value).success).toBe(false)
})

test('An accepted URL is accepted again unchanged, without fragment and credentials', () => {
  fc.assert(
    fc.property(fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true }), fc.string()), (value) => {
      const once = returnUrl(value)
      if (!once.ok) return
      expect(returnUrl(once.url)).toEqual(once)
      const { hash, username, password } = new URL(once.url)
      expect([hash, username, password]).toEqual(['', '', ''])
    }),
  )
})

test('The address of a page keeps its fragment, and a return address does not', () => {
  const page = 'https://shop.example/me?a=1#/membership'
  expect([PageUrl.parse(page), ReturnUrl.parse(page)]).toEqual([page, 'https://shop.example/me?a=1'])
  expect(PageUrl.safeParse('http://shop.example/#/me').success).toBe(false)
})
