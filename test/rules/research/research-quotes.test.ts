// A signal has its quote, but for white space, case and typographic marks.
import { expect, test } from '@jest/globals'
import { provedSignals, quotable } from '../../../rules/research/research-quotes.ts'

const id = '0199f0a8-0000-7000-8000-000000000001'
const sourceOf = (content: string) => new Map([[id, { url: 'https://acme.example/', content: quotable(content) }]])
const prove = (quote: string, content: string, source_id = id) =>
  provedSignals([{ text: 'A signal.', quote, source_id }], sourceOf(content))

test.each([
  ['ships tea to 40 countries', 'Acme ships\n  tea to 40\u00a0countries.'],
  ['“Best tea” of 2024', 'The "best tea" of 2024.'],
  ["it's our 1998-2024 blend", 'It’s our 1998–2024 blend'],
  ['coopera\u00adtive society', 'Cooperative society'],
  ['ﬁne teas of Assam', 'Fine teas of Assam'],
])('A quote is found in its source: %s', (quote, content) => {
  expect(prove(quote, content).signals).toEqual([
    { text: 'A signal.', quote, source_id: id, url: 'https://acme.example/' },
  ])
})

test.each([
  ['ships tea to 41 countries', 'ships tea to 40 countries', 'quote_not_in_source'],
  ['ships … countries', 'ships tea to 40 countries', 'quote_not_in_source'],
  ['tea', 'tea', 'quote_too_short'],
  ['  \u200b tea   \u200b ', 'tea', 'quote_too_short'],
])('A quote that does not stand there is dropped: %s', (quote, content, reason) => {
  expect(prove(quote, content)).toEqual({ signals: [], dropped: [{ signal: 0, reason }] })
})

test('A quote of another source is dropped, and the id of a source counts in any case', () => {
  expect(prove('ships tea to 40', 'ships tea to 40', '0199f0a8-0000-7000-8000-000000000002').dropped).toEqual([
    { signal: 0, reason: 'source_unknown' },
  ])
  expect(prove('ships tea to 40', 'ships tea to 40', id.toUpperCase()).signals[0]?.source_id).toBe(id)
})
