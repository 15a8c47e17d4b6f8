// The public fields of a store.
import { z } from 'zod'
import { findRecord } from '../../entities/kit/find.ts'
import { Tenant } from '../../entities/stores/tenant.ts'
import { storeName } from '../../rules/stores/store-name.ts'
import { route } from '../kit/route.ts'

export const PublicStore = z
  .object({
    id: z.string().describe('Identifier of the {store}, a UUIDv7 made by the server.'),
    key: z.string().describe('Name of the {store} in addresses, unique in the installation.'),
    name: z.string().describe('Name of the {store} for people.'),
    timezone: z.string().describe('Time zone of the {store}, as an IANA name.'),
    languages: z.array(z.string()).describe("Languages of the {store}'s content, the main one first."),
    emails: z
      .object({ support: z.string().nullable().describe('Address for customers; null for none.') })
      .describe('Addresses of the {store}.'),
  })
  .meta({ id: 'PublicStore' })

export const storefrontStore = [
  route('GET /v1/storefront/store', {
    may: 'visitor',
    refuses: ['not_found'],
    contact: 'optional',
    summary: 'Read the {store} of the publishable key',
    out: PublicStore,
    async run({ em, tenant_id }) {
      const store = await findRecord(em, Tenant, { id: tenant_id }, '{store}')
      const { id, key, timezone, languages, emails } = store
      return { id, key, name: storeName(store), timezone, languages, emails: { support: emails.support } }
    },
  }),
]
