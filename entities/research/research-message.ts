// A message of a run of lead research, with its number in the run. An operator's message is answered by one turn; a
// turn writes one answer at most.
import { defineEntity, p } from '@mikro-orm/core'
import { ResearchMessageStatus, ResearchRole } from '../../rules/research/lead-research.ts'
import { tenantRow } from '../kit/database/row.ts'
import { ResearchRun } from './research-run.ts'

const schema = defineEntity({
  name: 'ResearchMessage',
  tableName: 'research_messages',
  properties: {
    ...tenantRow,
    research_run_id: () => p.manyToOne(ResearchRun).mapToPk().deleteRule('cascade').joinColumn('research_run_id'),
    seq: p.integer(),
    /** The caller's id of the message, or the row's own. */
    message_id: p.uuid(),
    /** The payload of an operator's message: the same id with another payload is a conflict. */
    fingerprint: p.string().length(64).nullable(),
    role: p.enum(ResearchRole.options),
    content: p.text(),
    /** Null of an answer. */
    status: p.enum(ResearchMessageStatus.options).nullable(),
    turn_id: p.uuid().nullable(),
    /**
     * The member that the turn was about; null for the answer to a message. No foreign key: the text stays.
     */
    member_id: p.uuid().nullable(),
    /** The answer is a question. */
    is_question: p.boolean().default(false),
    /** Code of why there is no answer. */
    error: p.string().nullable(),
    /** The operator who wrote it. */
    account_id: p.uuid().nullable(),
  },
  uniques: [{ properties: ['tenant_id', 'message_id'] }, { properties: ['research_run_id', 'seq'] }],
  indexes: [
    { properties: ['research_run_id', 'created_at', 'id'] },
    {
      name: 'research_messages_answer',
      expression: `
        create unique index "research_messages_answer" on "research_messages" ("turn_id")
        where role = 'assistant'
      `,
    },
    {
      name: 'research_messages_member',
      expression: `
        create index "research_messages_member" on "research_messages" ("member_id")
        where member_id is not null
      `,
    },
  ],
})
export class ResearchMessage extends schema.class {}
schema.setClass(ResearchMessage)
