// The zone that describes an address most specifically applies.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { zoneOf } from '../../../rules/carts/zones.ts'
import type { Address } from '../../../rules/stores/addresses.ts'
import { countries } from '../../../rules/stores/countries.ts'
import { Zone } from '../../../rules/stores/markets.ts'
import { draws } from '../../kit/draws.ts'

const zone = (id: string, more: Partial<Zone> = {}) => Zone.parse({ id, ...more })

const everywhere = zone('everywhere')
const us = zone('us', { countries: ['US'] })
const california = zone('california', { countries: ['US'], states: ['CA'] })
const nineFour = zone('94*', { countries: ['US'], postal_codes: ['94*'] })
const nineFourOne = zone('941*', { countries: ['US'], postal_codes: ['941*'] })
const exact = zone('94110', { countries: ['US'], postal_codes: ['10001', '94110'] })
const all = [everywhere, us, california, nineFour, nineFourOne, exact]

const sanFrancisco = { country: 'US', state: 'CA', postal_code: '94110' }

test('The most specific zone applies: postal code, prefix, state, country, then any', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(all, { minLength: 1 }), (zones) => {
      const best = all.findLast((one) => zones.includes(one))
      expect(zoneOf(sanFrancisco, zones)?.id).toBe(best?.id)
    }),
  )
})

test('Every list of a zone must match', () => {
  expect(zoneOf({ country: 'CA', state: 'ON', postal_code: '94110' }, [california, nineFour, exact])).toBeNull()
  expect(zoneOf({ country: 'US', state: 'NV', postal_code: '94110' }, [california, us])?.id).toBe('us')
})

test('An address that lacks a field of a zone is not in that zone', () => {
  expect(zoneOf(null, all)?.id).toBe('everywhere')
  expect(zoneOf({}, all)?.id).toBe('everywhere')
  expect(zoneOf({ country: 'US', postal_code: null }, all)?.id).toBe('us')
  expect(zoneOf({ country: 'US' }, [zone('any code', { postal_codes: ['*'] })])).toBeNull()
})

test('Case, spaces and names of states instead of codes make no difference', () => {
  expect(zoneOf({ country: 'us', state: ' california ' }, all)?.id).toBe('california')
  expect(zoneOf({ country: 'US', state: 'CA' }, [zone('named', { states: ['US-ca'] })])?.id).toBe('named')
  expect(
    zoneOf({ country: 'GB', postal_code: 'sw1a 1aa' }, [zone('westminster', { postal_codes: ['SW1A1AA'] })])?.id,
  ).toBe('westminster')
  expect(
    zoneOf({ country: 'GB', postal_code: 'SW1A1AA' }, [zone('westminster', { postal_codes: ['sw1a *'] })])?.id,
  ).toBe('westminster')
})

test('Of equally specific zones the first applies, and without a match none does', () => {
  expect(zoneOf({ country: 'FR' }, [zone('1', { countries: ['FR'] }), zone('2', { countries: ['FR'] })])?.id).toBe('1')
  expect(zoneOf({ country: 'FR' }, [us])).toBeNull()
  expect(zoneOf({ country: 'FR' }, [])).toBeNull()
})

// The naive form of the rule: every list of every zone is compared, and every value is normalised again.
const naive = (address: Address | null, zones: readonly Zone[]): Zone | null => {
  const codeOf = (country: string | null | undefined, state: string) => {
    const word = state.trim().toUpperCase()
    const known = country ? countries.find(({ code }) => code === country.trim().toUpperCase()) : undefined
    if (!known) return word
    const short = word.startsWith(`${known.code}-`) ? word.slice(known.code.length + 1) : word
    return (
      (known.states.find(({ code }) => code === short) ?? known.states.find(({ name }) => name.toUpperCase() === word))
        ?.code ?? short
    )
  }
  const compact = (code: string) => code.replace(/\s+/g, '').toUpperCase()
  const postal = (codes: readonly string[]) => {
    const code = compact(address?.postal_code ?? '')
    if (codes.length === 0) return 0
    if (!code) return -1
    const prefix = (wanted: string) =>
      wanted.endsWith('*') && code.startsWith(wanted.slice(0, -1)) ? wanted.length : -1
    return Math.max(...codes.map(compact).map((wanted) => (wanted === code ? Number.MAX_SAFE_INTEGER : prefix(wanted))))
  }
  const state = (states: readonly string[]) => {
    if (states.length === 0) return 0
    if (!address?.state?.trim()) return -1
    return states.some((wanted) => codeOf(address.country, wanted) === codeOf(address.country, address.state as string))
      ? 1
      : -1
  }
  const country = (all: readonly string[]) =>
    all.length === 0 ? 0 : all.includes(address?.country?.toUpperCase() ?? '') ? 1 : -1
  const matches = zones
    .map((one) => ({
      zone: one,
      score: [postal(one.postal_codes), state(one.states), country(one.countries)] as const,
    }))
    .filter(({ score }) => !score.includes(-1))
  matches.sort((a, b) => b.score[0] - a.score[0] || b.score[1] - a.score[1] || b.score[2] - a.score[2])
  return matches[0]?.zone ?? null
}

