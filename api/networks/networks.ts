// Networks of the installation and their members, for platform administrators.
import { z } from 'zod'
import { Network } from '../../entities/networks/network.ts'
import { createNetwork, removeNetwork, updateNetwork, withMembers } from '../../entities/networks/networks.ts'
import { StoreKey } from '../../rules/input/identities.ts'
import { CreatedAt, Id, UpdatedAt } from '../../rules/shapes.ts'
import { listing } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'

const tenant_ids = 'Identifiers of the stores and businesses of the network'

const NetworkOut = z
  .object({
    id: z.string().describe('Identifier of the network, a UUIDv7 made by the server.'),
    key: z.string().describe('Name of the network in addresses, unique in the installation.'),
    name: z.string().describe('Name of the network for people.'),
    tenant_ids: z.array(z.string()).describe(`${tenant_ids}.`),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Network', description: 'A network of stores and businesses, whose offers are searched together.' })

const fields = {
  key: StoreKey.describe(
    'Name of the network in addresses, unique in the installation: 3 to 63 lower-case letters, digits and hyphens.',
  ),
  name: z.string().trim().min(1).max(200).describe('Name of the network for people, 200 characters at most.'),
  tenant_ids: z
    .array(Id)
    .max(1000)
    .transform((ids) => [...new Set(ids)])
    .describe(`${tenant_ids}, 1000 at most. Replaces the stored ones.`),
}

const one = async <N extends { id: string }>(...[em, network]: [Parameters<typeof withMembers>[0], N]) => {
  const [found] = await withMembers(em, [network])
  return found as N & { tenant_ids: string[] }
}

export const platformNetworks = [
  listing('GET /v1/platform/networks', {
    may: 'platform',
    summary: 'List the networks',
    entity: Network,
    item: NetworkOut,
    load: (em, rows: Network[]) => withMembers(em, rows),
  }),
  reading('GET /v1/platform/networks/{id}', {
    may: 'platform',
    summary: 'Read a network',
    entity: Network,
    out: NetworkOut,
    show: (network, { em }) => one(em, network),
  }),
  route('POST /v1/platform/networks', {
    may: 'platform',
    refuses: ['key_taken'],
    summary: 'Create a network',
    description:
      'Active records of its members are listed soon; later changes of them at once. 409 `key_taken` if another network has the key. 422 for a store or business that does not ' +
      'exist.',
    body: z.object({ ...fields, tenant_ids: fields.tenant_ids.optional() }),
    out: NetworkOut,
    status: 201,
    run: async ({ em, body, now }) => one(em, await createNetwork(em, body, now)),
  }),
  route('PUT /v1/platform/networks/{id}', {
    may: 'platform',
    refuses: ['key_taken'],
    summary: 'Update a network',
    description:
      'Fields that are left out are kept. Records of a member that is removed are delisted at once. 409 `key_taken` if another network has the key. 422 for a store or business ' +
      'that does not exist.',
    body: z.object(fields).partial(),
    out: NetworkOut,
    run: async ({ em, path, body, now }) => one(em, await updateNetwork(em, path.id, body, now)),
  }),
  removing('DELETE /v1/platform/networks/{id}', {
    may: 'platform',
    summary: 'Delete a network with its listings',
    remove: ({ em, path, now }) => removeNetwork(em, path.id, now),
  }),
]
