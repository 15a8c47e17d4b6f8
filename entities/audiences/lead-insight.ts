// What lead research found out about a member.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/row.ts'
import { AudienceMember } from './audience-member.ts'

const schema = defineEntity({
  name: 'LeadInsight',
  tableName: 'lead_insights',
  properties: {
    ...tenantRow,
    member_id: () => p.manyToOne(AudienceMember).mapToPk().deleteRule('cascade').joinColumn('member_id').unique(),
    insight: p.json<Record<string, unknown>>(),
  },
})
export class LeadInsight extends schema.class {}
schema.setClass(LeadInsight)
