// A tenant: a store or, on the business surface, a business. It owns the rows of all tenant tables.
import { defineEntity, p } from '@mikro-orm/core'
import { StoreStatus } from '../../rules/resources.ts'
import { tenantKinds } from '../../rules/stores/tenant-kinds.ts'
import { Account } from '../accounts/account.ts'
import { globalRow } from '../kit/database/row.ts'

export type StoreSettings = {
  auto_confirm_paid?: boolean | undefined
  booking_reminder_minutes?: number | undefined
  membership_grace_hours?: number | undefined
  membership_manage_url?: string | undefined
  cart_url?: string | undefined
} & Record<string, unknown>

const schema = defineEntity({
  name: 'Tenant',
  tableName: 'tenants',
  properties: {
    ...globalRow,
    kind: p.enum(tenantKinds).default('store'),
    key: p.string().length(63).unique(),
    timezone: p.string(),
    languages: p.json<string[]>(),
    emails: p.json<{ billing: string | null; support: string | null }>(),
    settings: p.json<StoreSettings>(),
    status: p.enum(StoreStatus.options).default('ACTIVE'),
    is_network: p.boolean().default(false),
    publishable_key: p.string().unique(),
    /** The account that created it, for which its work is counted; null after that account was deleted. */
    created_by: () => p.manyToOne(Account).mapToPk().deleteRule('set null').joinColumn('created_by').nullable(),
    /** Since when it is being erased: none of its credentials is accepted any more. */
    erasing_at: p.bigint('number').nullable(),
  },
  indexes: [{ properties: ['created_by'] }],
})
export class Tenant extends schema.class {}
schema.setClass(Tenant)
