// Free slots of a service, computed from its links and the booked days of its providers. Orders are not read.
import type { EntityManager } from '@mikro-orm/postgresql'
import { invalid, notFound } from '../../rules/refusal.ts'
import { addDays, availability, localDateOf, slotsAtMost } from '../../rules/scheduling/scheduling.ts'
import { daysOf, type LinkDays } from './service-providers.ts'

/**
 * Days of the tenant's time zone, or instants in Unix seconds, whose days depend on the time zone. Both ends are
 * inclusive.
 */
export type Range = { unit: 'days'; from: string; to: string } | { unit: 'seconds'; from: number; to: number }

export type Wanted = {
  service_id: string
  provider_id?: string | undefined
  market?: string | undefined
  /** Minutes. */
  duration?: number | undefined
  range: Range
  /** Only what visitors may see. */
  visible: boolean
  /** Slots that are computed at most. */
  most: number
  /** What is wrong with a longer range. */
  pointer: string
}

type Day = ReturnType<typeof availability>[number]

const utcDate = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

/**
 * The days to read: no time zone is a day away from UTC, and a slot that starts on the last day may end on the next.
 */
const rowsOf = ({ unit, from, to }: Range) =>
  unit === 'days'
    ? { first: from, last: addDays(to, 1) }
    : { first: addDays(utcDate(from), -1), last: addDays(utcDate(to), 2) }

const startingIn = (days: Day[], from: number, to: number): Day[] =>
  days
    .map(({ date, slots }) => ({ date, slots: slots.filter((slot) => slot.from >= from && slot.from <= to) }))
    .filter(({ slots }) => slots.length > 0)

/**
 * The slots that can be booked now, by provider and day. One statement. 404 not_found, 422 too_many_slots. `now` in
 * Unix seconds.
 */
export async function freeSlots(
  em: EntityManager,
  tenantId: string,
  { range, visible, most, pointer, ...wanted }: Wanted,
  now: number,
) {
  const { service_id, provider_id, market, duration } = wanted
  const found = await daysOf(em, tenantId, { service_id, provider_id, market, ...rowsOf(range), all: !visible })
  if (!found || (visible && !(found.active && found.public))) throw notFound('service')
  const { zone, active, links } = found
  const { unit, from, to } = range
  const [first, last] = unit === 'days' ? [from, to] : [localDateOf(from, zone), localDateOf(to, zone)]
  const slots = active ? links.reduce((sum, link) => sum + slotsAtMost(link, first, last, duration), 0) : 0
  if (slots > most)
    throw invalid(
      pointer,
      'too_many_slots',
      `The range has more than ${most} slots. Send fewer days, one provider or one duration.`,
    )
  const free = (link: LinkDays): Day[] => {
    if (!active) return []
    const days = availability({ link, days: link.days, zone, first, last, now, duration })
    return unit === 'days' ? days : startingIn(days, from, to)
  }
  return { zone, providers: links.map((link) => ({ provider_id: link.provider_id, days: free(link) })) }
}
