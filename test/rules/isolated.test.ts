// Text of others within a sentence does not change the order of the words around it.
import { expect, test } from '@jest/globals'
import { isolated } from '../../rules/isolated.ts'

test.each(['Acme', 'Größe 5 – “neu”', '茶', '🍵', ''])('Text of one direction stays as it is: %j', (text) => {
  expect(isolated(text)).toBe(text)
})

test.each(['\u202eemca', 'שלום', 'مرحبا', 'a\u200fb', '\u{1e900}'])('Other text is isolated: %j', (text) => {
  expect(isolated(text)).toBe(`\u2068${text}\u2069`)
})

test('Text that would end its own isolation does not', () => {
  expect(isolated('a\u2069\u202eb\u2066')).toBe('\u2068a\u202eb\u2069')
})
