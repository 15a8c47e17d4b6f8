// Booked time is reserved and released in the caller's transaction. Days are locked in (provider, date) order, and no
// slot exceeds its limit.
import type { EntityManager } from '@mikro-orm/postgresql'
import { conflict } from '../../rules/refusal.ts'
import { type BookedSlot, type DayTaken, moveTaken, occupancy } from '../../rules/scheduling/occupancy.ts'
import { localDatesOf } from '../../rules/scheduling/scheduling.ts'
import { json, sql } from '../kit/database/sql.ts'
import { knownLimits } from './booked-limits.ts'

export type BookedTime = { provider_id: string; slots: readonly BookedSlot[] }
/** Each slot with its limit. */
export type WantedTime = { provider_id: string; service_id: string; slots: readonly (BookedSlot & { limit: number })[] }

type Day = { provider_id: string; local_date: string }

const byProvider = (a: Day, b: Day) =>
  a.provider_id === b.provider_id ? (a.local_date < b.local_date ? -1 : 1) : a.provider_id < b.provider_id ? -1 : 1

const slotsOf = (times: readonly BookedTime[], providerId: string) =>
  times.filter((one) => one.provider_id === providerId).flatMap(({ slots }) => slots)

/** The days that these times touch, locked, by provider. A deleted provider has no days. */
async function lockDays(em: EntityManager, tenantId: string, zone: string, times: readonly BookedTime[]) {
  const touched = new Map<string, Day>()
  for (const { provider_id, slots } of times)
    for (const local_date of slots.flatMap((slot) => localDatesOf(slot, zone)))
      touched.set(`${provider_id}/${local_date}`, { provider_id, local_date })
  if (touched.size === 0) return []
  const keys = [...touched.values()].sort(byProvider)
  // A day without bookings has no row to lock: the statement creates it.
  const rows: (Day & DayTaken)[] = await em.execute(sql`
    insert into schedule_days (tenant_id, provider_id, local_date, taken)
    select p.tenant_id, d.provider_id, d.local_date, '[]'
    from jsonb_to_recordset(${json(keys)}) as d(provider_id uuid, local_date text)
    join providers p on p.id = d.provider_id and p.tenant_id = ${tenantId}
    order by d.provider_id, d.local_date
    on conflict (provider_id, local_date) do update
    set taken = schedule_days.taken
    returning provider_id, local_date, taken
  `)
  const days = [...Map.groupBy(rows, ({ provider_id }) => provider_id)].map(([provider_id, own]) => ({
    provider_id,
    days: own,
  }))
  return knownLimits(em, [tenantId], days)
}

/**
 * Checks the limits of all slots. 409 slot_taken for the first slot during which more bookings would take place than it
 * or one of them allows.
 */
function checkLimits(
  wanted: readonly WantedTime[],
  after: ReadonlyMap<string, readonly DayTaken[]>,
  zone: string,
): void {
  const rooms = new Map([...after].map(([provider_id, days]) => [provider_id, occupancy(days, zone)]))
  for (const { service_id, provider_id, slots } of wanted)
    for (const { from, to, limit } of slots) {
      if ((rooms.get(provider_id)?.({ from, to }, limit) ?? 0) >= 0) continue
      const requested = occupancy(moveTaken([], [], slotsOf(wanted, provider_id), zone), zone)
      const detail =
        requested({ from, to }, limit) < 0
          ? `The requested slots overlap: the provider takes ${limit} at a time.`
          : 'Another booking has taken this time.'
      throw conflict('slot_taken', detail, { members: { service_id, provider_id, slot: { from, to } } })
    }
}

/**
 * Releases some time and reserves other time, which may be the same. 409 slot_taken with the slot, unless `unchecked`.
 * Two statements, however many slots:
 * transactions that want the same days wait at the first one, and then see what is booked.
 */
export async function moveBookedTime(
  em: EntityManager,
  tenantId: string,
  zone: string,
  given: readonly BookedTime[],
  wanted: readonly WantedTime[],
  { unchecked = false } = {},
): Promise<void> {
  const providers = await lockDays(em, tenantId, zone, [...given, ...wanted])
  if (providers.length === 0) return
  const after = new Map(
    providers.map(({ provider_id, days }) => [
      provider_id,
      moveTaken(days, slotsOf(given, provider_id), slotsOf(wanted, provider_id), zone),
    ]),
  )
  if (!unchecked) checkLimits(wanted, after, zone)
  const moved = [...after].flatMap(([provider_id, days]) => days.map((day) => ({ provider_id, ...day })))
  await em.execute(sql`
    update schedule_days s
    set taken = d.taken
    from jsonb_to_recordset(${json(moved)}) as d(provider_id uuid, local_date text, taken jsonb)
    where s.tenant_id = ${tenantId} and s.provider_id = d.provider_id and s.local_date = d.local_date
  `)
}
