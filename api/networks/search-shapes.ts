// What a search of a network takes and answers with.
import { z } from 'zod'
import { PartName } from '../../rules/input/identities.ts'
import { ListingSort } from '../../rules/networks/networks.ts'
import { Address, GeoLocation } from '../../rules/stores/addresses.ts'
import { encoded, searchText, whole } from '../kit/query.ts'

export const Circle = z.strictObject({
  ...GeoLocation.shape,
  radius: z.number().positive().max(500).default(25).describe('Radius in miles, 500 at most; 25 by default.'),
})
export const location = encoded(Circle).describe(
  'JSON `{lat, lng, radius}`: only what is in this circle. Coordinates in degrees, the radius in miles (25 by default, 500 at most).',
)
const amount = (bound: string) =>
  whole(0, Number.MAX_SAFE_INTEGER).describe(`${bound} price in minor units, inclusive.`)
export const paged = {
  cursor: z.string().max(2000).optional().describe('Cursor of the page, as the page before returned it.'),
  limit: whole(1, 100).default(20).describe('Number of records per page, 1 to 100; 20 by default.'),
  query: searchText().optional().describe('Words that the record contains; each matches by its beginning.'),
}
export const prices = { price_min: amount('Lowest').optional(), price_max: amount('Highest').optional() }
export const category = PartName.optional().describe('Key of a taxonomy that the record is filed under.')
export const sortBy = (sorts: readonly [ListingSort, ...ListingSort[]]) =>
  ListingSort.extract(sorts)
    .optional()
    .describe('What the page is sorted by. By default `distance`, if it is possible, else `newest`.')
export const allSorts = ListingSort.options as [ListingSort, ...ListingSort[]]

const text = z.string().nullable()
const id = z.string().describe('Identifier of the record.')
const name = z.string().describe('The block `name`, else the key of the record.')
const description = text.describe('The block `description`; null without one.')
const priced = {
  price: z.int().nullable().describe('The least price, in minor units; null if it has none.'),
  currency: text.describe('Currency of the price; null without one.'),
}
const distance = z.int().optional().describe('Metres to the place of the request; only with `location`.')
const ofBusiness = {
  id: z.string().describe('Identifier of the store or business.'),
  name: z.string().describe('Its name, else its key.'),
  address: Address.nullable().describe('Its address; null if it is not set.'),
}
const ofShop = {
  slug: z.string().describe('Its key.'),
  logo: text.describe('Address of its logo; null if it is not set.'),
  rating: z.number().nullable().describe('Average of its ratings; null without any.'),
}
const images = z.array(z.string()).describe('Addresses of the images in its blocks.')

export const ServiceHit = z
  .object({
    id,
    name,
    description,
    ...priced,
    duration: z.int().nullable().describe('Minutes of a slot; null without providers.'),
    business: z.object({ ...ofBusiness, ...ofShop }).describe('Who offers it.'),
    distance,
  })
  .meta({ id: 'NetworkService' })
const { address: _, ...seller } = { ...ofBusiness, ...ofShop }
export const ProductHit = z
  .object({
    id,
    name,
    description,
    ...priced,
    images,
    inventory: z.int().nullable().describe('Units that can still be sold; null if they are not counted.'),
    business: z.object(seller).describe('Who sells it.'),
  })
  .meta({ id: 'NetworkProduct' })
export const ProviderHit = z
  .object({
    id,
    name,
    bio: text.describe('The block `bio`, else `description`; null without them.'),
    image: text.describe('Address of the first image in its blocks; null without one.'),
    services: z.array(z.object({ id, name })).describe('Its services, 100 at most.'),
    business: z.object(ofBusiness).describe('Where the provider works.'),
    distance,
  })
  .meta({ id: 'NetworkProvider' })
