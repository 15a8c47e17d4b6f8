// The membership of a contact in an audience. One row per contact and audience, which stays when the membership ends.
import { defineEntity, p } from '@mikro-orm/core'
import { MemberDelivery, MemberSource, MemberStatus } from '../../rules/audiences/memberships.ts'
// Backwards: a foreign key, as a member is a contact.
import { Contact } from '../crm/contact.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Audience } from './audience.ts'
import { AudiencePrice } from './audience-price.ts'
import { AudienceTier } from './audience-tier.ts'

const schema = defineEntity({
  name: 'AudienceMember',
  tableName: 'audience_members',
  properties: {
    ...tenantRow,
    audience_id: () => p.manyToOne(Audience).mapToPk().deleteRule('cascade').joinColumn('audience_id'),
    contact_id: () => p.manyToOne(Contact).mapToPk().deleteRule('cascade').joinColumn('contact_id'),
    status: p.enum(MemberStatus.options),
    /**
     * Follows from `opted_out`, from what is known of the member's address, and from the opt-outs of the address:
     * member-delivery.ts.
     */
    delivery_status: p.enum(MemberDelivery.options).default('subscribed'),
    /** The member itself opted out of the audience's e-mail. */
    opted_out: p.boolean().default(false),
    source: p.enum(MemberSource.options),
    tier_id: () => p.manyToOne(AudienceTier).mapToPk().joinColumn('tier_id').nullable(),
    price_id: () => p.manyToOne(AudiencePrice).mapToPk().joinColumn('price_id').nullable(),
    /** End of the paid time; Unix seconds, like all times here. */
    paid_through_at: p.bigint('number').nullable(),
    /** Last second of access (rules/audiences/memberships.ts); null: no end. */
    access_until: p.bigint('number').nullable(),
    cancel_at: p.bigint('number').nullable(),
    /** The provider's word for the state of the subscription. */
    billing_status: p.string().nullable(),
    lead_description: p.text().nullable(),
    fields: p.json<Record<string, unknown>>(),
    joined_at: p.bigint('number').nullable(),
    ended_at: p.bigint('number').nullable(),
    /** When a pending membership was requested most recently. */
    pending_since: p.bigint('number').nullable(),
    /** What a pending membership was before, and becomes again if it is not confirmed; null: nothing. */
    status_before: p.enum(MemberStatus.options).nullable(),
  },
  checks: [
    { expression: "(status = 'pending') = (pending_since is not null)", name: 'audience_members_pending' },
    { expression: "status = 'pending' or (status = 'active') = (ended_at is null)", name: 'audience_members_ended' },
    { expression: "status <> 'active' or joined_at is not null", name: 'audience_members_joined' },
    { expression: 'paid_through_at is not null or access_until is null', name: 'audience_members_paid' },
  ],
  uniques: [{ properties: ['audience_id', 'contact_id'] }],
  indexes: [
    { properties: ['audience_id', 'created_at', 'id'] },
    { properties: ['audience_id', 'updated_at', 'id'] },
    { properties: ['audience_id', 'status', 'created_at', 'id'] },
    { properties: ['audience_id', 'delivery_status', 'created_at', 'id'] },
    { properties: ['audience_id', 'tier_id', 'created_at', 'id'] },
    { properties: ['audience_id', 'price_id', 'created_at', 'id'] },
    { properties: ['audience_id', 'source', 'created_at', 'id'] },
    { properties: ['audience_id', 'billing_status', 'created_at', 'id'] },
    {
      name: 'audience_members_grace',
      expression: `
        create index "audience_members_grace" on "audience_members" ("audience_id", "paid_through_at")
        where status = 'active' and paid_through_at is not null
      `,
    },
    { properties: ['contact_id', 'created_at', 'id'] },
    { properties: ['tier_id'] },
    { properties: ['price_id'] },
    {
      name: 'audience_members_overdue',
      expression: `
        create index "audience_members_overdue" on "audience_members" ("access_until", "id")
        where status = 'active' and access_until is not null
      `,
    },
    {
      name: 'audience_members_unconfirmed',
      expression: `
        create index "audience_members_unconfirmed" on "audience_members" ("pending_since")
        where status = 'pending'
      `,
    },
  ],
})
export class AudienceMember extends schema.class {}
schema.setClass(AudienceMember)
