// Postal addresses and places: of stores, buyers and bookings.
import { z } from 'zod'
import { PostalCode } from '../input/postal-codes.ts'
import { ComparedText } from '../input/texts.ts'
import { countryOf } from './countries.ts'

/** ISO 3166-1 alpha-2, accepted in any case. */
export const CountryCode = z.preprocess(
  (value: string) => (typeof value === 'string' ? value.trim().toUpperCase() : value),
  z
    .string()
    .regex(/^[A-Z]{2}$/, 'Expected the two letters of a country (ISO 3166-1).')
    .refine((code) => countryOf(code) !== undefined, 'Expected a country of ISO 3166-1.'),
)

const text = (max: number) => z.string().max(max).nullish()

/** All fields are optional: a storefront sends an address while it is typed. An empty country is null. */
export const Address = z
  .strictObject({
    name: text(200).describe('Name of the person or company, 200 characters at most.'),
    street1: text(300).describe('Street and number, 300 characters at most.'),
    street2: text(300).describe('Further line, such as floor or suite, 300 characters at most.'),
    city: text(200).describe('City, 200 characters at most.'),
    state: ComparedText.max(100)
      .nullish()
      .describe('State, province or region, as a code or a name, 100 characters at most.'),
    postal_code: PostalCode.nullish().describe('Postal code, 32 characters at most.'),
    country: z
      .preprocess((value: string | null | undefined) => (value === '' ? null : value), CountryCode.nullish())
      .optional()
      .meta({
        description: 'Country, ISO 3166-1 alpha-2, accepted in any case.',
        anyOf: [{ type: 'string', pattern: '^([A-Za-z]{2})?$' }, { type: 'null' }],
      }),
  })
  .meta({ id: 'Address', description: 'A postal address. Every field may be left out or null.' })
export type Address = z.infer<typeof Address>

/** Degrees of WGS 84. */
export const GeoLocation = z
  .strictObject({
    lat: z.number().min(-90).max(90).describe('Latitude in degrees (WGS 84).'),
    lng: z.number().min(-180).max(180).describe('Longitude in degrees (WGS 84).'),
  })
  .meta({ id: 'GeoLocation' })
export type GeoLocation = z.infer<typeof GeoLocation>

/** An address with its coordinates. */
export const Place = z
  .strictObject({ ...Address.shape, ...GeoLocation.partial().shape })
  .refine(({ lat, lng }) => (lat === undefined) === (lng === undefined), {
    error: 'Send `lat` and `lng`, or neither.',
    path: ['lat'],
  })
  .meta({ id: 'Place', description: 'A postal address with its coordinates. Every field may be left out.' })
export type Place = z.infer<typeof Place>
