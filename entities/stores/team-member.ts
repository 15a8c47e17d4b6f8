// What an operator may do in a store.
import { defineEntity, p } from '@mikro-orm/core'
import { Account } from '../accounts/account.ts'
import { tenantRow } from '../kit/row.ts'

const schema = defineEntity({
  name: 'TeamMember',
  tableName: 'team_members',
  properties: {
    ...tenantRow,
    account_id: () => p.manyToOne(Account).mapToPk().deleteRule('cascade').joinColumn('account_id'),
    role: p.enum(['admin', 'owner', 'super'] as const),
  },
  uniques: [{ properties: ['tenant_id', 'account_id'] }],
  indexes: [{ properties: ['account_id'] }],
})
export class TeamMember extends schema.class {}
schema.setClass(TeamMember)
