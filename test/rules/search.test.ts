// Stored texts and queries are split into words by the same rule.
import { expect, test } from '@jest/globals'
import { searchQuery, searchText, textsIn } from '../../rules/search.ts'

test('A text is split into words of letters, marks and digits of any script', () => {
  expect(searchText(['ABC-123', null, '', 'snake_case', '<!-- x -->', 'a.b@c.de', 'Größe·XL', '日本語 नमस्ते', "l'été"])).toBe(
    'ABC 123 snake case x a b c de Größe XL 日本語 नमस्ते l été',
  )
  expect(searchText(['a_'.repeat(40_000)])).toBe('a '.repeat(30_000).trim())
  expect(searchText(['x'.repeat(10_000), '-'])).toBe('x'.repeat(200))
})

test('A query matches words by prefix, and parts joined by punctuation stay adjacent', () => {
  expect(searchQuery('  abc-1  Größe ')).toBe("('abc' <-> '1':*) & ('Größe':*)")
  expect(searchQuery(`fig' | !(grape) & * : \\ <->`)).toBe("('fig':*) & ('grape':*)")
  expect(searchQuery('%_ - "')).toBe('')
  expect(searchQuery('a '.repeat(50)).split('&')).toHaveLength(20)
})

test('The texts of a value are ordered by their keys', () => {
  expect(textsIn({ 'pt-BR': 'c', de: 'a', en: ['b', { z: 'y', a: 'x' }, 7, null] })).toEqual(['a', 'b', 'x', 'y', 'c'])
})
