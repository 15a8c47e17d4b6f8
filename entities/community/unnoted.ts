// What a process of a version without reactions deletes or merges during an upgrade: it leaves no note, and moves no reactions. The targets of all reactions are looked at in turns.
import type { EntityManager } from '@mikro-orm/postgresql'
import { heirOf } from '../crm/merge.ts'
import { lockContacts } from '../crm/moved-records.ts'
import { firstIdAt } from '../kit/ids.ts'
import { sql } from '../kit/sql.ts'
import { moveReactions } from './moving.ts'
import { targetExists } from './targets.ts'

const page = 1_000
const merges_s = 3_600

const none = '00000000-0000-0000-0000-000000000000'
const start = { tenant_id: none, target_id: none }
/** The last target that was looked at. After the last of all, a round begins again with the first. */
let seen = start

/** Notes the next thousand targets that do not exist; sweepOrphans deletes what was said of them. Returns how many. `now` in Unix seconds. */
export async function noteDeleted(em: EntityManager, now: number): Promise<number> {
  const [found]: { last: typeof seen | null; looked: number; noted: number }[] = await em.execute(
    // Each step of the recursion finds the next target by the index, past all reactions to the one before.
    sql`
      with recursive t as (
        (
          select r.tenant_id, r.target_id, r.target_type, 1 as n
          from reactions r
          where (r.tenant_id, r.target_id) > (${seen.tenant_id}::uuid, ${seen.target_id}::uuid)
          order by r.tenant_id, r.target_id
          limit 1
        )
        union all
        select x.*, t.n + 1
        from t
        cross join lateral (
          select r.tenant_id, r.target_id, r.target_type
          from reactions r
          where (r.tenant_id, r.target_id) > (t.tenant_id, t.target_id)
          order by r.tenant_id, r.target_id
          limit 1
        ) x
        where t.n < ${page}
      ),
      noted as (
        insert into reaction_removals (tenant_id, target_id, place_id, created_at)
        select s.tenant_id, s.target_id, s.target_id, ${now}::bigint
        from t s
        join tenants b on b.id = s.tenant_id and b.erasing_at is null
        where not ${targetExists('s')}
        on conflict do nothing
        returning 1
      )
      select
        (
          select jsonb_build_object('tenant_id', tenant_id, 'target_id', target_id)
          from t
          order by n desc
          limit 1
        ) as last,
        (select count(*)::int from t) as looked, (select count(*)::int from noted) as noted
    `,
  )
  seen = found?.last && found.looked === page ? found.last : start
  return found?.noted ?? 0
}

/** Moves the reactions that a merge of the last hour has left with a contact that does not exist any more. Returns the number of contacts. `now` in Unix seconds. */
export async function moveLeft(em: EntityManager, now: number): Promise<number> {
  const left: { tenant_id: string; source_id: string; target_id: string }[] = await em.execute(sql`
    select m.tenant_id, m.source_id, m.target_id
    from contact_merges m
    where m.id > ${firstIdAt(now - merges_s)}
      and exists (
        select 1
        from reactions r
        where r.tenant_id = m.tenant_id and r.author_id = m.source_id and r.slot is not null and not r.official
      )
    limit 100
  `)
  let moved = 0
  for (const merge of left)
    await em.transactional(async (at) => {
      const heir = await heirOf(at, merge)
      if (!heir) return
      await lockContacts(at, merge.tenant_id, [heir])
      await moveReactions(at, merge.tenant_id, merge.source_id, heir, now)
      moved++
    })
  return moved
}
