// Countries, states and currencies are complete and found in every spelling.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { cardMinimum, formatMoney, isCurrency, minorDigits } from '../../../rules/payments/currencies.ts'
import { countries, countryOf, LocationCountry, stateCodeOf } from '../../../rules/stores/countries.ts'

test('Every country of ISO 3166-1 occurs once, and every state has a unique code', () => {
  expect(countries).toHaveLength(250) // 249 of ISO, and Kosovo
  expect(new Set(countries.map(({ code }) => code)).size).toBe(250)
  for (const country of countries) {
    expect(LocationCountry.parse(country)).toEqual(country)
    expect(country.code).toMatch(/^[A-Z]{2}$/)
    for (const { code, name } of country.states)
      expect([code !== '', code !== 'UNDEFINED', name !== '']).toEqual([true, true, true])
    expect(new Set(country.states.map(({ code }) => code.toLowerCase())).size).toBe(country.states.length)
  }
})

test('A country is found by its code in any case', () => {
  expect(countryOf('us')?.states).toContainEqual({ code: 'CA', name: 'California' })
  expect(countryOf('SJ')?.name).toBe('Svalbard and Jan Mayen')
  expect(countryOf('zz')).toBeUndefined()
})

test('A region without a code gets one from its name', () => {
  expect(countryOf('MK')?.states).toContainEqual({ code: 'RADOVIS', name: 'Radoviš' })
  expect(countryOf('PR')?.states).toContainEqual({ code: 'SAN-JUAN', name: 'San Juan' })
})

test('A state is found by code, name and full ISO 3166-2 code', () => {
  expect(['CA', 'ca', 'California', 'us-ca'].map((state) => stateCodeOf('US', state))).toEqual(['CA', 'CA', 'CA', 'CA'])
  expect(stateCodeOf(null, 'Somewhere')).toBe('SOMEWHERE')
})

test.each([
  ['USD', 2],
  ['JPY', 0],
  ['KRW', 0],
  ['ISK', 0],
  ['KWD', 3],
  ['IQD', 3],
  ['CLF', 4],
  ['HUF', 2],
  ['MGA', 2],
])('%s has %d minor digits as in ISO 4217', (currency, digits) => {
  expect(isCurrency(currency)).toBe(true)
  expect(minorDigits(currency)).toBe(digits)
})

test('An unknown or lower case currency is not a currency', () => {
  expect(['usd', 'XXQ', '', 'EURO'].map(isCurrency)).toEqual([false, false, false, false])
})

test('Card minimums are in minor units of the currency', () => {
  expect(['USD', 'EUR', 'GBP', 'JPY', 'HUF', 'KWD'].map(cardMinimum)).toEqual([50, 50, 30, 50, 17500, 1])
})

test('Amounts are formatted exactly with the digits of their currency', () => {
  expect(formatMoney(1234, 'USD')).toBe('12.34 USD')
  expect(formatMoney(5, 'USD')).toBe('0.05 USD')
  expect(formatMoney(-5, 'EUR')).toBe('-0.05 EUR')
  expect(formatMoney(500, 'JPY')).toBe('500 JPY')
  expect(formatMoney(0, 'JPY')).toBe('0 JPY')
  expect(formatMoney(1, 'KWD')).toBe('0.001 KWD')
  expect(formatMoney(Number.MAX_SAFE_INTEGER, 'USD')).toBe('90071992547409.91 USD')
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.constantFrom('USD', 'JPY', 'KWD'), (amount, currency) => {
      const [figures = ''] = formatMoney(amount, currency).split(' ')
      expect(Number(figures.replace('.', ''))).toBe(amount)
    }),
  )
})
