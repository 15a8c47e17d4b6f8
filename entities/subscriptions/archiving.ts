// The subscriptions of an archived audience end: live ones with their period, pages are closed. They end in
// batches, because an audience may have any number of members.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Sql, sql, text } from '../kit/database/sql.ts'
import { cancelOfArchived, runsOn } from './changes.ts'
import { lockSubscription } from './locks.ts'
import { requestClosing } from './pages.ts'

const hasOpenPage = (alias: string): Sql =>
  sql`${text(alias)}.status in ('waiting', 'pending') and not ${text(alias)}.cancel_requested`

/** Closes up to `limit` pages of an archived audience. Returns how many. `now` in Unix seconds. */
async function closePages(
  em: EntityManager,
  tenantId: string,
  audienceId: string,
  limit: number,
  now: number,
): Promise<number> {
  const found: { id: string }[] = await em.execute(sql`
    select s.id
    from subscriptions s
    join audience_members m on m.id = s.member_id and m.tenant_id = s.tenant_id
    where m.tenant_id = ${tenantId} and m.audience_id = ${audienceId} and ${hasOpenPage('s')}
    order by m.id
    limit ${limit}
  `)
  for (const { id } of found) {
    const row = await lockSubscription(em, { id, tenant_id: tenantId })
    if (row && !row.cancel_requested && (row.status === 'pending' || row.status === 'waiting'))
      await requestClosing(em, row, now)
  }
  return found.length
}

/** Whether the audience or its store is archived: a store may have been restored meanwhile. */
const isArchived = sql`
  (a.status = 'archived' or exists (select 1 from tenants t where t.id = a.tenant_id and t.status = 'ARCHIVED'))
`

/**
 * One batch of one archived audience, of any tenant. Returns false if no archived audience has a subscription that can
 * be ended now. Requires a transaction of its own. `now` in Unix seconds.
 */
export async function endArchived(em: EntityManager, limit: number, now: number): Promise<boolean> {
  // Audiences that another worker has locked are skipped: each batch has one worker.
  const [audience]: { id: string; tenant_id: string; archived: boolean }[] = await em.execute(sql`
    select a.id, a.tenant_id, ${isArchived} as archived
    from audiences a
    where a.ending
    order by a.id
    limit 1
    for no key update of a skip locked
  `)
  if (!audience) return false
  const { id, tenant_id, archived } = audience
  if (!archived) {
    // Its members continue, and those who join again stay.
    await em.execute(sql`update audiences set ending = false where tenant_id = ${tenant_id} and id = ${id}`)
    return true
  }
  const ended =
    (await cancelOfArchived(em, tenant_id, id, limit, now)) +
    (await closePages(em, tenant_id, id, Math.min(limit, 50), now))
  if (ended > 0) return true
  // A member that is locked at this moment is left to the next round.
  const unfinished = sql`
    select 1
    from audience_members m
    join subscriptions s on s.member_id = m.id and s.tenant_id = m.tenant_id
    where m.tenant_id = ${tenant_id} and m.audience_id = ${id} and (${runsOn('s')} or ${hasOpenPage('s')})
  `
  const cleared: unknown[] = await em.execute(sql`
    update audiences
    set ending = false
    where tenant_id = ${tenant_id} and id = ${id} and not exists (${unfinished})
    returning id
  `)
  return cleared.length > 0
}
