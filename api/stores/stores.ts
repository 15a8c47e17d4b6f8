// The stores of an operator. A new store has everything that is needed to sell; only owners archive it.
import { z } from 'zod'
import { findRecord } from '../../entities/kit/find.ts'
import { storeUpdated } from '../../entities/stores/account-events.ts'
import { createTenant, newPublishableKey } from '../../entities/stores/new-tenant.ts'
import { seeStoresOf } from '../../entities/stores/team-members.ts'
import { Tenant } from '../../entities/stores/tenant.ts'
import { StoreKey } from '../../rules/input/identities.ts'
import { StoreOut, StoreStatus } from '../../rules/resources.ts'
import { anyCase } from '../../rules/shapes.ts'
import { listing } from '../kit/answer/listing.ts'
import { reading } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'
import { limitTenants } from '../limits/rate.ts'
import { changeTenant, Emails, Languages, Settings, Timezone, tenantFilters } from './tenant-fields.ts'

const changes = z.object({
  key: StoreKey.optional().describe(
    'Name of the {store} in addresses, unique in the installation: 3 to 63 lower-case letters, digits and hyphens.',
  ),
  timezone: Timezone.optional().describe(
    'Time zone of the {store}, as an IANA name. It cannot be changed while there are bookings in the future.',
  ),
  languages: Languages.optional().describe("Languages of the {store}'s content, the main one first."),
  emails: Emails.optional().describe('Addresses of the {store}.'),
  settings: Settings.optional().describe(
    'Settings of the {store}; unknown fields are stored as they are. Replaces the stored ones.',
  ),
  status: anyCase(StoreStatus)
    .optional()
    .describe('Status of the {store}. Archiving and restoring require the role `owner`.'),
})

export const stores = [
  listing('GET /v1/stores', {
    may: 'account',
    summary: 'List your {stores}',
    entity: Tenant,
    item: StoreOut,
    sorts: ['key'],
    filters: tenantFilters,
    async scope({ em, caller }) {
      await seeStoresOf(em, caller.account_id)
      return { kind: 'store' }
    },
  }),
  reading('GET /v1/stores/{storeId}', {
    may: 'admin',
    summary: 'Read a {store}',
    entity: Tenant,
    out: StoreOut,
    where: ({ tenant_id }) => ({ id: tenant_id }),
  }),
  route('POST /v1/stores', {
    may: 'account',
    refuses: ['key_taken', 'too_many_requests'],
    summary: 'Create a {store}',
    description:
      'The caller becomes its `super`. The {store} has the markets `us` and `eu`, the location `default`, the forms `contact`, `service-intake` and `order-notes`, and a publishable ' +
      'key. 409 `key_taken` if another {store} has the key. 429 `too_many_requests` beyond the number of stores and businesses that an account creates in a day.',
    body: z.object({
      key: StoreKey.describe(
        'Name of the {store} in addresses, unique in the installation: 3 to 63 lower-case letters, digits and hyphens.',
      ),
      timezone: Timezone.describe('Time zone of the {store}, as an IANA name.'),
      languages: Languages.default(['en']).describe(
        "Languages of the {store}'s content, the main one first; `en` by default.",
      ),
      emails: Emails.describe('Addresses of the {store}.'),
      settings: Settings.optional().describe('Settings of the {store}; unknown fields are stored as they are.'),
    }),
    out: StoreOut,
    status: 201,
    async run({ em, caller, body, now }) {
      await limitTenants(em, caller, now)
      return createTenant(em, 'store', { ...body, account_id: caller.account_id }, now)
    },
  }),
  route('PUT /v1/stores/{storeId}', {
    may: 'admin',
    refuses: ['bookings_ahead', 'forbidden', 'key_taken'],
    summary: 'Update a {store}',
    description:
      'Fields that are left out are kept; `settings` and `emails` are replaced as a whole. Archiving and restoring a {store} requires the role `owner`: 403 `forbidden`. Archiving ' +
      'cancels the plan of the {store} and the subscriptions of its members at the end of their paid time, and pauses its campaigns; restoring does not resume them. 409 ' +
      '`bookings_ahead` for another `timezone` while there are bookings in the future. 409 `key_taken` if another {store} has the key.',
    body: changes,
    out: StoreOut,
    run: ({ body, ...call }) => changeTenant(call, body),
  }),
  route('POST /v1/stores/{storeId}/publishable-key/rotate', {
    may: 'owner',
    summary: 'Rotate the publishable key',
    description: 'Returns the {store} with a new `publishable_key`. The previous key is refused from then on.',
    out: StoreOut,
    async run({ em, tenant_id, now }) {
      const store = await findRecord(em, Tenant, { id: tenant_id }, '{store}')
      em.assign(store, { publishable_key: newPublishableKey(), updated_at: now })
      await em.flush()
      await storeUpdated(em, store, now)
      return store
    },
  }),
]
