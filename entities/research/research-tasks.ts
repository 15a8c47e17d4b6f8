// The task of a turn of lead research: the facts of the lead, or those of the run and its conversation.
import type { EntityManager } from '@mikro-orm/postgresql'
import { cut } from '../../rules/excerpts.ts'
import type { Turn } from '../../rules/models/model-formats.ts'
import { startPages } from '../../rules/research/research-addresses.ts'
import {
  type KnownMember,
  type Lead,
  leadTask,
  messageTurns,
  type SaidInRun,
} from '../../rules/research/research-prompts.ts'
import { emailSql } from '../audiences/member-rows.ts'
import { sql } from '../kit/database/sql.ts'
import { pagesOf, type Reader, teamAddresses } from './research-sources.ts'

const email = emailSql('a.tenant_id', 'a.contact_id')

/** The task of a turn about a member. Null: the member was deleted. */
export async function memberTask(
  em: EntityManager,
  reader: Reader,
  memberId: string,
  halvings: number,
): Promise<Turn[] | null> {
  const [lead]: Lead[] = await em.execute(sql`
    select ${email} as email, a.fields, a.lead_description as note
    from audience_members a
    where a.tenant_id = ${reader.tenant_id} and a.id = ${memberId}
  `)
  return lead
    ? [{ role: 'user', content: leadTask(lead, startPages(lead.email), await teamAddresses(em, reader), halvings) }]
    : null
}

const pagesMax = 60
const summaryMax = 300

export async function messageTask(
  em: EntityManager,
  reader: Reader,
  message: { seq: number; content: string },
  halvings: number,
): Promise<Turn[]> {
  const { tenant_id, run } = reader
  const members: KnownMember[] = await em.execute(sql`
    select m.member_id, ${email} as email, m.status, m.error, (i.insight -> 'score')::float8 as score,
      left(i.insight ->> 'summary', ${summaryMax >> halvings}) as summary
    from research_members m
    join audience_members a on a.id = m.member_id and a.tenant_id = m.tenant_id
    left join lead_insights i
      on i.member_id = m.member_id
      and i.tenant_id = m.tenant_id
      and i.research_run_id = m.research_run_id
    where m.tenant_id = ${tenant_id} and m.research_run_id = ${run}
    order by m.position
  `)
  const earlier: SaidInRun[] = await em.execute(sql`
    select w.role, w.content, case when a.id is not null then ${email} end as email
    from research_messages w
    left join audience_members a on a.id = w.member_id and a.tenant_id = w.tenant_id
    where w.tenant_id = ${tenant_id}
      and w.research_run_id = ${run}
      and w.status is distinct from 'waiting'
      and w.seq <> ${message.seq}
    order by w.seq desc
    limit 60
  `)
  const pages = (await pagesOf(em, reader))
    .filter(({ status }) => status === 'read')
    .slice(-(pagesMax >> halvings))
    .map(({ id: source_id, url, title, member_id }) => ({
      source_id,
      url,
      title: title && cut(title, 120),
      member_id,
    }))
  return messageTurns(
    message.content,
    { members, pages, team_addresses: await teamAddresses(em, reader) },
    earlier,
    halvings,
  )
}
