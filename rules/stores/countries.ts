// Every country of ISO 3166-1 has a code, a name and its states, each state with a code.
import { allCountries } from 'country-region-data'
import { z } from 'zod'

export const LocationState = z
  .object({ code: z.string().describe('Code of the state within its country.'), name: z.string().describe('Name of the state in English.') })
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

/** The data set counts Svalbard and Jan Mayen to Norway, but ISO 3166-1 gives it a code of its own. */
const missing: LocationCountry[] = [{ code: 'SJ', name: 'Svalbard and Jan Mayen', states: [] }]

/** All countries by name, and Kosovo under its user-assigned code XK (API document 1, Country reference data). */
export const countries: readonly LocationCountry[] = allCountries
  .map(([name, code, regions]): LocationCountry => {
    // Some regions have no code (all of PR, …), which the data set writes as the word 'undefined' or not at all.
    const states = new Map(regions.map(([region, short]) => [short && short !== 'undefined' ? short : codeFromName(region), region]))
    return { code, name, states: [...states].map(([code, name]) => ({ code, name })) }
  })
  .concat(missing)
  .sort((a, b) => (a.name < b.name ? -1 : 1))

const byCode = new Map(countries.map((country) => [country.code, country]))

/** The country with this alpha-2 code, in any case; undefined if there is none (API document 1, Platform reference data). */
export const countryOf = (code: string): LocationCountry | undefined => byCode.get(code.trim().toUpperCase())

type StateWords = { codes: ReadonlySet<string>; names: ReadonlyMap<string, string> }
const words = new Map<string, StateWords>()

/** A country's states by code, and by name in upper case; made at the first use, because every state of every zone of a market is looked up. */
function stateWordsOf({ code, states }: LocationCountry): StateWords {
  const known = words.get(code)
  if (known) return known
  const made = {
    codes: new Set(states.map((state) => state.code)),
    // Of two states of one name the first counts.
    names: new Map(states.toReversed().map((state) => [state.name.toUpperCase(), state.code])),
  }
  words.set(code, made)
  return made
}

/**
 * The code of a state given by code or by name, in any case: people type `California`, `ca` or `US-CA` and mean one thing.
 * What is not known is answered as it came, in upper case, so that two equal unknown words still are equal.
 */
export const stateCodeOf = (country: string | null | undefined, state: string): string => {
  const word = state.trim().toUpperCase()
  const known = country ? countryOf(country) : undefined
  if (!known) return word
  const { codes, names } = stateWordsOf(known)
  const short = word.startsWith(`${known.code}-`) ? word.slice(known.code.length + 1) : word
  return codes.has(short) ? short : (names.get(word) ?? short)
}
