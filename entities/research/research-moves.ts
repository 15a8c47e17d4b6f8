// Lead research follows a membership that is united with another one: the runs, the pages that were read for it, and
// the newer insight of both.
import type { EntityManager } from '@mikro-orm/postgresql'
import { json, type Sql, sql } from '../kit/database/sql.ts'

/**
 * The CTE `runs`, which locks the runs about members of these contacts, by id. A statement that does not read it does
 * not lock them.
 */
export const researchOf = (tenantId: string, from: string, to: string): Sql => sql`
  runs as materialized (
    select r.id
    from research_runs r
    where r.tenant_id = ${tenantId}
      and r.id in (
        select x.research_run_id
        from research_members x
        join audience_members a on a.id = x.member_id and a.tenant_id = x.tenant_id
        where x.tenant_id = ${tenantId} and a.contact_id in (${from}, ${to})
      )
    order by r.id
    for no key update of r
  )
`

/** Before the lost members are deleted. A turn about one that its run researches twice is discarded. Two statements. */
export async function moveResearch(
  em: EntityManager,
  tenantId: string,
  places: readonly { lost: string; kept: string }[],
  now: number,
): Promise<void> {
  const merges = sql`merges as (select * from jsonb_to_recordset(${json(places)}) as p(lost uuid, kept uuid))`
  // The insight of the newer run stays.
  await em.execute(sql`
    with ${merges}
    delete from lead_insights i
    using merges
    join lead_insights o on o.tenant_id = ${tenantId} and o.member_id = merges.lost
    where i.tenant_id = ${tenantId}
      and i.member_id = merges.kept
      and coalesce(o.research_run_id > i.research_run_id, i.research_run_id is null and o.research_run_id is not null)
  `)
  await em.execute(sql`
    with ${merges},
    moved_insights as (
      update lead_insights i
      set member_id = merges.kept, updated_at = ${now}
      from merges
      where i.tenant_id = ${tenantId}
        and i.member_id = merges.lost
        and not exists (select 1 from lead_insights k where k.tenant_id = i.tenant_id and k.member_id = merges.kept)
    ),
    moved_sources as (
      update research_sources s
      set member_id = merges.kept
      from merges
      where s.tenant_id = ${tenantId} and s.member_id = merges.lost
    ),
    moved_messages as (
      update research_messages w
      set member_id = merges.kept
      from merges
      where w.tenant_id = ${tenantId} and w.member_id = merges.lost
    )
    update research_members m
    set member_id = merges.kept, updated_at = ${now}
    from merges
    where m.tenant_id = ${tenantId}
      and m.member_id = merges.lost
      and not exists (
        select 1
        from research_members k
        where k.tenant_id = m.tenant_id and k.research_run_id = m.research_run_id and k.member_id = merges.kept
      )
  `)
}
