// A file has the type of its content, is served so that no browser executes it, and each range returns exactly those
// bytes.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { requestedRange } from '../../../rules/content/byte-ranges.ts'
import { fileHeaders, fileName } from '../../../rules/content/media.ts'
import { otherTypeSaid, textTypeOf } from '../../../rules/content/media-types.ts'

describe('Types of texts', () => {
  const typeOf = (text: string) => textTypeOf(text.slice(0, 65_536), text.slice(-256))
  test.each([
    ['', 'text/plain'],
    ['hello, world', 'text/plain'],
    ['\uFEFF <!-- a --><!DOCTYPE html>\n<html>', 'text/html'],
    ['<html><body>', 'text/html'],
    ['<ScRiPt>alert(1)</sCrIpT>', 'text/html'],
    ['<b', 'text/plain'],
    ['<bold>', 'text/plain'],
    ['<svg/>', 'image/svg+xml'],
    ['<?xml version="1.0"?><!DOCTYPE svg PUBLIC "a" "b" [<!ENTITY x "y">]><svg>', 'image/svg+xml'],
    ['<?xml version="1.0"?><s:svg xmlns:s="http://www.w3.org/2000/svg">', 'image/svg+xml'],
    ['<?xml version="1.0"?><rss/>', 'application/xml'],
    ['<!-- never ends', 'application/xml'],
    ['{"a": 1}\n', 'application/json'],
    ['[1, 2]', 'application/json'],
    ['[]', 'application/json'],
    ['{not json}', 'text/plain'],
    ['[section]\nkey = 1', 'text/plain'],
    ['a;b\n1;2\n', 'text/csv'],
    ['"a,b",c\n"1",2\n', 'text/csv'],
    ['one, two\nthree\n', 'text/plain'],
  ])('The text %j is %s', (text, type) => {
    expect(typeOf(text)).toBe(type)
  })

  test('The type of a text of 64 KiB is found in no time, whatever it contains', () => {
    const parts = ['<!--', '-->', '<!doctype x [', ']', '<?xml ', '?>', '<', '"', ',', '\n', '[', '{']
    for (const part of parts)
      expect(typeOf(`<!doctype x ${part.repeat(65_536 / part.length)}`)).toEqual(expect.any(String))
  })
})

test('A name without a known type agrees with every content', () => {
  for (const name of ['a', 'a.xyz', 'a.constructor', '.png.', 'png'])
    expect([name, otherTypeSaid(name, undefined, 'text/html')]).toEqual([name, null])
  for (const type of ['application/octet-stream', 'x/y', 'constructor', ''])
    expect([type, otherTypeSaid('a', type, 'text/html')]).toEqual([type, null])
})
test.each([
  ['a.JPG', undefined, 'image/png', 'image/jpeg'],
  ['a.jpeg', 'image/png', 'image/jpeg', null],
  ['a', 'IMAGE/JPG; x=y', 'image/png', 'image/jpeg'],
  ['a.png', undefined, 'image/apng', null],
  ['a.docx', undefined, 'application/zip', null],
  ['a.doc', undefined, 'application/x-cfb', null],
  ['a.mp3', undefined, 'application/octet-stream', null],
  ['a.mp3', undefined, 'text/html', 'audio/mpeg'],
  ['a.txt', undefined, 'application/json', null],
  ['a.csv', undefined, 'image/svg+xml', 'text/csv'],
])('The name %j sent as %j with content %s is refused as %j', (name, sent, found, said) => {
  expect(otherTypeSaid(name, sent, found)).toBe(said)
})

test('Any text becomes a valid file name or none, and fits a header', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (given) => {
      const name = fileName(given)
      if (name === null) return
      expect(name).not.toMatch(/[\\/\p{Cc}]/u)
      expect(name.length).toBeLessThanOrEqual(255)
      const told = fileHeaders({ name, mime_type: 'text/html', variant: 'original', digest: 'x' })[
        'Content-Disposition'
      ] as string
      expect(told).toMatch(/^attachment; filename="[\x20-\x7e]*"; filename\*=UTF-8''[\x21-\x7e]+$/)
      expect(decodeURIComponent(told.split("UTF-8''")[1] as string)).toBe(name)
      expect((told.match(/"/g) ?? []).length).toBe(2)
    }),
  )
})

test('Any requested range lies within the file', () => {
  const number = fc.oneof(fc.constant(''), fc.nat(30).map(String))
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), number, number, (size, first, last) => {
      const asked = requestedRange(size, '"x"', { range: `bytes=${first}-${last}` })
      if (asked.status === 206) {
        const { from, to } = asked.range
        expect(0 <= from && from <= to && to < size).toBe(true)
        expect(first === '' ? size - from : from).toBe(first === '' ? Math.min(size, Number(last)) : Number(first))
      } else if (asked.status === 416)
        expect(first === '' ? Number(last) : Number(first) - size).toBeGreaterThanOrEqual(0)
      else expect(asked.status === 200 && ((first === '' && last === '') || Number(last) < Number(first))).toBe(true)
    }),
  )
  for (const range of ['items=0-1', 'bytes=a-b', 'bytes 0-1', ''])
    expect(requestedRange(10, '"x"', { range })).toEqual({ status: 200 })
})
