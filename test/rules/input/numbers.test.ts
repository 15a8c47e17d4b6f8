// A number of a JSON text is kept as it was written, refused at its place, or read as a text of its digits.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { exactnessFaults, isExact, losslessJson, mayHideDigits } from '../../../rules/input/numbers.ts'

test.each([
  '0',
  '-0',
  '1',
  '0.1',
  '0.10',
  '1.0',
  '1e2',
  '1E+2',
  '9007199254740992',
  '-9007199254740991',
  '0.10000000000000001',
  `1${'0'.repeat(300)}`,
  '5e-324',
])('The number %s is exact', (number) => {
  expect(isExact(number)).toBe(true)
  expect(exactnessFaults(number)).toEqual([])
})

test.each([
  '9007199254740993',
  '-7615917337495251231',
  '1234567890123456.78',
  '0.1234567890123456789',
  '1e400',
  '1e-400',
  '3e-324',
  '123456789012345678e3',
])('The number %s is not exact, wherever it stands in a JSON text', (number) => {
  expect(mayHideDigits(number)).toBe(true)
  expect(losslessJson(number)).toBe(number)
  const text = `{"a\\"${number}":[1, {"b" : ${number}}, "${number}"],"c"\n:${number}}`
  expect(losslessJson(text)).toEqual({ [`a"${number}`]: [1, { b: number }, number], c: number })
  expect(exactnessFaults(text).map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
    `/a"${number}/1/b invalid_number`,
    '/c invalid_number',
  ])
})

test('Any JSON that JavaScript writes is read back as it was', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      expect(exactnessFaults(text)).toEqual([])
      if (!/\d{16}/.test(text)) expect(losslessJson(text)).toEqual(JSON.parse(text))
    }),
  )
})

test('Any whole number keeps its digits, as a number or as a text', () => {
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 30n), 10n ** 30n), (number) =>
      expect(String(losslessJson(String(number)))).toBe(String(number)),
    ),
  )
})

test('Whole numbers beyond 2^53 are read as texts, also where their digits are exact', () => {
  expect(losslessJson('[9007199254740991, 9007199254740992, 9007199254740993, 1e20]')).toEqual([
    9007199254740991,
    '9007199254740992',
    '9007199254740993',
    1e20,
  ])
})

test.each([
  '9007199254740993.',
  '[09007199254740993]',
  '{"a":1-9007199254740993}',
  '9007199254740993e',
  '"9007199254740993',
])('%s is no JSON', (text) => {
  expect(() => losslessJson(text)).toThrow(SyntaxError)
})
