// Countries of ISO 3166-1 with their states, and the code of a state by its name.
import { allCountries } from 'country-region-data'
import { z } from 'zod'

export const LocationState = z
  .object({
    code: z.string().describe('Code of the state within its country.'),
    name: z.string().describe('Name of the state in English.'),
  })
  .meta({ id: 'LocationState', description: 'A state, province or region of a country.' })
export type LocationState = z.infer<typeof LocationState>

export const LocationCountry = z
  .object({
    code: z.string().describe('Code of the country, ISO 3166-1 alpha-2.'),
    name: z.string().describe('Name of the country in English.'),
    states: z.array(LocationState).describe('States, provinces or regions of the country.'),
  })
  .meta({ id: 'LocationCountry' })
export type LocationCountry = z.infer<typeof LocationCountry>

const codeFromName = (name: string) =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .toUpperCase()

/** The data set includes Svalbard and Jan Mayen in Norway, but ISO 3166-1 has a code for it. */
const missing: LocationCountry[] = [{ code: 'SJ', name: 'Svalbard and Jan Mayen', states: [] }]

/** All countries by name, and Kosovo under its user-assigned code XK. */
export const countries: readonly LocationCountry[] = allCountries
  .map(([name, code, regions]): LocationCountry => {
    // Some regions have no code (all of PR, …): the data set has the text 'undefined' or no value.
    const states = new Map(
      regions.map(([region, short]) => [short && short !== 'undefined' ? short : codeFromName(region), region]),
    )
    return { code, name, states: [...states].map(([code, name]) => ({ code, name })) }
  })
  .concat(missing)
  .sort((a, b) => (a.name < b.name ? -1 : 1))

const byCode = new Map(countries.map((country) => [country.code, country]))

/** The country with this alpha-2 code, in any case; undefined if there is none. */
export const countryOf = (code: string): LocationCountry | undefined => byCode.get(code.trim().toUpperCase())

type StateIndex = { codes: ReadonlySet<string>; names: ReadonlyMap<string, string> }
const indexes = new Map<string, StateIndex>()

/** States of a country by code, and by name in upper case. Built at the first use. */
function stateIndexOf({ code, states }: LocationCountry): StateIndex {
  const cached = indexes.get(code)
  if (cached) return cached
  const made = {
    codes: new Set(states.map((state) => state.code)),
    // The first of two states with the same name takes precedence.
    names: new Map(states.toReversed().map((state) => [state.name.normalize('NFC').toUpperCase(), state.code])),
  }
  indexes.set(code, made)
  return made
}

/**
 * The code of a state given by code or by name, in any case and Unicode form: `California`, `ca` and `US-CA` are
 * equal. An unknown state is returned in upper case, so that two equal unknown states stay equal.
 */
export const stateCodeOf = (country: string | null | undefined, state: string): string => {
  const text = state.trim().normalize('NFC').toUpperCase()
  const found = country ? countryOf(country) : undefined
  if (!found) return text
  const { codes, names } = stateIndexOf(found)
  const short = text.startsWith(`${found.code}-`) ? text.slice(found.code.length + 1) : text
  return codes.has(short) ? short : (names.get(text) ?? short)
}
