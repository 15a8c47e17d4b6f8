// The console writes amounts with the digits that the API counts in.
import { expect, test } from '@jest/globals'
import { minorDigits } from '../../console/src/kit/currencies.ts'
import { minorDigits as ours } from '../../rules/payments/currencies.ts'

test('Every currency has the digits of the API', () => {
  const codes = [...Intl.supportedValuesOf('currency'), 'UYW', 'CLF']
  expect(codes.filter((code) => minorDigits(code) !== ours(code))).toEqual([])
})
