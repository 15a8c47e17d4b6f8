// Walks over the records of a tenant, in batches: a batch and its progress are one commit.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ListingKind } from '../../rules/networks/networks.ts'
import { json, sql, text } from '../kit/database/sql.ts'
import { lateRows } from '../kit/late-rows.ts'

const tables: Record<ListingKind, string> = { product: 'products', provider: 'providers', service: 'services' }

/** Locks the walk for one batch: its progress, or undefined where it has ended. */
export async function takeWalk(em: EntityManager, tenantId: string): Promise<{ progress: unknown } | undefined> {
  const rows: { progress: unknown }[] = await em.execute(
    sql`select progress from listing_walks where tenant_id = ${tenantId} for update`,
  )
  return rows[0]
}

/** Saves the progress of a walk in the transaction of its batch, under takeWalk's lock. */
export const moveWalk = (em: EntityManager, tenantId: string, progress: unknown, now: number) =>
  em.execute(sql`
    update listing_walks
    set progress = ${json(progress)}, updated_at = ${now}
    where tenant_id = ${tenantId}
  `)

export const endWalk = (em: EntityManager, tenantId: string) =>
  em.execute(sql`delete from listing_walks where tenant_id = ${tenantId}`)

export async function recordsAfter(
  em: EntityManager,
  tenantId: string,
  kind: ListingKind,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows: { id: string }[] = await em.execute(sql`
    select id
    from ${text(tables[kind])}
    where tenant_id = ${tenantId} and id > ${after}
    order by id
    limit ${limit}
  `)
  return rows.map(({ id }) => id)
}

/** Walks without progress for `graceS` seconds: their workflow may be lost. */
export const lateWalks = lateRows({
  from: sql`(select w.tenant_id, w.tenant_id as id, w.updated_at from listing_walks w) x`,
  at: 'x.updated_at',
  type: 'bigint',
  where: ({ idleS }) => sql`x.updated_at < (date_part('epoch', statement_timestamp()) - ${idleS})::bigint`,
})
