// What stores and businesses have in common: the fields that their operators send, and what a change of them entails.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { likePrefix } from '../../entities/accounts/accounts.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { lockForChange } from '../../entities/kit/locked-row.ts'
import { requestListings } from '../../entities/networks/listings.ts'
import { keepTimezone } from '../../entities/scheduling/bookings-ahead.ts'
import { storeUpdated } from '../../entities/stores/account-events.ts'
import { flushKey } from '../../entities/stores/new-tenant.ts'
import { type StoreSettings, Tenant } from '../../entities/stores/tenant.ts'
import { followGrace } from '../../entities/subscriptions/follow.ts'
import { stopStore } from '../../entities/subscriptions/store-archiving.ts'
import { GRACE_HOURS, GRACE_HOURS_MAX } from '../../rules/audiences/memberships.ts'
import { ReactionSettings } from '../../rules/community/reactions.ts'
import { EmailAddress } from '../../rules/input/email-addresses.ts'
import { LocaleTag } from '../../rules/input/locale-tags.ts'
import { PageUrl } from '../../rules/input/return-url.ts'
import { Refusal } from '../../rules/refusal.ts'
import { StoreStatus } from '../../rules/resources.ts'
import { anyCase } from '../../rules/shapes.ts'
import { Address, GeoLocation } from '../../rules/stores/addresses.ts'
import { atLeast } from '../../rules/stores/roles.ts'
import { filter } from '../kit/answer/listing.ts'
import type { Member } from '../kit/caller.ts'
import { flag, searchText } from '../kit/query.ts'

const settingsMax = 64 * 1024

/** Unknown fields are stored as they are, for programs of the store. */
export const Settings = z
  .looseObject({
    auto_confirm_paid: z
      .boolean()
      .optional()
      .describe('Whether a card order is confirmed as soon as it is paid; true by default.'),
    approval_hours: z
      .int()
      .min(1)
      .max(144)
      .optional()
      .describe('Hours in which a booking has to be approved that requires it; 72 by default.'),
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
    cart_url: PageUrl.optional().describe(
      'Page of the storefront that shows a cart. Agents link to the carts that they fill; the id is added to its query, as `cart_id=…` on both surfaces.',
    ),
    tokens: z
      .int()
      .min(0)
      .max(1_000_000_000_000)
      .optional()
      .describe(
        'Tokens that models may use for the {store} in a day (UTC), together; the limit of the installation (`MODEL_TOKENS_PER_DAY`) by default.',
      ),
    name: z
      .string()
      .trim()
      .max(200)
      .optional()
      .describe('Name of the {store} in e-mails and networks; its key by default.'),
    logo: PageUrl.optional().describe('Address of an image that networks show for the {store}.'),
    address: Address.optional().describe('Address that networks show for the {store}.'),
    reactions: ReactionSettings.optional().describe(
      'What customers may say of its records, and what waits for a moderator.',
    ),
    location: GeoLocation.optional().describe(
      'Where networks find the {store}, its providers, and services without a place of their own.',
    ),
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
export const Timezone = z
  .string()
  .trim()
  .max(64)
  .refine(isTimezone, 'Expected an IANA time zone such as `Europe/Zurich`.')
  .overwrite((name) => spelling.get(name.toLowerCase()) ?? name)

export const Languages = z
  .array(LocaleTag)
  .min(1)
  .max(100)
  .refine((codes) => new Set(codes).size === codes.length, 'Expected each language once.')

export const Emails = z
  .strictObject({
    billing: EmailAddress.nullish().describe('Address for invoices; null for none.'),
    support: EmailAddress.nullish().describe('Address for customers; null for none.'),
  })
  .transform(({ billing, support }) => ({ billing: billing ?? null, support: support ?? null }))

/** Filters of lists of stores or businesses. */
export const tenantFilters = {
  query: filter(searchText(63).describe("Beginning of a word of the {store}'s key, in any case."), (text) => {
    const prefix = likePrefix(text.toLowerCase())
    return { $or: [{ key: { $like: prefix } }, { key: { $like: `%-${prefix}` } }] }
  }),
  isNetwork: filter(flag, (is_network) => ({ is_network })),
  status: filter(anyCase(StoreStatus), (status) => ({ status })),
}

const given = <T extends object>(body: T) =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as Partial<T>

const graceHoursOf = ({ membership_grace_hours: hours }: StoreSettings): number => hours ?? GRACE_HOURS

type Changes = { [N in 'key' | 'timezone' | 'languages' | 'emails' | 'settings' | 'status']?: Tenant[N] | undefined }
type Changing = { em: EntityManager; caller: Member; tenant_id: string; now: number }

/**
 * Fields that are undefined are kept. 403 forbidden for an admin who archives or restores, 409 bookings_ahead, 409
 * key_taken.
 */
export async function changeTenant({ em, caller, tenant_id, now }: Changing, changes: Changes): Promise<Tenant> {
  // Locked: a concurrent request of an admin must not undo the archiving, and no booking may be made in the previous
  // time zone.
  const locked = changes.status !== undefined || changes.timezone !== undefined
  // The access of members follows a change of the settings: of concurrent ones, the later starts from what the earlier
  // wrote.
  if (changes.settings && !locked) await lockForChange(em, Tenant, tenant_id, '{store}')
  // One that began to be deleted while this waited is not restored.
  const store = await findRecord(
    em,
    Tenant,
    { id: tenant_id, erasing_at: null },
    '{store}',
    locked ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {},
  )
  const archives =
    changes.status !== undefined &&
    changes.status !== store.status &&
    [changes.status, store.status].includes('ARCHIVED')
  if (archives && !atLeast(caller.role, 'owner'))
    throw new Refusal(
      403,
      'forbidden',
      `Archiving and restoring a ${store.kind} requires the role \`owner\`; the caller has \`${caller.role}\`.`,
    )
  if (changes.timezone !== undefined && changes.timezone !== store.timezone) await keepTimezone(em, tenant_id, now)
  const before = graceHoursOf(store.settings)
  em.assign(store, { ...given(changes), updated_at: now })
  await flushKey(em)
  if (archives && changes.status === 'ARCHIVED') await stopStore(em, tenant_id, now)
  if (graceHoursOf(store.settings) !== before) await followGrace(em, tenant_id)
  if (changes.settings && store.is_network) await requestListings(em, tenant_id)
  await storeUpdated(em, store, now)
  return store
}
