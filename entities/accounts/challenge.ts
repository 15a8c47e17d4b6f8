// A sign-in code that was asked for: five tries in all, used once, of operators and of contacts alike.

import { defineEntity, p } from '@mikro-orm/core'
import { Audience } from '../../rules/accounts/challenges.ts'
import { globalRow } from '../kit/row.ts'

const schema = defineEntity({
  name: 'Challenge',
  tableName: 'challenges',
  properties: {
    ...globalRow,
    /** Who signs in: an operator, an operator through a store's page, or a contact of a store. */
    audience: p.enum(Audience.options),
    tenant_id: p.uuid().nullable(),
    /** The visitor's session that asked. */
    contact_session_id: p.uuid().nullable(),
    email: p.string().length(254),
    code_digest: p.string().length(64),
    tries: p.integer().default(0),
    expires_at: p.bigint('number'),
    consumed_at: p.bigint('number').nullable(),
  },
  checks: [{ expression: 'tries <= 5', name: 'challenges_tries' }],
  indexes: [{ properties: ['expires_at'] }, { properties: ['email', 'created_at'] }],
})
export class Challenge extends schema.class {}
schema.setClass(Challenge)