test('The zone found equals that of a naive comparison', () => {
  const codes = ['US', 'GB', 'CA', 'CH', 'PR', 'SJ']
  const words = countries
    .filter(({ code }) => codes.includes(code))
    .flatMap(({ code, states }) => states.map((one) => ({ ...one, country: code })))
  const cased = (text: string) => fc.constantFrom(text, text.toLowerCase(), ` ${text.toUpperCase()} `)
  const state = fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .constantFrom(...words.slice(0, 20), ...words)
        .chain(({ code, name, country }) =>
          fc.constantFrom(code, name, `${country}-${code}`, `${country}-${name}`).chain(cased),
        ),
    },
    { weight: 1, arbitrary: fc.constantFrom(' ', '', '-', 'US-', 'US-US-CA', 'nowhere', 'ß', 'İ') },
  )
  const postal = fc.oneof(
    fc.stringMatching(/^[0-2]{0,3}\*?$/),
    fc.stringMatching(/^[ab ]{0,3}\*?$/),
    fc.constant('*'),
    fc.constant('1 *'),
  )
  const zones = fc.array(
    fc.record({
      countries: fc.subarray(codes, { maxLength: 3 }),
      states: fc.array(
        state.filter((word) => word.length > 0),
        { maxLength: 4 },
      ),
      postal_codes: fc.array(
        postal.filter((code) => code.length > 0),
        { maxLength: 3 },
      ),
    }),
    { maxLength: 8 },
  )
  const address = fc.record({
    country: fc.constantFrom(...codes, 'us', 'gb', null, undefined, 'XX'),
    state: fc.option(state, { nil: undefined }),
    postal_code: fc.oneof(
      fc.constant(null),
      fc.stringMatching(/^[0-2]{1,3}$/),
      fc.stringMatching(/^[ab ]{0,3}$/),
      fc.constant('*'),
    ),
  })
  fc.assert(
    fc.property(fc.option(address), zones, (given, drawn) => {
      const list = drawn.map((one, at) => zone(String(at), one))
      expect(zoneOf(given as Address | null, list)?.id).toBe(naive(given as Address | null, list)?.id)
    }),
    { numRuns: draws(400) },
  )
})

const texas = zone('79703', { countries: ['US'], postal_codes: ['79703'] })
test.each(['79703-2104', '79703 2104', '797032104', ' 79703–2104', '７９７０３-２１０４', '79703', 'US-79703'])(
  'The ZIP code %s is in the zone of its first five digits',
  (code) => {
    expect(zoneOf({ country: 'US', postal_code: code }, [us, texas])?.id).toBe('79703')
  },
)

test('A zone of nine digits is more specific than one of five, and that one than a prefix', () => {
  const zones = [zone('7970*', { postal_codes: ['7970*'] }), texas, zone('block', { postal_codes: ['79703-2104'] })]
  const of = (postal_code: string) => zoneOf({ country: 'US', postal_code }, zones)?.id
  expect([of('79703 2104'), of('797032105'), of('79703'), of('79704-2104')]).toEqual([
    'block',
    '79703',
    '79703',
    '7970*',
  ])
})

test.each([
  ['GB', 'SW1A 1AA', ['sw1a1aa', 'ＳＷ１Ａ １ＡＡ', 'SW1A\u00a01AA'], ['SW1A 1AB']],
  ['JP', '100-0001', ['〒100-0001', '１００ー０００１', '1000001'], ['100-0010']],
  ['SE', '111 22', ['SE-111 22', 'S-11122', '11122'], ['SE-111 23']],
  ['DE', '45881', ['D-45881', 'DE 45881'], ['45882']],
  ['IR', '1234567890', ['۱۲۳۴۵-۶۷۸۹۰'], ['1234567891']],
  ['TW', '100', ['100', '10048', '100-001'], ['101', '1000']],
  ['LU', 'L-1*', ['L-1234', '1999'], ['L-2000']],
  ['NL', '1012 ab', ['NL-1012AB', '1012 AB'], ['1012 AC', '1012']],
  ['US', '79703-21*', ['797032104'], ['79703', '79703-2204']],
])('Codes of %s are compared in one form: %s', (country, wanted, equal, different) => {
  const zones = [zone('other'), zone('wanted', { countries: [country], postal_codes: [wanted] })]
  for (const postal_code of equal)
    expect([postal_code, zoneOf({ country, postal_code }, zones)?.id]).toEqual([postal_code, 'wanted'])
  for (const postal_code of different)
    expect([postal_code, zoneOf({ country, postal_code }, zones)?.id]).toEqual([postal_code, 'other'])
})

test('A nine-digit code of another country, or one of another length, is in no district', () => {
  expect(
    zoneOf({ country: 'BR', postal_code: '797032104' }, [zone('district', { postal_codes: ['79703'] })]),
  ).toBeNull()
  expect(zoneOf({ country: 'US', postal_code: '7970321' }, [texas])).toBeNull()
  expect(zoneOf({ postal_code: '79703-2104' }, [zone('any', { postal_codes: ['79703'] })])?.id).toBe('any')
})

test('The name of a state is compared in any form of Unicode', () => {
  expect(
    zoneOf({ country: 'BR', state: 'Sa\u0303o Paulo' }, [
      zone('paulista', { countries: ['BR'], states: ['S\u00e3o Paulo'] }),
    ])?.id,
  ).toBe('paulista')
})
