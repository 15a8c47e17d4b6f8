// An address to which an audience's e-mail is not sent. It stays when the member that opted out shows another address,
// is merged or ends.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/database/row.ts'
import { Audience } from './audience.ts'

const schema = defineEntity({
  name: 'AudienceOptOut',
  tableName: 'audience_opt_outs',
  properties: {
    ...tenantRow,
    audience_id: () => p.manyToOne(Audience).mapToPk().deleteRule('cascade').joinColumn('audience_id'),
    address: p.string().length(254),
    /**
     * The member that opted out, if its contact only claimed the address: the opt-out holds for members that were
     * created after it. Null: the owner of the address opted out, or a link that was mailed to it was used, and the
     * opt-out holds for every member that shows the address.
     */
    claimant_id: p.uuid().nullable(),
  },
  indexes: [
    {
      name: 'audience_opt_outs_address',
      expression: `
        create unique index "audience_opt_outs_address"
        on "audience_opt_outs" ("audience_id", "address", "claimant_id") nulls not distinct
      `,
    },
    {
      name: 'audience_opt_outs_claimant',
      expression: `
        create index "audience_opt_outs_claimant" on "audience_opt_outs" ("claimant_id")
        where claimant_id is not null
      `,
    },
  ],
})
export class AudienceOptOut extends schema.class {}
schema.setClass(AudienceOptOut)
