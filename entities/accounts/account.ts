// An operator. One account per e-mail address, a member of any number of stores.
import { defineEntity, p } from '@mikro-orm/core'
import { globalRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    ...globalRow,
    email: p.string().length(254).unique(),
    name: p.string().nullable(),
    last_login_at: p.bigint('number').nullable(),
    onboarding_completed: p.boolean().default(false),
  },
  indexes: [
    { properties: ['created_at', 'id'] },
    // A search by prefix needs another order than the default collation's.
    {
      name: 'accounts_email_prefix',
      expression: 'create index "accounts_email_prefix" on "accounts" ("email" varchar_pattern_ops)',
    },
    {
      name: 'accounts_name_prefix',
      expression: 'create index "accounts_name_prefix" on "accounts" (lower("name") text_pattern_ops)',
    },
  ],
})
export class Account extends schema.class {}
schema.setClass(Account)
