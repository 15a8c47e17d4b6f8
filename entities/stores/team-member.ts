// The role of an operator in a store.

import { defineEntity, p } from '@mikro-orm/core'
import { StoreRole } from '../../rules/stores/roles.ts'
import { Account } from '../accounts/account.ts'
import { tenantRow } from '../kit/row.ts'

const schema = defineEntity({
  name: 'TeamMember',
  tableName: 'team_members',
  properties: {
    ...tenantRow,
    account_id: () => p.manyToOne(Account).mapToPk().deleteRule('cascade').joinColumn('account_id'),
    role: p.enum(StoreRole.options),
  },
  uniques: [{ properties: ['tenant_id', 'account_id'] }],
  indexes: [{ properties: ['account_id'] }],
})
export class TeamMember extends schema.class {}
schema.setClass(TeamMember)
