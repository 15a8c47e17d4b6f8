// The credential of a link that a member gets by e-mail. It is found by its digest; the value is encrypted, so that the
// link can be shown and sent again.
import { defineEntity, p } from '@mikro-orm/core'
// Backwards: a foreign key, as a link in a campaign is of one enrollment.
import { Enrollment } from '../campaigns/enrollment.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Encrypted } from '../kit/encrypted.ts'
import { AudienceMember } from './audience-member.ts'

export const tokenScopes = ['confirm', 'unsubscribe', 'manage'] as const
export type TokenScope = (typeof tokenScopes)[number]

const schema = defineEntity({
  name: 'MemberToken',
  tableName: 'member_tokens',
  properties: {
    ...tenantRow,
    /** Null: the token of an enrollment whose contact is no member. */
    member_id: () => p.manyToOne(AudienceMember).mapToPk().deleteRule('cascade').joinColumn('member_id').nullable(),
    /** The enrollment whose messages have the token, of the scope `unsubscribe`. */
    enrollment_id: () => p.manyToOne(Enrollment).mapToPk().deleteRule('cascade').joinColumn('enrollment_id').nullable(),
    scope: p.enum(tokenScopes),
    digest: p.string().length(64).unique(),
    value: p.type(Encrypted),
    /** The address that a `confirm` or `unsubscribe` token was mailed to, and whose reader it proves. */
    address: p.string().length(254).nullable(),
    /** Unix seconds; null: never. */
    expires_at: p.bigint('number').nullable(),
  },
  indexes: [
    { properties: ['member_id', 'scope', 'id'] },
    {
      name: 'member_tokens_enrollment',
      expression: `
        create unique index "member_tokens_enrollment" on "member_tokens" ("enrollment_id")
        where enrollment_id is not null
      `,
    },
  ],
  checks: [
    { name: 'member_tokens_owner', expression: 'member_id is not null or enrollment_id is not null' },
    { name: 'member_tokens_address', expression: "scope <> 'unsubscribe' or address is not null" },
  ],
})
export class MemberToken extends schema.class {}
schema.setClass(MemberToken)
