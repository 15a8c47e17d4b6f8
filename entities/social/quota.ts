// Calls to network c, counted for the app of the installation: reads are bounded for all stores and for one, so that they leave the quota of publishing alone.
import type { EntityManager } from '@mikro-orm/postgresql'
import { pacificDay } from '../../rules/social/pauses.ts'
import { quotaCosts, quotaLimits } from '../../rules/social/quota.ts'
import { sql } from '../kit/database/sql.ts'

/** The quota of the day is used up. */
export class QuotaExhausted extends Error {}

async function spend(em: EntityManager, name: string, units: number, most: number, now: number): Promise<void> {
  const { date } = pacificDay(now)
  const from = Date.parse(`${date}T00:00:00Z`) / 1000
  const rows: unknown[] = await em.execute(sql`
    insert into rate_windows (key, started_at, count, expires_at)
    values (${`social:c:${name}:${date}`}, ${from}, ${units}, ${from + 2 * 86_400})
    on conflict (key, started_at) do update
    set count = rate_windows.count + excluded.count
    where rate_windows.count + excluded.count <= ${most}
    returning count
  `)
  if (rows.length === 0) throw new QuotaExhausted()
}

/** One read of a store. In a transaction, which is rolled back by QuotaExhausted. */
export async function spendRead(em: EntityManager, tenantId: string, now: number): Promise<void> {
  await spend(em, `reads:${tenantId}`, quotaCosts.read, quotaLimits.reads_of_store, now)
  await spend(em, 'reads', quotaCosts.read, quotaLimits.reads, now)
}

/** One reply. In a transaction. Throws QuotaExhausted. */
export const spendReply = (em: EntityManager, now: number): Promise<void> =>
  spend(em, 'writes', quotaCosts.reply, quotaLimits.writes, now)
