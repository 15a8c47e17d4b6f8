// A member of a run of lead research. One turn of the run researches it.
import { defineEntity, p } from '@mikro-orm/core'
import { ResearchStatus } from '../../rules/research/lead-research.ts'
import { AudienceMember } from '../audiences/audience-member.ts'
import { tenantRow } from '../kit/database/row.ts'
import { ResearchRun } from './research-run.ts'

const schema = defineEntity({
  name: 'ResearchMember',
  tableName: 'research_members',
  properties: {
    ...tenantRow,
    research_run_id: () => p.manyToOne(ResearchRun).mapToPk().deleteRule('cascade').joinColumn('research_run_id'),
    member_id: () => p.manyToOne(AudienceMember).mapToPk().deleteRule('cascade').joinColumn('member_id'),
    position: p.integer(),
    status: p.enum(ResearchStatus.options).default('queued'),
    error: p.string().nullable(),
    turn_id: p.uuid().nullable(),
    /** Signals of the last insight that the run recorded. */
    signals: p.integer().default(0),
    /** Signals without their quote, of all that the model gave. */
    signals_dropped: p.integer().default(0),
  },
  uniques: [{ properties: ['research_run_id', 'member_id'] }],
  indexes: [
    { properties: ['member_id'] },
    {
      name: 'research_members_turn',
      expression: `
        create unique index "research_members_turn" on "research_members" ("turn_id")
        where turn_id is not null
      `,
    },
  ],
})
export class ResearchMember extends schema.class {}
schema.setClass(ResearchMember)
