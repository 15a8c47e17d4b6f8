// What lead research found out about a member. The insight of an older run does not replace that of a newer one.
import { defineEntity, p } from '@mikro-orm/core'
import type { Signal } from '../../rules/research/research-quotes.ts'
import { tenantRow } from '../kit/database/row.ts'
import { AudienceMember } from './audience-member.ts'

const schema = defineEntity({
  name: 'LeadInsight',
  tableName: 'lead_insights',
  properties: {
    ...tenantRow,
    member_id: () => p.manyToOne(AudienceMember).mapToPk().deleteRule('cascade').joinColumn('member_id').unique(),
    insight: p.json<{ summary: string; score: number; signals: Signal[] }>(),
    /** The id of the run's row: later runs have greater ones. No foreign key: the insight outlives the run. */
    research_run_id: p.uuid().nullable(),
    /** The id of the run that the API shows. */
    run_id: p.uuid().nullable(),
    researched_at: p.bigint('number').nullable(),
  },
})
export class LeadInsight extends schema.class {}
schema.setClass(LeadInsight)
