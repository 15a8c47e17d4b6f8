// Creates a store or a business that can sell at once: with markets, a location, three forms and a publishable key. Its
// creator is its super.
import { randomBytes } from 'node:crypto'
import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { defaultForms } from '../../rules/content/forms.ts'
import { conflict } from '../../rules/refusal.ts'
import type { PaymentMethod, Zone } from '../../rules/stores/markets.ts'
import { newForm } from '../content/forms.ts'
import { newId } from '../kit/ids.ts'
import { Counter } from './counter.ts'
import { Location } from './location.ts'
import { Market } from './market.ts'
import { TeamMember } from './team-member.ts'
import { type StoreSettings, Tenant } from './tenant.ts'

export type NewTenant = {
  key: string
  timezone: string
  languages: string[]
  emails: { billing: string | null; support: string | null }
  settings?: StoreSettings | undefined
  account_id: string
}

const markets = [
  { key: 'us', currency: 'USD', tax_mode: 'exclusive' },
  { key: 'eu', currency: 'EUR', tax_mode: 'inclusive' },
] as const
/** The market of a business's bookings. */
const bookingMarket = { key: 'booking', currency: 'USD', tax_mode: 'exclusive' } as const
const payment_methods: PaymentMethod[] = [
  { key: 'cash', type: 'cash' },
  { key: 'credit_card', type: 'card' },
]
const catchAll = (): Zone => ({
  id: newId(),
  name: 'Everywhere',
  countries: [],
  states: [],
  postal_codes: [],
  tax_bps: 0,
  shipping_methods: [],
})
/** The first order gets the number after this one. */
const lastOrderNumber = 1000

export const newPublishableKey = (): string => `till_pk_${randomBytes(32).toString('base64url')}`

/** Creates a tenant. 409 key_taken: keys are unique over all stores and businesses. */
export async function createTenant(
  em: EntityManager,
  kind: Tenant['kind'],
  { account_id, settings, ...given }: NewTenant,
  now: number,
): Promise<Tenant> {
  const row = () => ({ id: newId(), created_at: now, updated_at: now })
  const tenant = em.create(Tenant, {
    ...row(),
    ...given,
    kind,
    created_by: account_id,
    status: 'ACTIVE',
    is_network: false,
    settings: { auto_confirm_paid: true, ...settings },
    publishable_key: newPublishableKey(),
  })
  const tenant_id = tenant.id
  for (const market of markets)
    em.create(Market, { ...row(), tenant_id, ...market, zones: [catchAll()], payment_methods })
  if (kind === 'business') em.create(Market, { ...row(), tenant_id, ...bookingMarket, zones: [], payment_methods })
  // No country is inferred: nothing ships from here until an operator enters the address.
  em.create(Location, { ...row(), tenant_id, key: 'default', address: null, is_pickup_location: false })
  for (const [key, schema] of Object.entries(defaultForms)) newForm(em, tenant_id, { key, schema }, now)
  em.create(Counter, { tenant_id, name: 'order', value: lastOrderNumber })
  em.create(TeamMember, { ...row(), tenant_id, account_id, role: 'super', accepted_at: now })
  await flushKey(em)
  return tenant
}

/** Flushes; 409 key_taken if another store or business has the key, which ends the transaction. */
export async function flushKey(em: EntityManager): Promise<void> {
  try {
    await em.flush()
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException) || !/tenants_key_unique/.test(error.message)) throw error
    const detail = 'Another store or business has this key.'
    throw conflict('key_taken', detail, { faults: [{ pointer: '/key', code: 'key_taken', detail }] })
  }
}
