// One sign-in of an operator. Only digests of its tokens are stored.
import { defineEntity, p } from '@mikro-orm/core'
import { globalRow } from '../kit/database/row.ts'
import { Encrypted } from '../kit/encrypted.ts'
import { Account } from './account.ts'

const schema = defineEntity({
  name: 'AccountSession',
  tableName: 'account_sessions',
  properties: {
    ...globalRow,
    account_id: () => p.manyToOne(Account).mapToPk().deleteRule('cascade').joinColumn('account_id'),
    /**
     * The store through which the operator signed in: the session acts in that store only. Null: in all of the
     * account's stores.
     */
    tenant_id: p.uuid().nullable(),
    access_digest: p.string().length(64).unique(),
    refresh_digest: p.string().length(64).unique(),
    access_expires_at: p.bigint('number'),
    refresh_expires_at: p.bigint('number'),
    revoked_at: p.bigint('number').nullable(),
    /** The number of rotations: a refresh token names the one that issued it. */
    generation: p.integer().default(0),
    /**
     * The refresh token before the last rotation: seen again within 10 seconds it gets the same new pair, later it
     * revokes the session.
     */
    rotated_digest: p.string().length(64).nullable(),
    rotated_at: p.datetime(3).nullable(),
    rotated_pair: p.type(Encrypted).nullable(),
  },
  indexes: [
    { properties: ['account_id', 'created_at', 'id'] },
    { properties: ['rotated_digest'] },
    {
      name: 'account_sessions_over',
      expression:
        'create index "account_sessions_over" on "account_sessions" (least("refresh_expires_at", "revoked_at"))',
    },
    {
      name: 'account_sessions_rotated',
      expression:
        'create index "account_sessions_rotated" on "account_sessions" ("rotated_at") where rotated_pair is not null',
    },
  ],
})
export class AccountSession extends schema.class {}
schema.setClass(AccountSession)
