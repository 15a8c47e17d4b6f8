// Calls to networks that count those of an app, as of the installation: reads are bounded for all stores and for one,
// so that they leave the quota of publishing alone.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Quota } from '../../rules/social/networks/network.ts'
import { type NetworkType, networkLetters } from '../../rules/social/networks/network-types.ts'
import { networks } from '../../rules/social/networks/networks.ts'
import { sql } from '../kit/database/sql.ts'

/** The quota of the day is used up. */
export class QuotaExhausted extends Error {}

/** Which counter of which network, and the time in Unix seconds. */
type Counter = { type: NetworkType; quota: Quota; name: string; now: number }

async function spend(
  em: EntityManager,
  { type, quota, name, now }: Counter,
  units: number,
  most: number,
): Promise<void> {
  const { date } = quota.day(now)
  const letter = networkLetters[type].toLowerCase()
  const from = Date.parse(`${date}T00:00:00Z`) / 1000
  const rows: unknown[] = await em.execute(sql`
    insert into rate_windows (key, started_at, count, expires_at)
    values (${`social:${letter}:${name}:${date}`}, ${from}, ${units}, ${from + 2 * 86_400})
    on conflict (key, started_at) do update
    set count = rate_windows.count + excluded.count
    where rate_windows.count + excluded.count <= ${most}
    returning count
  `)
  if (rows.length === 0) throw new QuotaExhausted()
}

/**
 * One read of a store. In a transaction, which is rolled back by QuotaExhausted. Without a quota, nothing is counted.
 */
export async function spendRead(em: EntityManager, type: NetworkType, tenantId: string, now: number): Promise<void> {
  const { quota } = networks[type]
  if (!quota) return
  const { costs, limits } = quota
  await spend(em, { type, quota, name: `reads:${tenantId}`, now }, costs.read, limits.reads_of_store)
  await spend(em, { type, quota, name: 'reads', now }, costs.read, limits.reads)
}

/** One reply. In a transaction. Throws QuotaExhausted. */
export async function spendReply(em: EntityManager, type: NetworkType, now: number): Promise<void> {
  const { quota } = networks[type]
  if (quota) await spend(em, { type, quota, name: 'writes', now }, quota.costs.reply, quota.limits.writes)
}
