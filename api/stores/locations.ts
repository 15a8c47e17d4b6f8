// Locations of a store: each holds stock. One with an address can ship, and can be a pickup location.
import { z } from 'zod'
import { findRecord } from '../../entities/kit/find.ts'
import { newId } from '../../entities/kit/ids.ts'
import { flushKeyed } from '../../entities/kit/keys.ts'
import { Location } from '../../entities/stores/location.ts'
import { removeLocation } from '../../entities/stores/removals.ts'
import { Key } from '../../rules/input/identities.ts'
import { CreatedAt, UpdatedAt } from '../../rules/shapes.ts'
import { Address } from '../../rules/stores/addresses.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'

export const LocationOut = z
  .object({
    id: z.string().describe('Identifier of the location, a UUIDv7 made by the server.'),
    key: z.string().describe('Name of the location, unique in the {store}.'),
    address: Address.nullable().describe('Address that goods are shipped from; null until it is set.'),
    is_pickup_location: z
      .boolean()
      .describe('Whether customers can pick up goods there. It needs an address with a country.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Location' })

const body = z.object({
  key: Key.describe('Name of the location, unique in the {store}, of 1 to 255 printable characters.'),
  address: Address.nullable().describe(
    'Address that goods are shipped from; null until it is known. Shipping and pickup need its country.',
  ),
  is_pickup_location: z.boolean().optional().describe('Whether customers can pick up goods there; false by default.'),
})

export const locations = [
  route('GET /v1/stores/{storeId}/locations', {
    may: 'admin',
    summary: 'List the locations',
    out: z.array(LocationOut),
    run: ({ em }) => em.find(Location, {}, { orderBy: { created_at: 'asc', id: 'asc' } }),
  }),
  reading('GET /v1/stores/{storeId}/locations/{id}', {
    may: 'admin',
    summary: 'Read a location',
    entity: Location,
    out: LocationOut,
  }),
  route('POST /v1/stores/{storeId}/locations', {
    may: 'admin',
    refuses: ['key_taken'],
    summary: 'Create a location',
    description: '409 `key_taken` if another location has the key.',
    body,
    out: LocationOut,
    status: 201,
    async run({ em, tenant_id, body, now }) {
      const row = { id: newId(), tenant_id, created_at: now, updated_at: now }
      const location = em.create(Location, { ...row, is_pickup_location: false, ...body })
      await flushKeyed(em, 'location')
      return location
    },
  }),
  route('PUT /v1/stores/{storeId}/locations/{id}', {
    may: 'admin',
    refuses: ['key_taken'],
    summary: 'Update a location',
    description: 'Fields that are left out are kept. 409 `key_taken` if another location has the key.',
    body: body.partial(),
    out: LocationOut,
    async run({ em, path, body, now }) {
      const location = await findRecord(em, Location, { id: path.id }, 'location')
      em.assign(location, { ...body, updated_at: now })
      await flushKeyed(em, 'location')
      return location
    },
  }),
  removing('DELETE /v1/stores/{storeId}/locations/{id}', {
    may: 'admin',
    refuses: ['location_in_use'],
    summary: 'Delete an unused location',
    description: '409 `location_in_use` if the location holds stock, or if an order is picked up there.',
    remove: ({ em, tenant_id, path }) => removeLocation(em, tenant_id, path.id),
  }),
]
