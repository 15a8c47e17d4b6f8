// Where the orders of a store can be picked up.
import { z } from 'zod'
import { Location } from '../../entities/stores/location.ts'
import { Address } from '../../rules/stores/addresses.ts'
import { route } from '../kit/route.ts'

const PickupLocation = z
  .object({
    id: z.string().describe('Identifier of the location, to be sent as `pickup_location_id` of a cart.'),
    key: z.string().describe('Name of the location, unique in the {store}.'),
    address: Address.nullable().describe('Address of the location.'),
  })
  .meta({ id: 'PickupLocation' })

export const storefrontLocations = [
  route('GET /v1/storefront/locations', {
    operation: 'listPickupLocations',
    may: 'visitor',
    contact: 'optional',
    summary: 'List the locations where orders are picked up',
    description: 'Pickup locations whose address has a country; nothing can be picked up at others.',
    out: z.array(PickupLocation),
    async run({ em }) {
      const found = await em.find(Location, { is_pickup_location: true }, { orderBy: { created_at: 'asc', id: 'asc' } })
      return found.filter(({ address }) => address?.country)
    },
  }),
]
