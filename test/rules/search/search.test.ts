// Stored texts and queries are split into words by the same rule.
import { expect, test } from '@jest/globals'
import { searchQuery, searchText, textsIn } from '../../../rules/search/search.ts'

test('A text is split into words of letters, marks and digits of any script', () => {
  expect(
    searchText(['ABC-123', null, '', 'snake_case', '<!-- x -->', 'a.b@c.de', 'Größe·XL', '日本語 नमस्ते', "l'été"]),
  ).toBe('ABC 123 snake case x a b c de Größe XL 日本語 नमस्ते l été')
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

const tea = '有機栽培の緑茶ティーバッグ'
test('Words of scripts without blanks are cut, and a query of several finds them side by side', () => {
  expect(searchText([tea, 'ชาเขียวจากเชียงราย', '我爱北京天安门', 'Tea緑茶2kg'])).toBe(
    '有機 栽培 の 緑茶 ティー バッグ ชา เขียว จาก เชียงราย 我 爱 北京 天安门 Tea 緑茶 2kg',
  )
  expect(searchQuery('緑茶')).toBe("('緑茶':*)")
  expect(searchQuery('有機栽培 tea')).toBe("(('有機' <-> '栽培':*) | ('有機栽培':*)) & ('tea':*)")
  // Cut by its own dictionary, which has the vowel as one character.
  expect(searchText(['น้ำผึ้ง'])).toBe('น้ำผึ้ง'.replace('น้ำ', 'น้ำ ').trim())
})

test.each([
  ['Cafe\u0301', 'Café'],
  ['Ｔｅａ\u3000１２', 'Tea 12'],
  ['ｺｰﾋｰ', 'コーヒー'],
  ['Tee\u00adbeutel', 'Teebeutel'],
  ['ﬁne', 'fine'],
])('%s is indexed and searched for as %s', (written, form) => {
  expect(searchText([written])).toBe(form)
  expect(searchQuery(written)).toBe(searchQuery(form))
})

test('Characters that stand for many do not make a text longer than an index takes', () => {
  expect(searchText([`${'\ufdfa'.repeat(60_000)}`]).length).toBeLessThanOrEqual(60_000)
})
