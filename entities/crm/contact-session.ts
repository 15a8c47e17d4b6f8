// A visitor's session, identified by an opaque token of which the digest is stored.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/row.ts'
import { Contact } from './contact.ts'

const schema = defineEntity({
  name: 'ContactSession',
  tableName: 'contact_sessions',
  properties: {
    ...tenantRow,
    contact_id: () => p.manyToOne(Contact).mapToPk().deleteRule('cascade').joinColumn('contact_id'),
    token_digest: p.string().length(64).unique(),
    verified_at: p.bigint('number').nullable(),
    revoked_at: p.bigint('number').nullable(),
  },
  indexes: [
    { properties: ['contact_id', 'created_at', 'id'] },
    {
      name: 'contact_sessions_revoked',
      expression: 'create index "contact_sessions_revoked" on "contact_sessions" ("revoked_at") where revoked_at is not null',
    },
  ],
})
export class ContactSession extends schema.class {}
schema.setClass(ContactSession)
