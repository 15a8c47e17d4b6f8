// The businesses of an operator, on the business surface. A business is a tenant as a store is: what is said once for
// both is in api/stores.
import { z } from 'zod'
import { Erasure } from '../../entities/erasure/erasure.ts'
import { beginErasure } from '../../entities/erasure/erasures.ts'
import { createTenant } from '../../entities/stores/new-tenant.ts'
import { seeStoresOf } from '../../entities/stores/team-members.ts'
import { Tenant } from '../../entities/stores/tenant.ts'
import { EmailAddress } from '../../rules/input/email-addresses.ts'
import { StoreKey } from '../../rules/input/identities.ts'
import { LocaleTag } from '../../rules/input/locale-tags.ts'
import { invalidInput } from '../../rules/refusal.ts'
import { StoreOut, StoreStatus } from '../../rules/resources.ts'
import { anyCase } from '../../rules/shapes.ts'
import { listing } from '../kit/answer/listing.ts'
import { reading } from '../kit/answer/record.ts'
import { NotYet, Reply } from '../kit/answer/replies.ts'
import { Success, success } from '../kit/answer/shapes.ts'
import { route } from '../kit/route.ts'
import { limitTenants } from '../limits/rate.ts'
import { changeTenant, Emails, Languages, Settings, Timezone, tenantFilters } from '../stores/tenant-fields.ts'

const LanguageOut = z.object({ id: z.string().max(35).describe('Code of the language.') })
const BusinessOut = StoreOut.extend({
  billing_email: z.string().nullable().describe('Address for invoices, as `emails.billing`; null for none.'),
  languages: z.array(LanguageOut).describe("Languages of the business's content, the main one first."),
}).meta({ id: 'Business' })

const LanguageIds = z
  .array(z.strictObject({ id: LocaleTag.describe('Code of the language, such as `en` or `pt-BR`.') }))
  .min(1)
  .max(100)
  .transform((languages) => languages.map(({ id }) => id))
  .pipe(Languages)
const BillingEmail = EmailAddress.nullable().describe('Address for invoices; the same as `emails.billing`.')

const fields = {
  key: StoreKey.describe(
    'Name of the business, unique in the installation: 3 to 63 lower-case letters, digits and hyphens.',
  ),
  timezone: Timezone.describe(
    'Time zone of the business, as an IANA name. It cannot be changed while there are bookings in the future.',
  ),
  languages: LanguageIds.describe("Languages of the business's content, the main one first."),
  emails: Emails.describe('Addresses of the business.'),
  settings: Settings.describe(
    'Settings of the business; unknown fields are stored as they are. Replaces the stored ones.',
  ),
}

const shown = (row: Tenant) => ({
  ...row,
  id: row.id,
  billing_email: row.emails.billing,
  languages: row.languages.map((id) => ({ id })),
})

type Addresses = { billing: string | null; support: string | null }
type Sent = { billing_email?: string | null | undefined; emails?: Addresses | undefined }

/** The addresses with that for invoices, which has two names; those before where one is left out. 422 differs. */
function emailsOf({ billing_email, emails }: Sent, before: Addresses): Addresses {
  if (billing_email === undefined) return emails ?? before
  if (emails && emails.billing !== null && emails.billing !== billing_email)
    throw invalidInput([
      { pointer: '/billing_email', code: 'differs', detail: 'Must equal `emails.billing`, if both are sent.' },
    ])
  return { ...(emails ?? before), billing: billing_email }
}

