// An address of a contact. An e-mail address is owned by one contact of the store (entered by an operator, imported or
// verified); one that a visitor entered is not owned. A channel that bounced, complained or withdrew its consent is
// never deleted.
import { defineEntity, p } from '@mikro-orm/core'
import { ChannelStatus, ChannelType, ConsentStatus } from '../../rules/crm/channels.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Contact } from './contact.ts'

const schema = defineEntity({
  name: 'ContactChannel',
  tableName: 'contact_channels',
  properties: {
    ...tenantRow,
    contact_id: () => p.manyToOne(Contact).mapToPk().deleteRule('cascade').joinColumn('contact_id'),
    type: p.enum(ChannelType.options).default('email'),
    address: p.string().length(254),
    /** The service of a social channel, such as `instagram`, and the person's id there. */
    provider: p.string().length(64).nullable(),
    provider_subject: p.string().length(254).nullable(),
    owned: p.boolean().default(false),
    verified_at: p.bigint('number').nullable(),
    /** The one of its type that is used; without one, an owned and then the latest is. */
    is_primary: p.boolean().default(false),
    status: p.enum(ChannelStatus.options).default('active'),
    consent_status: p.enum(ConsentStatus.options).default('unknown'),
    consent_source: p.string().length(100).nullable(),
    consent_at: p.bigint('number').nullable(),
  },
  indexes: [
    {
      name: 'contact_channels_contact',
      expression: `
        create unique index "contact_channels_contact"
        on "contact_channels" ("contact_id", "type", "address", coalesce("provider", ''))
      `,
    },
    {
      name: 'contact_channels_owner',
      expression: `
        create unique index "contact_channels_owner" on "contact_channels" ("tenant_id", "type", "address")
        where owned and type = 'email'
      `,
    },
    {
      name: 'contact_channels_subject',
      expression: `
        create unique index "contact_channels_subject"
        on "contact_channels" ("tenant_id", "provider", "provider_subject")
        where provider_subject is not null
      `,
    },
    {
      name: 'contact_channels_primary',
      expression:
        'create unique index "contact_channels_primary" on "contact_channels" ("contact_id", "type") where is_primary',
    },
    // Orders and contacts are searched by a prefix of the address.
    {
      name: 'contact_channels_address',
      expression:
        'create index "contact_channels_address" on "contact_channels" ("tenant_id", "address" text_pattern_ops)',
    },
  ],
})
export class ContactChannel extends schema.class {}
schema.setClass(ContactChannel)
