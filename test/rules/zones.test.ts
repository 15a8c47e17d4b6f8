// The zone that describes an address most closely is the one that applies.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Zone } from '../../rules/shapes.ts'
import { zoneOf } from '../../rules/zones.ts'

const zone = (id: string, more: Partial<Zone> = {}) => Zone.parse({ id, ...more })

const everywhere = zone('everywhere')
const us = zone('us', { countries: ['US'] })
const california = zone('california', { countries: ['US'], states: ['CA'] })
const nineFour = zone('94*', { countries: ['US'], postal_codes: ['94*'] })
const nineFourOne = zone('941*', { countries: ['US'], postal_codes: ['941*'] })
const exact = zone('94110', { countries: ['US'], postal_codes: ['10001', '94110'] })
const all = [everywhere, us, california, nineFour, nineFourOne, exact]

const sanFrancisco = { country: 'US', state: 'CA', postal_code: '94110' }

test('exact postal code, then longer prefix, then state, then country, then no restriction, wherever they stand in the list', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(all, { minLength: 1 }), (zones) => {
      const best = all.findLast((one) => zones.includes(one))
      expect(zoneOf(sanFrancisco, zones)?.id).toBe(best?.id)
    }),
  )
})

test('every list that a zone gives must match', () => {
  expect(zoneOf({ country: 'CA', state: 'ON', postal_code: '94110' }, [california, nineFour, exact])).toBeNull()
  expect(zoneOf({ country: 'US', state: 'NV', postal_code: '94110' }, [california, us])?.id).toBe('us')
})

test('an address that lacks what a zone asks for is not in that zone', () => {
  expect(zoneOf(null, all)?.id).toBe('everywhere')
  expect(zoneOf({}, all)?.id).toBe('everywhere')
  expect(zoneOf({ country: 'US', postal_code: null }, all)?.id).toBe('us')
  expect(zoneOf({ country: 'US' }, [zone('any code', { postal_codes: ['*'] })])).toBeNull()
})

test('case, blanks, and names of states instead of codes make no difference', () => {
  expect(zoneOf({ country: 'us', state: ' california ' }, all)?.id).toBe('california')
  expect(zoneOf({ country: 'US', state: 'CA' }, [zone('named', { states: ['US-ca'] })])?.id).toBe('named')
  expect(zoneOf({ country: 'GB', postal_code: 'sw1a 1aa' }, [zone('westminster', { postal_codes: ['SW1A1AA'] })])?.id).toBe('westminster')
  expect(zoneOf({ country: 'GB', postal_code: 'SW1A1AA' }, [zone('westminster', { postal_codes: ['sw1a *'] })])?.id).toBe('westminster')
})

test('of equals the first wins, and without a match there is none', () => {
  expect(zoneOf({ country: 'FR' }, [zone('1', { countries: ['FR'] }), zone('2', { countries: ['FR'] })])?.id).toBe('1')
  expect(zoneOf({ country: 'FR' }, [us])).toBeNull()
  expect(zoneOf({ country: 'FR' }, [])).toBeNull()
})
