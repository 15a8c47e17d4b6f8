// A subscription for which nothing is paid is replaced by one that is paid for. The membership continues without it
// until then.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Sql, sql, text } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'

/** The rule `isFree` (offer.ts) for the row `alias` of subscriptions. */
export const freeSql = (alias: string): Sql =>
  text(`(${alias}.kind = 'one_time' and ${alias}.amount = ${alias}.discount_amount)`)

/**
 * Ends the free subscriptions of these members; they stay active members. Requires the locks of the members. `now` in
 * Unix seconds.
 */
export async function endFree(
  em: EntityManager,
  tenantId: string,
  memberIds: readonly string[],
  now: number,
): Promise<void> {
  await em.execute(sql`
    update subscriptions s
    set status = 'ended', ended_at = ${now}, updated_at = ${now}
    where tenant_id = ${tenantId} and member_id = any (${uuids(memberIds)}) and status = 'live' and ${freeSql('s')}
  `)
}
