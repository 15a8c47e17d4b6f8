// What has to be unique within a list is: the second of two is a fault, at its own place.
//   z.array(Price).check(distinct(({ market }) => market, 'market'))   → /prices/1/market, code duplicate
import type { z } from 'zod'

type Place = { key: unknown; path: (string | number)[] }

/** Unique over all of these places, however deep; null and undefined are never equal to anything. */
export const distinctPlaces =
  <T>(placesOf: (list: T[]) => Place[]) =>
  ({ value, issues }: z.core.ParsePayload<T[]>): void => {
    const seen = new Set<unknown>()
    for (const { key, path } of placesOf(value)) {
      if (key === null || key === undefined) continue
      if (seen.has(key)) issues.push({ code: 'custom', input: key, path, params: { code: 'duplicate' }, message: `It is there twice: ${key}` })
      seen.add(key)
    }
  }

/** `at` is where the key stands in an item. */
export const distinct = <T>(keyOf: (item: T) => unknown, ...at: string[]) =>
  distinctPlaces<T>((list) => list.map((item, index) => ({ key: keyOf(item), path: [index, ...at] })))
