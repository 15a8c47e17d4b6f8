// An operator: one e-mail address, one account, in any number of stores.
import { defineEntity, p } from '@mikro-orm/core'
import { globalRow } from '../row.ts'

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
})
export class Account extends schema.class {}
schema.setClass(Account)
