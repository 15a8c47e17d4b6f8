// Countries and their states, for address forms. Public reference data.
import { z } from 'zod'
import { notFound, Refusal } from '../../rules/refusal.ts'
import { countries, countryOf, LocationCountry } from '../../rules/stores/countries.ts'
import { pageOf } from '../kit/answer/listing.ts'
import { whole } from '../kit/query.ts'
import { route } from '../kit/route.ts'

const encode = (code: string) => Buffer.from(code).toString('base64url')

/** Index of the first country after the one of the cursor. 400 bad_cursor. */
function after(cursor: string | undefined): number {
  if (cursor === undefined || cursor === 'null') return 0
  const at = countries.findIndex(({ code }) => encode(code) === cursor)
  if (at < 0)
    throw new Refusal(400, 'bad_cursor', 'The cursor does not belong to this list. Omit it for the first page.')
  return at + 1
}

export const platformCountries = [
  route('GET /v1/platform/countries', {
    operation: 'listCountries',
    may: 'public',
    refuses: ['bad_cursor'],
    summary: 'List the countries by name',
    description: 'Without `limit` all countries are returned in one page.',
    query: z.object({ cursor: z.string().max(100).optional(), limit: whole(1, 100).optional() }),
    out: pageOf(LocationCountry),
    run({ query: { cursor, limit = countries.length } }) {
      const from = after(cursor)
      const items = countries.slice(from, from + limit)
      const last = items.at(-1)
      return { items, cursor: last && from + limit < countries.length ? encode(last.code) : null }
    },
  }),
  route('GET /v1/platform/countries/{countryCode}', {
    operation: 'getCountry',
    may: 'public',
    summary: 'Read a country by its code',
    textParameters: ['countryCode'],
    out: LocationCountry,
    run({ path }) {
      const country = countryOf(path.countryCode)
      if (!country) throw notFound('country')
      return country
    },
  }),
]
