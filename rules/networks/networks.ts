// What networks list, and how what they list is sorted.
import { z } from 'zod'

export const ListingKind = z.enum(['product', 'provider', 'service'])
export type ListingKind = z.infer<typeof ListingKind>

export const ListingSort = z.enum(['distance', 'price', 'rating', 'newest'])
export type ListingSort = z.infer<typeof ListingSort>

/**
 * The radii (metres) of the circles that are searched one after the other until a page is full: each has sixteen times
 * the surface of the one before.
 */
export function radiiOf(radiusM: number, beyondM: number): number[] {
  const radii = [radiusM]
  while (radii.length < 5 && (radii[0] as number) / 4 > beyondM) radii.unshift((radii[0] as number) / 4)
  // Behind a cursor, the first circle has little more than what was seen.
  const first = beyondM * 1.5
  return beyondM > 0 && first < (radii[0] as number) ? [first, ...radii.slice(-4)] : radii
}
