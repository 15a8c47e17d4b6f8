// A contact enrolled in a campaign: one copy for each contact and for each address.
import { defineEntity, p } from '@mikro-orm/core'
import { EnrollmentStatus } from '../../rules/campaigns/campaigns.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Campaign } from './campaign.ts'

const schema = defineEntity({
  name: 'Enrollment',
  tableName: 'enrollments',
  properties: {
    ...tenantRow,
    campaign_id: () => p.manyToOne(Campaign).mapToPk().deleteRule('cascade').joinColumn('campaign_id'),
    contact_id: p.uuid(),
    /** The membership that it was enrolled by; null: the contact or the address was named. */
    member_id: p.uuid().nullable(),
    audience_id: p.uuid().nullable(),
    /** The address as it was stored at the enrollment. */
    address: p.string().length(254),
    variables: p.json<Record<string, unknown>>(),
    /** `active` in a cancelled campaign is shown as `cancelled`. */
    status: p.enum(EnrollmentStatus.options).default('active'),
    /** The position of the next step. */
    step: p.integer().default(0),
    /**
     * When the next step is due, from the import on; while a worker has leased it, when the lease ends. Null after the
     * last step.
     */
    due_at: p.datetime(3).nullable(),
    /** Sends all its messages. Null until the first one is leased. */
    mailbox_id: p.uuid().nullable(),
    /** A random number: domains are mixed where messages are due at once. */
    shuffle: p.integer(),
  },
  uniques: [{ properties: ['campaign_id', 'contact_id'] }],
  indexes: [
    { properties: ['campaign_id', 'created_at', 'id'] },
    { properties: ['campaign_id', 'status', 'created_at', 'id'] },
    { properties: ['campaign_id', 'step', 'created_at', 'id'] },
    { properties: ['contact_id', 'created_at', 'id'] },
    { properties: ['member_id'] },
    // One copy for each address. Lists are searched by its beginning.
    {
      name: 'enrollments_address',
      expression:
        'create unique index "enrollments_address" on "enrollments" ("campaign_id", "address" text_pattern_ops)',
    },
    {
      name: 'enrollments_due',
      expression: `
        create index "enrollments_due" on "enrollments" ("campaign_id", "mailbox_id", "due_at", "shuffle")
        where status = 'active' and due_at is not null
      `,
    },
  ],
})
export class Enrollment extends schema.class {}
schema.setClass(Enrollment)
