// What everybody may know about a store, and nothing else of it.
import { z } from 'zod'
import { Tenant } from '../../entities/stores/tenant.ts'
import { notFound } from '../../rules/refusal.ts'
import { route } from '../kit/route.ts'
import { nameOf } from './names.ts'

export const PublicStore = z
  .object({
    id: z.string(),
    key: z.string(),
    name: z.string(),
    timezone: z.string().describe('IANA name'),
    languages: z.array(z.string()),
    emails: z.object({ support: z.string().nullable() }),
  })
  .meta({ id: 'PublicStore' })

export const storefrontStore = [
  route('GET /v1/storefront/store', {
    may: 'visitor',
    contact: 'optional',
    summary: 'Read the store of the publishable key',
    out: PublicStore,
    async run({ em, tenant_id }) {
      const store = await em.findOneOrFail(Tenant, { id: tenant_id }, { failHandler: () => notFound('store') })
      const { id, key, timezone, languages, emails } = store
      return { id, key, name: nameOf(store), timezone, languages, emails: { support: emails.support } }
    },
  }),
]
