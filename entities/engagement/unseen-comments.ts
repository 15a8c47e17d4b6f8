// Comments that no sync has seen for long are deleted: the terms of the networks bound how long they are kept.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/database/sql.ts'
import { firstIdAt, uuids } from '../kit/ids.ts'
import type { Round } from '../kit/table.ts'

// No index finds them: an index would have to change with every sync. Each round reads the next thousand by id, and
// wraps around.
let cursor = firstIdAt(0)

/** Those whose reply is open stay: it is sought in their thread. */
export async function sweepComments(em: EntityManager, { before, floor, batch }: Round): Promise<number> {
  const seen: { id: string; synced_at: number }[] = await em.execute(sql`
    select id, synced_at
    from social_comments
    where id > ${cursor} and id < ${floor}
    order by id
    limit ${batch}
  `)
  cursor = seen.length < batch ? firstIdAt(0) : (seen.at(-1)?.id ?? firstIdAt(0))
  const old = seen.filter(({ synced_at }) => synced_at < before).map(({ id }) => id)
  if (old.length === 0) return 0
  // Comments that a sync has locked are in use: they are skipped.
  const deleted: unknown[] = await em.execute(sql`
    delete from social_comments
    where id = any (
      array(
        select c.id
        from social_comments c
        where c.id = any (${uuids(old)})
          and c.synced_at < ${before}
          and not exists (
            select 1
            from social_replies r
            where r.tenant_id = c.tenant_id
              and r.root_id = coalesce(c.root_id, c.id)
              and r.status in ('requested', 'processing', 'unknown')
          )
        for update skip locked
      )
    )
    returning id
  `)
  return deleted.length
}
