// Uniqueness within a list: every duplicate is an error at its place.
//   z.array(Price).check(distinct(({ market }) => market, 'market'))   → /prices/1/market, code duplicate
import type { z } from 'zod'

type Place = { key: unknown; path: (string | number)[] }

/** Values must be unique over all of these places, at any depth. Null and undefined are never duplicates. */
export const distinctPlaces =
  <T>(placesOf: (list: T[]) => Place[]) =>
  ({ value, issues }: z.core.ParsePayload<T[]>): void => {
    const seen = new Set<unknown>()
    for (const { key, path } of placesOf(value)) {
      if (key === null || key === undefined) continue
      if (seen.has(key))
        issues.push({
          code: 'custom',
          input: key,
          path,
          params: { code: 'duplicate' },
          message: `Duplicate value: \`${key}\`.`,
        })
      seen.add(key)
    }
  }

/** `at`: the path of the key in an item. */
export const distinct = <T>(keyOf: (item: T) => unknown, ...at: string[]) =>
  distinctPlaces<T>((list) => list.map((item, index) => ({ key: keyOf(item), path: [index, ...at] })))
