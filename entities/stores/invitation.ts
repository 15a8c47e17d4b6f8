// An invitation of an e-mail address to a team. The token is in the e-mail only; the row has its digest.
import { defineEntity, p } from '@mikro-orm/core'
import { InvitationStatus } from '../../rules/stores/invitations.ts'
import { StoreRole } from '../../rules/stores/roles.ts'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  properties: {
    ...tenantRow,
    email: p.string().length(254),
    role: p.enum(StoreRole.options),
    /** SHA-256 of the token that was mailed last. */
    token_digest: p.string().length(64).unique(),
    status: p.enum(InvitationStatus.options).default('pending'),
    /** The account that invited last: accepting needs what it may grant then. */
    invited_by: p.uuid(),
    mailed_at: p.bigint('number'),
    expires_at: p.bigint('number'),
  },
  indexes: [
    { properties: ['expires_at'] },
    {
      name: 'invitations_pending',
      expression: `
        create unique index "invitations_pending" on "invitations" ("tenant_id", "email")
        where status = 'pending'
      `,
    },
  ],
})
export class Invitation extends schema.class {}
schema.setClass(Invitation)