export const businesses = [
  listing('GET /v1/businesses', {
    may: 'account',
    summary: 'List your businesses',
    entity: Tenant,
    item: BusinessOut,
    sorts: ['key'],
    filters: tenantFilters,
    async scope({ em, caller }) {
      await seeStoresOf(em, caller.account_id)
      return { kind: 'business' }
    },
    load: async (_, rows: Tenant[]) => rows.map(shown),
  }),
  reading('GET /v1/businesses/{businessId}', {
    may: 'admin',
    summary: 'Read a business',
    entity: Tenant,
    out: BusinessOut,
    where: ({ tenant_id }) => ({ id: tenant_id }),
    show: shown,
  }),
  route('POST /v1/businesses', {
    may: 'account',
    refuses: ['key_taken', 'too_many_requests'],
    summary: 'Create a business',
    description:
      'The caller becomes its `Super`. The business has the markets `us`, `eu` and `booking`, the location `default`, the forms `contact`, `service-intake` and `order-notes`, and a ' +
      'publishable key. 409 `key_taken` if another store or business has the key. 429 `too_many_requests` beyond the number of stores and businesses that an account creates in a day.',
    body: z.object({
      ...fields,
      billing_email: EmailAddress.describe('Address for invoices; the same as `emails.billing`.'),
      languages: fields.languages.optional(),
      emails: fields.emails.optional(),
      settings: fields.settings.optional(),
    }),
    out: BusinessOut,
    status: 201,
    async run({ em, caller, body: { key, timezone, languages = ['en'], settings, ...addresses }, now }) {
      await limitTenants(em, caller, now)
      const emails = emailsOf(addresses, { billing: null, support: null })
      return shown(
        await createTenant(
          em,
          'business',
          { key, timezone, languages, settings, emails, account_id: caller.account_id },
          now,
        ),
      )
    },
  }),
  route('PUT /v1/businesses/{businessId}', {
    may: 'admin',
    refuses: ['bookings_ahead', 'forbidden', 'key_taken'],
    summary: 'Update a business',
    description:
      'Fields that are left out are kept; `settings` and `emails` are replaced as a whole. Archiving and restoring a business requires the role `Owner`: 403 `forbidden`. 409 ' +
      '`bookings_ahead` for another `timezone` while there are bookings in the future. 409 `key_taken` if another store or business has the key.',
    body: z
      .object({
        ...fields,
        billing_email: BillingEmail,
        status: anyCase(StoreStatus).describe(
          'Status of the business. Archiving and restoring require the role `Owner`.',
        ),
      })
      .partial(),
    out: BusinessOut,
    async run({ em, caller, tenant_id, body: { billing_email, emails, ...changes }, now }) {
      const given = { billing_email, emails }
      const before = billing_email === undefined ? undefined : await em.findOneOrFail(Tenant, { id: tenant_id })
      return shown(
        await changeTenant(
          { em, caller, tenant_id, now },
          { ...changes, emails: before ? emailsOf(given, before.emails) : emails },
        ),
      )
    },
  }),
  route('DELETE /v1/businesses/{businessId}', {
    may: 'super',
    refuses: ['capture_unknown', 'payment_must_be_refunded', 'refund_unknown'],
    summary: 'Delete a business with all its data',
    description:
      'Irreversible. Members, tokens, invitations, the publishable key and all addresses with a secret are refused from then on, webhooks and workflows are switched off. Open payment ' +
      'pages are closed and subscriptions are cancelled; then all records and files are deleted, and the key can be used again. What the payment provider has is kept there. ' +
      'Returns when this is done, or before if it takes longer: it continues. What a buyer pays meanwhile is refunded. 409 `refund_unknown` or `capture_unknown` while the outcome of a refund or ' +
      'a capture is unknown, `payment_must_be_refunded` while the refund of a payment that came for a cancelled order, or for a second subscription, was refused; resolve it first. What becomes open after that is awaited: `GET /v1/erasures` ' +
      'shows what it waits for. Captured payments are not refunded by the deletion: the deletion lists those of orders that were cancelled, not shipped, or booked ahead (`undelivered`), with their ids at the provider.',
    out: Success,
    async run({ em, caller, tenant_id, now }) {
      return new Reply(success, { pending: await beginErasure(em, tenant_id, caller.account_id, now) })
    },
    wait: {
      async until({ em, pending: id }) {
        const { status } = await em.findOneOrFail(Erasure, { id })
        return status === 'deleted' || status === 'succeeded' ? success : new NotYet(success)
      },
    },
  }),
]
