// Finds the zone of an address: the most specific match of the market.
import { districtOf, postalCodeForm } from '../input/postal-codes.ts'
import type { Address } from '../stores/addresses.ts'
import { stateCodeOf } from '../stores/countries.ts'
import type { Zone } from '../stores/markets.ts'

type Places = Pick<Zone, 'countries' | 'states' | 'postal_codes'>

/**
 * The parts of an address in the form in which they are compared; null for a missing part. `district`: what the code of
 * one building is in.
 */
type AddressParts = {
  country: string | null
  state: string | null
  postal_code: string | null
  district: string | null
}

function partsOf(address: Address | null): AddressParts {
  const country = address?.country?.toUpperCase() ?? null
  const postal_code = postalCodeForm(address?.postal_code ?? '', country) || null
  return {
    country,
    state: address?.state?.trim() ? stateCodeOf(address.country, address.state) : null,
    postal_code,
    district: postal_code && districtOf(postal_code, country),
  }
}

// Score of each list: 0 if it is empty, −1 if it does not match, otherwise the greater the more specific. `missing` is
// the score of a part that the address lacks.

const countryMatch = (countries: readonly string[], { country }: AddressParts, missing: number): number => {
  if (countries.length === 0) return 0
  if (country === null) return missing
  return countries.includes(country) ? 1 : -1
}

const stateMatch = (states: readonly string[], { state, country }: AddressParts, missing: number): number => {
  if (states.length === 0) return 0
  if (state !== null && states.some((wanted) => stateCodeOf(country, wanted) === state)) return 1
  // The code of a state depends on the country.
  return state === null || country === null ? missing : -1
}

const exact = Number.MAX_SAFE_INTEGER
const inDistrict = exact - 1

const postalMatch = (
  codes: readonly string[],
  { postal_code, district, country }: AddressParts,
  missing: number,
): number => {
  if (codes.length === 0) return 0
  if (postal_code === null) return missing < 0 ? missing : exact
  let best = -1
  for (const code of codes) {
    const wanted = postalCodeForm(code, country)
    if (wanted === postal_code) return exact
    if (wanted === district) best = inDistrict
    else if (wanted.length > best && wanted.endsWith('*') && postal_code.startsWith(wanted.slice(0, -1)))
      best = wanted.length
  }
  return best
}

type Score = readonly [postal_code: number, state: number, country: number]
const order = (a: Score, b: Score) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]

/**
 * Scores a zone for an address. Null if a list does not match. Cheap comparisons come first, as a quote compares every
 * zone of its market.
 */
function scoreOf(zone: Places, parts: AddressParts, missing: 1 | -1): Score | null {
  const country = countryMatch(zone.countries, parts, missing)
  if (country < 0) return null
  const state = stateMatch(zone.states, parts, missing)
  if (state < 0) return null
  const postal = postalMatch(zone.postal_codes, parts, missing)
  return postal < 0 ? null : [postal, state, country]
}

function bestOf<Z extends Places>(parts: AddressParts, zones: readonly Z[]): { zone: Z; score: Score } | null {
  let best: { zone: Z; score: Score } | null = null
  for (const zone of zones) {
    const score = scoreOf(zone, parts, -1)
    if (score && (!best || order(score, best.score) > 0)) best = { zone, score }
  }
  return best
}

/**
 * The zone with the most specific match: postal code (exact, then its district, then the longest prefix ending in
 * `*`), then state, then country, then no restriction. Every list of a zone must match; among equal matches the first
 * zone is used. Null if none matches; without an address, only a zone without restrictions matches.
 */
export const zoneOf = <Z extends Places>(address: Address | null, zones: readonly Z[]): Z | null =>
  bestOf(partsOf(address), zones)?.zone ?? null

/**
 * Whether the tax depends on a country, state or postal code that the address lacks: with it, a zone with another rate
 * could be the most specific match.
 */
export function isTaxUndecided(address: Address | null, zones: readonly (Places & Pick<Zone, 'tax_bps'>)[]): boolean {
  const parts = partsOf(address)
  const found = bestOf(parts, zones)
  return zones.some((zone) => {
    if (zone.tax_bps === (found?.zone.tax_bps ?? 0)) return false
    const score = scoreOf(zone, parts, 1)
    return score !== null && (!found || order(score, found.score) > 0)
  })
}
