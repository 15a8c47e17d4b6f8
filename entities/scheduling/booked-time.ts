// Booked time is reserved and released in the caller's transaction. Days are locked in (provider, date) order, and no slot exceeds its limit.
import type { EntityManager } from '@mikro-orm/postgresql'
import { conflict } from '../../rules/refusal.ts'
import { localDatesOf, moveTaken, overlapping } from '../../rules/scheduling/scheduling.ts'
import type { Slot } from '../../rules/shapes.ts'
import { json, sql } from '../kit/sql.ts'

export type BookedTime = { provider_id: string; slots: readonly Slot[] }
/** `limit`: bookings of the provider that may overlap this one, itself included. */
export type WantedTime = BookedTime & { service_id: string; limit: number }

type DayRow = { provider_id: string; local_date: string; taken: [number, number][] }

const byProvider = (a: { provider_id: string; local_date: string }, b: { provider_id: string; local_date: string }) =>
  a.provider_id === b.provider_id ? (a.local_date < b.local_date ? -1 : 1) : a.provider_id < b.provider_id ? -1 : 1

const slotsOf = (times: readonly BookedTime[], providerId: string) => times.filter((one) => one.provider_id === providerId).flatMap(({ slots }) => slots)

/**
 * Releases some time and reserves other time, which may be the same. 409 slot_taken with the slot. Two statements, however many slots: transactions that want the
 * same days wait at the first one, and then see what is booked.
 */
export async function moveBookedTime(
  em: EntityManager,
  tenantId: string,
  zone: string,
  given: readonly BookedTime[],
  wanted: readonly WantedTime[],
): Promise<void> {
  const touched = new Map<string, { provider_id: string; local_date: string }>()
  for (const { provider_id, slots } of [...given, ...wanted])
    for (const local_date of slots.flatMap((slot) => localDatesOf(slot, zone))) touched.set(`${provider_id}/${local_date}`, { provider_id, local_date })
  if (touched.size === 0) return
  const keys = [...touched.values()].sort(byProvider)
  // A day without bookings has no row to lock: the statement creates it. A deleted provider has no days.
  const days: DayRow[] = await em.execute(
    sql`insert into schedule_days (tenant_id, provider_id, local_date, taken)
     select p.tenant_id, d.provider_id, d.local_date, '[]' from jsonb_to_recordset(${json(keys)}) as d(provider_id uuid, local_date text)
       join providers p on p.id = d.provider_id and p.tenant_id = ${tenantId} order by d.provider_id, d.local_date
     on conflict (provider_id, local_date) do update set taken = schedule_days.taken returning provider_id, local_date, taken`,
  )
  const moved = [...Map.groupBy(days, ({ provider_id }) => provider_id)].flatMap(([provider_id, own]) => {
    const after = moveTaken(own, slotsOf(given, provider_id), slotsOf(wanted, provider_id), zone)
    return after.map((day) => ({ provider_id, ...day }))
  })
  const after = Map.groupBy(moved, ({ provider_id }) => provider_id)
  for (const { service_id, provider_id, slots, limit } of wanted)
    for (const { from, to } of slots)
      if (overlapping({ from, to }, after.get(provider_id) ?? [], zone) > limit) {
        const own = slotsOf(wanted, provider_id).filter((other) => other.from < to && other.to > from)
        const detail = own.length > limit ? `The requested slots overlap: the provider takes ${limit} at a time.` : 'Another booking has taken this time.'
        throw conflict('slot_taken', detail, { members: { service_id, provider_id, slot: { from, to } } })
      }
  await em.execute(
    sql`update schedule_days s set taken = d.taken from jsonb_to_recordset(${json(moved)}) as d(provider_id uuid, local_date text, taken jsonb)
     where s.tenant_id = ${tenantId} and s.provider_id = d.provider_id and s.local_date = d.local_date`,
  )
}
