// An address belongs to one zone of its market: the one that describes it most closely.
import { stateCodeOf } from './countries.ts'
import type { Address, Zone } from './shapes.ts'

/** `sw1a 1aa` and `SW1A1AA` are one postal code. */
const compact = (postalCode: string) => postalCode.replace(/\s+/g, '').toUpperCase()

/** 0: nothing was asked; −1: no match; else the better, the closer. */
const postalMatch = (codes: readonly string[], address: Address | null): number => {
  if (codes.length === 0) return 0
  const code = compact(address?.postal_code ?? '')
  if (!code) return -1
  const scores = codes.map(compact).map((wanted) => {
    if (wanted === code) return Number.MAX_SAFE_INTEGER
    return wanted.endsWith('*') && code.startsWith(wanted.slice(0, -1)) ? wanted.length : -1
  })
  return scores.reduce((best, score) => Math.max(best, score), -1)
}

const stateMatch = (states: readonly string[], address: Address | null): number => {
  if (states.length === 0) return 0
  if (!address?.state?.trim()) return -1
  const state = stateCodeOf(address.country, address.state)
  return states.some((wanted) => stateCodeOf(address.country, wanted) === state) ? 1 : -1
}

const countryMatch = (countries: readonly string[], address: Address | null): number => {
  if (countries.length === 0) return 0
  const country = address?.country?.toUpperCase()
  return countries.some((wanted) => wanted.toUpperCase() === country) ? 1 : -1
}

/**
 * The zone with the most specific match: postal code (exact, then the longest prefix ending in `*`), then state, then country,
 * then no restriction. Every list that a zone gives must match; of equals, the market's first wins. Null if none matches; without an
 * address only a zone without restrictions does (API document 1, Market and Zone; design: commerce, Arithmetic).
 */
export const zoneOf = <Z extends Pick<Zone, 'countries' | 'states' | 'postal_codes'>>(address: Address | null, zones: readonly Z[]): Z | null => {
  const matches = zones
    .map((zone) => ({
      zone,
      score: [postalMatch(zone.postal_codes, address), stateMatch(zone.states, address), countryMatch(zone.countries, address)] as const,
    }))
    .filter(({ score }) => !score.includes(-1))
  matches.sort((a, b) => b.score[0] - a.score[0] || b.score[1] - a.score[1] || b.score[2] - a.score[2])
  return matches[0]?.zone ?? null
}
