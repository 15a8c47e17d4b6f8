// The role of an operator in a store. Until the operator acts there, the store learns nothing of them but the address
// that it entered.
import { defineEntity, p } from '@mikro-orm/core'
import { StoreRole } from '../../rules/stores/roles.ts'
import { Account } from '../accounts/account.ts'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'TeamMember',
  tableName: 'team_members',
  properties: {
    ...tenantRow,
    account_id: () => p.manyToOne(Account).mapToPk().deleteRule('cascade').joinColumn('account_id'),
    role: p.enum(StoreRole.options),
    /** When the account first acted in the store, accepted its invitation or created it; null until then. */
    accepted_at: p.bigint('number').nullable(),
  },
  uniques: [{ properties: ['tenant_id', 'account_id'] }],
  indexes: [{ properties: ['account_id'] }],
})
export class TeamMember extends schema.class {}
schema.setClass(TeamMember)
