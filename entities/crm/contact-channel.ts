// An address of a contact. It is owned by one contact of the store (entered by an operator, imported or verified); one that a visitor entered is not owned.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/row.ts'
import { Contact } from './contact.ts'

const schema = defineEntity({
  name: 'ContactChannel',
  tableName: 'contact_channels',
  properties: {
    ...tenantRow,
    contact_id: () => p.manyToOne(Contact).mapToPk().deleteRule('cascade').joinColumn('contact_id'),
    type: p.enum(['email'] as const).default('email'),
    address: p.string().length(254),
    owned: p.boolean().default(false),
    verified_at: p.bigint('number').nullable(),
  },
  uniques: [{ properties: ['contact_id', 'type', 'address'] }],
  indexes: [
    {
      name: 'contact_channels_owner',
      expression: 'create unique index "contact_channels_owner" on "contact_channels" ("tenant_id", "type", "address") where owned',
    },
    // Orders and contacts are searched by a prefix of the address.
    { name: 'contact_channels_address', expression: 'create index "contact_channels_address" on "contact_channels" ("tenant_id", "address" text_pattern_ops)' },
  ],
})
export class ContactChannel extends schema.class {}
schema.setClass(ContactChannel)
