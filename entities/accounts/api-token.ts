// A long-lived credential of an operator's own programs; its value is shown once.
import { defineEntity, p } from '@mikro-orm/core'
import { globalRow } from '../kit/database/row.ts'
import { Account } from './account.ts'

const schema = defineEntity({
  name: 'ApiToken',
  tableName: 'api_tokens',
  properties: {
    ...globalRow,
    account_id: () => p.manyToOne(Account).mapToPk().deleteRule('cascade').joinColumn('account_id'),
    name: p.string(),
    digest: p.string().length(64).unique(),
    expires_at: p.bigint('number').nullable(),
  },
  indexes: [{ properties: ['account_id', 'created_at', 'id'] }],
})
export class ApiToken extends schema.class {}
schema.setClass(ApiToken)
