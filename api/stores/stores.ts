// The stores of an operator. A new store has everything that is needed to sell; only owners archive it.
import { LockMode } from '@mikro-orm/core'
import { z } from 'zod'
import { likePrefix } from '../../entities/accounts/accounts.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { keepTimezone } from '../../entities/scheduling/bookings-ahead.ts'
import { storeUpdated } from '../../entities/stores/account-events.ts'
import { createStore, flushKey, newPublishableKey } from '../../entities/stores/new-store.ts'
import { seeStoresOf } from '../../entities/stores/team-members.ts'
import { type StoreSettings, Tenant } from '../../entities/stores/tenant.ts'
import { followGrace } from '../../entities/subscriptions/follow.ts'
import { stopStore } from '../../entities/subscriptions/store-archiving.ts'
import { GRACE_HOURS, GRACE_HOURS_MAX } from '../../rules/audiences/memberships.ts'
import { Email, StoreKey } from '../../rules/input/identities.ts'
import { PageUrl } from '../../rules/input/return-url.ts'
import { Refusal } from '../../rules/refusal.ts'
import { StoreOut, StoreStatus } from '../../rules/resources.ts'
import { anyCase } from '../../rules/shapes.ts'
import { atLeast } from '../kit/caller.ts'
import { filter, listing } from '../kit/listing.ts'
import { flag, searchText } from '../kit/query.ts'
import { reading } from '../kit/record.ts'
import { route } from '../kit/route.ts'

const settingsMax = 64 * 1024

/** Unknown fields are stored as they are, for programs of the store. */
const Settings = z
  .looseObject({
    auto_confirm_paid: z.boolean().optional().describe('Whether a card order is confirmed as soon as it is paid; true by default.'),
    booking_reminder_minutes: z
      .int()
      .min(0)
      .max(43_200)
      .optional()
      .describe(
        'Minutes before a booking at which its reminder is due; 0 for none. A new value applies to a booking when it is confirmed or changed, or when its reminder would have been due.',
      ),
    membership_grace_hours: z
      .int()
      .min(0)
      .max(GRACE_HOURS_MAX)
      .optional()
      .describe(
        `Hours for which a paid membership that is not ending grants access after its paid time, ${GRACE_HOURS} by default: the payment provider takes up to 72 hours to charge a renewal.`,
      ),
    membership_manage_url: PageUrl.optional().describe(
      'Page of the storefront where members manage their memberships; the token is added as the query parameter `token`. Without it, a page of this server.',
    ),
    name: z.string().trim().max(200).optional().describe('Name of the store in e-mails; its key by default.'),
  })
  .refine((settings) => JSON.stringify(settings).length <= settingsMax, 'Expected at most 64 KiB of JSON.')

/** An IANA name. Offsets such as `+01:00` are not accepted, as they have no daylight saving time. */
function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
const spelling = new Map(Intl.supportedValuesOf('timeZone').map((name) => [name.toLowerCase(), name]))
const Timezone = z
  .string()
  .trim()
  .max(64)
  .refine(isTimezone, 'Expected an IANA time zone such as `Europe/Zurich`.')
  .overwrite((name) => spelling.get(name.toLowerCase()) ?? name)

const Language = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/, 'Expected a language code such as `en` or `pt-BR`.')
const Languages = z
  .array(Language)
  .min(1)
  .max(100)
  .refine((codes) => new Set(codes).size === codes.length, 'Expected each language once.')

const Emails = z
  .strictObject({
    billing: Email.nullish().describe('Address for invoices; null for none.'),
    support: Email.nullish().describe('Address for customers; null for none.'),
  })
  .transform(({ billing, support }) => ({ billing: billing ?? null, support: support ?? null }))

const changes = z.object({
  key: StoreKey.optional().describe('Name of the store in addresses, unique in the installation: 3 to 63 lower-case letters, digits and hyphens.'),
  timezone: Timezone.optional().describe('Time zone of the store, as an IANA name. It cannot be changed while there are bookings in the future.'),
  languages: Languages.optional().describe("Languages of the store's content, the main one first."),
  emails: Emails.optional().describe('Addresses of the store.'),
  settings: Settings.optional().describe('Settings of the store; unknown fields are stored as they are. Replaces the stored ones.'),
  status: anyCase(StoreStatus).optional().describe('Status of the store. Archiving and restoring require the role `owner`.'),
})

const given = <T extends object>(body: T) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as Partial<T>

