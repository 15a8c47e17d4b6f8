// What is written and what is looked for are taken apart by one rule, whatever stands between the words.
import { expect, test } from '@jest/globals'
import { searchQuery, searchText, textsIn } from '../../rules/search.ts'

test('a text is its words: letters, marks and digits of any script', () => {
  expect(searchText(['ABC-123', null, '', 'snake_case', '<!-- x -->', 'a.b@c.de', 'Größe·XL', '日本語 नमस्ते', "l'été"])).toBe(
    'ABC 123 snake case x a b c de Größe XL 日本語 नमस्ते l été',
  )
  expect(searchText(['a_'.repeat(40_000)])).toBe('a '.repeat(30_000).trim())
  expect(searchText(['x'.repeat(10_000), '-'])).toBe('x'.repeat(200))
})

test('a search is its words by their beginnings, and what punctuation holds together stays together', () => {
  expect(searchQuery('  abc-1  Größe ')).toBe("('abc' <-> '1':*) & ('Größe':*)")
  expect(searchQuery(`fig' | !(grape) & * : \\ <->`)).toBe("('fig':*) & ('grape':*)")
  expect(searchQuery('%_ - "')).toBe('')
  expect(searchQuery('a '.repeat(50)).split('&')).toHaveLength(20)
})

test('texts of a value come in the order of their names', () => {
  expect(textsIn({ 'pt-BR': 'c', de: 'a', en: ['b', { z: 'y', a: 'x' }, 7, null] })).toEqual(['a', 'b', 'x', 'y', 'c'])
})
