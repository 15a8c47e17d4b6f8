// What an operator may do in a store.
import { defineEntity, p } from '@mikro-orm/core'
import { Account } from '../accounts/account.ts'
import { tenantRow } from '../row.ts'

const schema = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  properties: {
    ...tenantRow,
    account_id: () => p.manyToOne(Account).mapToPk().deleteRule('cascade').joinColumn('account_id'),
    role: p.enum(['admin', 'owner', 'super'] as const),
  },
  uniques: [{ properties: ['tenant_id', 'account_id'] }],
  indexes: [{ properties: ['account_id'] }],
})
export class Membership extends schema.class {}
schema.setClass(Membership)