const graceHoursOf = ({ membership_grace_hours: hours }: StoreSettings): number => hours ?? GRACE_HOURS

export const stores = [
  listing('GET /v1/stores', {
    may: 'account',
    summary: 'List your stores',
    entity: Tenant,
    item: StoreOut,
    sorts: ['key'],
    filters: {
      query: filter(searchText(63).describe("Beginning of a word of the store's key, in any case."), (text) => {
        const prefix = likePrefix(text.toLowerCase())
        return { $or: [{ key: { $like: prefix } }, { key: { $like: `%-${prefix}` } }] }
      }),
      isNetwork: filter(flag, (is_network) => ({ is_network })),
      status: filter(anyCase(StoreStatus), (status) => ({ status })),
    },
    async scope({ em, caller }) {
      await seeStoresOf(em, caller.account_id)
      return { kind: 'store' }
    },
  }),
  reading('GET /v1/stores/{storeId}', { may: 'admin', summary: 'Read a store', entity: Tenant, out: StoreOut, where: ({ tenant_id }) => ({ id: tenant_id }) }),
  route('POST /v1/stores', {
    may: 'account',
    refuses: ['key_taken'],
    summary: 'Create a store',
    description:
      'The caller becomes its `super`. The store has the markets `us` and `eu`, the location `default`, the forms `contact`, `service-intake` and `order-notes`, and a publishable ' +
      'key. 409 `key_taken` if another store has the key.',
    body: z.object({
      key: StoreKey.describe('Name of the store in addresses, unique in the installation: 3 to 63 lower-case letters, digits and hyphens.'),
      timezone: Timezone.describe('Time zone of the store, as an IANA name.'),
      languages: Languages.default(['en']).describe("Languages of the store's content, the main one first; `en` by default."),
      emails: Emails.describe('Addresses of the store.'),
      settings: Settings.optional().describe('Settings of the store; unknown fields are stored as they are.'),
    }),
    out: StoreOut,
    status: 201,
    run: ({ em, caller, body, now }) => createStore(em, { ...body, account_id: caller.account_id }, now),
  }),
  route('PUT /v1/stores/{storeId}', {
    may: 'admin',
    refuses: ['bookings_ahead', 'forbidden', 'key_taken'],
    repeats: { id: 'storeId' },
    summary: 'Update a store',
    description:
      'Fields that are left out are kept; `settings` and `emails` are replaced as a whole. Archiving and restoring a store requires the role `owner`: 403 `forbidden`. Archiving ' +
      'cancels the plan of the store and the subscriptions of its members at the end of their paid time, and pauses its campaigns; restoring does not resume them. 409 ' +
      '`bookings_ahead` for another `timezone` while there are bookings in the future. 409 `key_taken` if another store has the key.',
    body: changes,
    out: StoreOut,
    async run({ em, caller, tenant_id, body, now }) {
      // Locked: a concurrent request of an admin must not undo the archiving, and no booking may be made in the previous time zone.
      const locked = body.status !== undefined || body.timezone !== undefined
      const store = await findRecord(em, Tenant, { id: tenant_id }, 'store', locked ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {})
      const archives = body.status !== undefined && body.status !== store.status && [body.status, store.status].includes('ARCHIVED')
      if (archives && !atLeast(caller.role, 'owner'))
        throw new Refusal(403, 'forbidden', `Archiving and restoring a store requires the role \`owner\`; the caller has \`${caller.role}\`.`)
      if (body.timezone !== undefined && body.timezone !== store.timezone) await keepTimezone(em, tenant_id, now)
      const before = graceHoursOf(store.settings)
      em.assign(store, { ...given(body), updated_at: now })
      await flushKey(em)
      if (archives && body.status === 'ARCHIVED') await stopStore(em, tenant_id, now)
      if (graceHoursOf(store.settings) !== before) await followGrace(em, tenant_id)
      await storeUpdated(em, store, now)
      return store
    },
  }),
  route('POST /v1/stores/{storeId}/publishable-key/rotate', {
    may: 'owner',
    summary: 'Rotate the publishable key',
    description: 'Returns the store with a new `publishable_key`. The previous key is refused from then on.',
    out: StoreOut,
    async run({ em, tenant_id, now }) {
      const store = await findRecord(em, Tenant, { id: tenant_id }, 'store')
      em.assign(store, { publishable_key: newPublishableKey(), updated_at: now })
      await em.flush()
      await storeUpdated(em, store, now)
      return store
    },
  }),
]
