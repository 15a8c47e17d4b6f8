// A page that a run of lead research reads: its text as the model read it, in which quotes are looked up, and the links
// that may be read next.
import { defineEntity, p } from '@mikro-orm/core'
import { SourceError, SourceStatus } from '../../rules/research/lead-research.ts'
import type { PageLink } from '../../rules/research/research-tools.ts'
import { AudienceMember } from '../audiences/audience-member.ts'
import { tenantRow } from '../kit/database/row.ts'
import { ResearchRun } from './research-run.ts'

const schema = defineEntity({
  name: 'ResearchSource',
  tableName: 'research_sources',
  properties: {
    ...tenantRow,
    research_run_id: () => p.manyToOne(ResearchRun).mapToPk().deleteRule('cascade').joinColumn('research_run_id'),
    /** The member that it was read for; null if it was read to answer a message. */
    member_id: () => p.manyToOne(AudienceMember).mapToPk().deleteRule('cascade').joinColumn('member_id').nullable(),
    turn_id: p.uuid(),
    /** The answer of the model that asked for it. */
    call_id: p.uuid(),
    /** The address that was requested. */
    url: p.text(),
    /** The address that answered, after redirects. */
    final_url: p.text().nullable(),
    status: p.enum(SourceStatus.options).default('requested'),
    /** Reads that were begun. */
    attempt: p.integer().default(0),
    error: p.enum(SourceError.options).nullable(),
    http_status: p.integer().nullable(),
    title: p.text().nullable(),
    /** Not read by lists. */
    content: p.text().nullable().lazy(),
    links: p.json<PageLink[]>().default('[]'),
    read_at: p.bigint('number').nullable(),
  },
  uniques: [{ properties: ['turn_id', 'url'] }],
  indexes: [{ properties: ['research_run_id', 'created_at', 'id'] }, { properties: ['member_id'] }],
})
export class ResearchSource extends schema.class {}
schema.setClass(ResearchSource)
