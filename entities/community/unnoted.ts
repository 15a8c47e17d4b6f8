// Targets and merges without a note: a process before 0.2, which knew no reactions, deleted a target or merged a
// contact while it ran beside this version.
import type { EntityManager } from '@mikro-orm/postgresql'
import { heirOf } from '../crm/merge.ts'
import { lockContacts } from '../crm/moved-records.ts'
import { sql } from '../kit/database/sql.ts'
import { moveReactions } from './contact-moves.ts'
import { targetExists } from './targets.ts'

type TargetKey = { tenant_id: string; target_id: string }

/**
 * Notes the targets that do not exist among the `limit` after this one; sweepOrphans deletes what was said of them.
 * `last`: the last target that was read, null if no other follows. `now` in Unix seconds.
 */
export async function noteDeleted(
  em: EntityManager,
  after: TargetKey,
  limit: number,
  now: number,
): Promise<{ last: TargetKey | null; noted: number }> {
  const [found]: { last: TargetKey | null; looked: number; noted: number }[] = await em.execute(
    // Each step of the recursion finds the next target by the index, past all reactions to the one before.
    sql`
      with recursive targets as (
        (
          select r.tenant_id, r.target_id, r.target_type, 1 as n
          from reactions r
          where (r.tenant_id, r.target_id) > (${after.tenant_id}::uuid, ${after.target_id}::uuid)
          order by r.tenant_id, r.target_id
          limit 1
        )
        union all
        select next_target.*, targets.n + 1
        from targets
        cross join lateral (
          select r.tenant_id, r.target_id, r.target_type
          from reactions r
          where (r.tenant_id, r.target_id) > (targets.tenant_id, targets.target_id)
          order by r.tenant_id, r.target_id
          limit 1
        ) next_target
        where targets.n < ${limit}
      ),
      removals as (
        insert into reaction_removals (tenant_id, target_id, place_id, created_at)
        select s.tenant_id, s.target_id, s.target_id, ${now}::bigint
        from targets s
        join tenants b on b.id = s.tenant_id and b.erasing_at is null
        where not ${targetExists('s')}
        on conflict do nothing
        returning 1
      )
      select
        (
          select jsonb_build_object('tenant_id', tenant_id, 'target_id', target_id)
          from targets
          order by n desc
          limit 1
        ) as last,
        (select count(*)::int from targets) as looked, (select count(*)::int from removals) as noted
    `,
  )
  return { last: found?.looked === limit ? found.last : null, noted: found?.noted ?? 0 }
}

/**
 * Moves the reactions that the first merge after this id has left with a contact that does not exist any more. `last`:
 * the merge, null if no other has left any.
 * `now` in Unix seconds.
 */
export async function moveLeft(
  em: EntityManager,
  after: string,
  now: number,
): Promise<{ last: string | null; moved: number }> {
  const [left]: { id: string; tenant_id: string; source_id: string; target_id: string }[] = await em.execute(sql`
    select m.id, m.tenant_id, m.source_id, m.target_id
    from contact_merges m
    where m.id > ${after}::uuid
      and exists (
        select 1
        from reactions r
        where r.tenant_id = m.tenant_id and r.author_id = m.source_id and r.slot is not null and not r.official
      )
    order by m.id
    limit 1
  `)
  if (!left) return { last: null, moved: 0 }
  const heir = await heirOf(em, left)
  if (heir) {
    await lockContacts(em, left.tenant_id, [heir])
    await moveReactions(em, left.tenant_id, left.source_id, heir, now)
  }
  return { last: left.id, moved: heir ? 1 : 0 }
}
