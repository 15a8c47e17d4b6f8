// The credential of a link that a member gets by e-mail. It is found by its digest; the value is encrypted, so that the link can be shown and sent again.
import { defineEntity, p } from '@mikro-orm/core'
import { Encrypted } from '../kit/encrypted.ts'
import { tenantRow } from '../kit/row.ts'
import { AudienceMember } from './audience-member.ts'

export const tokenScopes = ['confirm', 'unsubscribe', 'manage'] as const
export type TokenScope = (typeof tokenScopes)[number]

const schema = defineEntity({
  name: 'MemberToken',
  tableName: 'member_tokens',
  properties: {
    ...tenantRow,
    member_id: () => p.manyToOne(AudienceMember).mapToPk().deleteRule('cascade').joinColumn('member_id'),
    scope: p.enum(tokenScopes),
    digest: p.string().length(64).unique(),
    value: p.type(Encrypted),
    /** The address that a `confirm` token was mailed to. */
    address: p.string().length(254).nullable(),
    /** Unix seconds; null: never. */
    expires_at: p.bigint('number').nullable(),
  },
  indexes: [{ properties: ['member_id', 'scope', 'id'] }],
})
export class MemberToken extends schema.class {}
schema.setClass(MemberToken)
