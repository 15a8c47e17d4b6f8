// A visitor's session, identified by an opaque token of which the digest is stored. A sign-in replaces the token.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/database/row.ts'
import { Contact } from './contact.ts'

const schema = defineEntity({
  name: 'ContactSession',
  tableName: 'contact_sessions',
  properties: {
    ...tenantRow,
    contact_id: () => p.manyToOne(Contact).mapToPk().deleteRule('cascade').joinColumn('contact_id'),
    token_digest: p.string().length(64).unique(),
    verified_at: p.bigint('number').nullable(),
    /** The address that the code was mailed to; null of a session that version 0.2.0 verified. */
    verified_address: p.string().length(254).nullable(),
    revoked_at: p.bigint('number').nullable(),
    /** When it was last used, to the day; null since version 0.2.0. */
    used_at: p.bigint('number').nullable(),
    /** The token before the last sign-in, which is taken until `previous_until`, and proves nothing. */
    previous_digest: p.string().length(64).nullable(),
    previous_until: p.bigint('number').nullable(),
  },
  indexes: [
    { properties: ['contact_id', 'created_at', 'id'] },
    {
      name: 'contact_sessions_revoked',
      expression:
        'create index "contact_sessions_revoked" on "contact_sessions" ("revoked_at") where revoked_at is not null',
    },
    {
      name: 'contact_sessions_previous',
      expression: `
        create index "contact_sessions_previous" on "contact_sessions" ("previous_digest")
        where previous_digest is not null
      `,
    },
  ],
})
export class ContactSession extends schema.class {}
schema.setClass(ContactSession)
