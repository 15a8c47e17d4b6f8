// Limits of bookings that the version before 0.3 has written into schedule_days without them.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type BookedSlot, type DayTaken, lackLimits, withLimits } from '../../rules/scheduling/occupancy.ts'
import { sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import { offerOf } from './offers.ts'

type ProviderDays = { provider_id: string; days: readonly DayTaken[] }

const offer = offerOf({ link: 'l', service: 's', provider: 'p' })

/**
 * Adds limits to booked days. The same rows, with the limits of their bookings: a booking that has none of its own has
 * that of its link. One statement if a row needs it, else none.
 */
export async function knownLimits<R extends ProviderDays>(
  em: EntityManager,
  tenantIds: readonly string[],
  rows: readonly R[],
): Promise<R[]> {
  const lacking = rows.filter(({ days }) => lackLimits(days))
  if (lacking.length === 0) return [...rows]
  const times = lacking.flatMap(({ days }) => days.flatMap(({ taken }) => taken))
  const [from, to] = [
    times.reduce((least, one) => Math.min(least, one[0]), Infinity),
    times.reduce((most, one) => Math.max(most, one[1]), 0),
  ]
  const booked: (BookedSlot & { provider_id: string })[] = await em.execute(sql`
    select b.provider_id, s."from", s."to", coalesce(s."limit", ${offer.concurrent_limit}) as "limit"
    from order_bookings b
    cross join lateral jsonb_to_recordset(b.slots) as s("from" bigint, "to" bigint, "limit" int)
    left join service_providers l
      on l.service_id = b.service_id
      and l.provider_id = b.provider_id
      and l.tenant_id = b.tenant_id
    left join providers p on p.id = b.provider_id and p.tenant_id = b.tenant_id
    where b.tenant_id = any (${uuids(tenantIds)})
      and b.provider_id = any (${uuids(lacking.map(({ provider_id }) => provider_id))})
      and b.status <> 'cancelled'
      and b.ends_at > ${from}
      and b.starts_at < ${to}
  `)
  const slots = Map.groupBy(booked, ({ provider_id }) => provider_id)
  return rows.map((row) =>
    lackLimits(row.days) ? { ...row, days: withLimits(row.days, slots.get(row.provider_id) ?? []) } : row,
  )
}
