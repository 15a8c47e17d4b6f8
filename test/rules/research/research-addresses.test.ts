// The addresses that lead research may read.
import { expect, test } from '@jest/globals'
import { addressesIn, pageAddress, startPages, withoutOtherLinks } from '../../../rules/research/research-addresses.ts'

test.each([
  ['See https://acme.example/team, please.', ['https://acme.example/team']],
  [
    '(https://acme.example/a?b=c&d=e#f) and http://acme.example',
    ['https://acme.example/a?b=c&d=e', 'http://acme.example/'],
  ],
  ['Look at acme.example/shops and www.tea.example.', ['https://acme.example/shops', 'https://www.tea.example/']],
  ['Write to ada@acme.example or file:///etc/passwd', []],
  ['https://user:secret@acme.example/', []],
  ['Is 3.5 more than 1.2, e.g. here?', []],
  [`https://acme.example/${'x'.repeat(2_000)}`, []],
  [`https://acme.example/${'茶'.repeat(250)}`, []],
])('The addresses in a text are those that its author wrote: %s', (text, addresses) => {
  expect(addressesIn(text)).toEqual(addresses)
})

test.each([
  [
    'ada@acme.example',
    ['https://acme.example/', 'http://acme.example/', 'https://www.acme.example/', 'http://www.acme.example/'],
  ],
  ['ada@www.acme.example', ['https://www.acme.example/', 'http://www.acme.example/']],
  ['ada@GMAIL.com', []],
  ['ada@yahoo.co.uk', []],
  ['ada@localhost', []],
  ['ada@127.0.0.1', []],
  ['ada@[10.0.0.1]', []],
  ['a@b@acme.example/x', []],
  [null, []],
])('The start pages of a lead are the first ones of its own domain: %s', (email, pages) => {
  expect(startPages(email)).toEqual(pages)
})

test('Addresses are compared as they are requested', () => {
  expect(
    [
      'HTTPS://Acme.example:443/a/../b#c',
      'http://acme.example',
      'ftp://acme.example/',
      'acme.example',
      'https://a@acme.example/',
    ].map(pageAddress),
  ).toEqual([...['https://acme.example/b', 'http://acme.example/', null, null, null]])
})

test.each([
  ['See https://acme.example/.', 'See https://acme.example/.'],
  ['See https://acme.example/?data=1', 'See [link removed]'],
  ['![x](//evil.example/y) and www.evil.example', '![x]([link removed]) and [link removed]'],
  ['javascript:alert', '[link removed]'],
  ['acme.example sells to foo.example and by booking.com', 'acme.example sells to foo.example and by booking.com'],
  [
    'acme.example/?data=1 evil.example/x 4711.evil.example a@evil.example',
    '[link removed] [link removed] [link removed] [link removed]',
  ],
  ['tg:resolve?domain=evil', '[link removed]'],
])('Texts of a model name no address but the known ones: %s', (text, shown) => {
  expect(withoutOtherLinks(text, new Set(['https://acme.example/']))).toBe(shown)
})
