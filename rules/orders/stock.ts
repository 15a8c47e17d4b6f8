// Allocates stock: exactly the requested quantities, and never more than is available.

/** `available`: units that can still be sold. */
export type Level = { variant_id: string; location_id: string; available: number }

/**
 * `location_id`: of what is picked up, where it has to be; null for what may come from anywhere. Equal variants have
 * the same one.
 */
export type WantedStock = { variant_id: string; quantity: number; location_id?: string | null }

export type Allocation = { variant_id: string; location_id: string; quantity: number }

export type Allocated = { ok: true; allocations: Allocation[] } | { ok: false; variant_id: string; available: number }

const byIds = (a: { variant_id: string; location_id: string }, b: { variant_id: string; location_id: string }) =>
  a.variant_id === b.variant_id ? (a.location_id < b.location_id ? -1 : 1) : a.variant_id < b.variant_id ? -1 : 1

/**
 * The locations that the requested variants are taken from, ordered by variant and location, which is the order of
 * locks. A location that can serve a variant completely is preferred; otherwise the quantity is split in order of
 * location id. What is picked up is taken from its place alone. Quantities of one variant are added up. A variant
 * without a level at any location is not tracked.
 *
 * Refused with the first variant, by id, that is short, and its available quantity (409 `out_of_stock`).
 */
export const allocate = (wanted: readonly WantedStock[], levels: readonly Level[]): Allocated => {
  const sums = new Map<string, number>()
  const places = new Map<string, string>()
  for (const { variant_id, quantity, location_id } of wanted) {
    sums.set(variant_id, (sums.get(variant_id) ?? 0) + quantity)
    if (location_id) places.set(variant_id, location_id)
  }
  const byVariant = Map.groupBy([...levels].sort(byIds), (level) => level.variant_id)

  const allocations: Allocation[] = []
  for (const [variant_id, quantity] of [...sums].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const all = byVariant.get(variant_id)
    if (!all) continue
    const place = places.get(variant_id)
    const own = place === undefined ? all : all.filter(({ location_id }) => location_id === place)
    const whole = own.find((level) => level.available >= quantity)
    let missing = quantity
    for (const { location_id, available } of whole ? [whole] : own) {
      const part = Math.min(missing, Math.max(available, 0))
      if (part > 0) allocations.push({ variant_id, location_id, quantity: part })
      missing -= part
    }
    if (missing > 0) return { ok: false, variant_id, available: quantity - missing }
  }
  return { ok: true, allocations }
}

/** The limit keeps sums of levels far below 2^53. */
export const availableMax = 1_000_000_000_000

/**
 * What an operator writes into a level: a number, or the difference to the present one. `if_available`: the present one
 * that the operator has seen; null for none.
 */
export type LevelWrite = {
  available?: number | undefined
  delta?: number | undefined
  if_available?: number | null | undefined
}
/** Why a level is not written. */
export const levelProblems = ['available_changed', 'out_of_stock', 'too_big'] as const

export type Written =
  | { ok: true; available: number }
  | { ok: false; code: (typeof levelProblems)[number]; detail: string }

/** The level after a write. `present`: null for a variant that has no level at the location. */
export const writtenLevel = (present: number | null, { available, delta, if_available }: LevelWrite): Written => {
  if (if_available !== undefined && if_available !== present)
    return {
      ok: false,
      code: 'available_changed',
      detail: present === null ? 'There is no level now.' : `The level is ${present} now.`,
    }
  const after = available ?? (present ?? 0) + (delta ?? 0)
  if (after < 0) return { ok: false, code: 'out_of_stock', detail: `Only ${present ?? 0} are left.` }
  if (after > availableMax) return { ok: false, code: 'too_big', detail: `A level is at most ${availableMax}.` }
  return { ok: true, available: after }
}
