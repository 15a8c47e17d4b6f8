// A requested sign-in code of an operator or a contact: five attempts, used once.
import { defineEntity, p } from '@mikro-orm/core'
import { Audience } from '../../rules/accounts/challenges.ts'
import { globalRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'Challenge',
  tableName: 'challenges',
  properties: {
    ...globalRow,
    audience: p.enum(Audience.options),
    tenant_id: p.uuid().nullable(),
    /** The visitor's session that requested the code. */
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
