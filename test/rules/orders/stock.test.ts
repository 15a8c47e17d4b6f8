// Allocations never exceed the stock levels and add up to exactly the wanted quantity.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { allocate } from '../../../rules/orders/stock.ts'
import { draws } from '../../kit/draws.ts'

const level = (variant_id: string, location_id: string, available: number) => ({ variant_id, location_id, available })

test('A variant that is picked up is taken from its place alone', () => {
  const levels = [level('v', 'a', 9), level('v', 'b', 2), level('w', 'a', 1)]
  const at = (variant_id: string, quantity: number, location_id: string | null) =>
    allocate([{ variant_id, quantity, location_id }], levels)
  expect(at('v', 2, 'b')).toEqual({ ok: true, allocations: [{ variant_id: 'v', location_id: 'b', quantity: 2 }] })
  expect([at('v', 3, 'b'), at('w', 1, 'b')]).toEqual([
    { ok: false, variant_id: 'v', available: 2 },
    { ok: false, variant_id: 'w', available: 0 },
  ])
  expect([at('x', 3, 'b'), at('v', 10, null)]).toEqual([
    { ok: true, allocations: [] },
    {
      ok: true,
      allocations: [
        { variant_id: 'v', location_id: 'a', quantity: 9 },
        { variant_id: 'v', location_id: 'b', quantity: 1 },
      ],
    },
  ])
})

test('A location that can serve the whole line is preferred to a split', () => {
  expect(
    allocate([{ variant_id: 'v', quantity: 5 }], [level('v', 'a', 3), level('v', 'c', 9), level('v', 'b', 5)]),
  ).toEqual({
    ok: true,
    allocations: [{ variant_id: 'v', location_id: 'b', quantity: 5 }],
  })
})

test('A line that no location can serve alone is split in the order of locations', () => {
  expect(
    allocate([{ variant_id: 'v', quantity: 7 }], [level('v', 'c', 4), level('v', 'b', 0), level('v', 'a', 5)]),
  ).toEqual({
    ok: true,
    allocations: [
      { variant_id: 'v', location_id: 'a', quantity: 5 },
      { variant_id: 'v', location_id: 'c', quantity: 2 },
    ],
  })
})

test('A variant without a stock level is not tracked and never runs out', () => {
  expect(allocate([{ variant_id: 'w', quantity: 1_000_000 }], [level('v', 'a', 1)])).toEqual({
    ok: true,
    allocations: [],
  })
})

test('Insufficient stock is refused with the variant and its rest', () => {
  expect(allocate([{ variant_id: 'v', quantity: 6 }], [level('v', 'a', 3), level('v', 'b', 2)])).toEqual({
    ok: false,
    variant_id: 'v',
    available: 5,
  })
  expect(allocate([{ variant_id: 'v', quantity: 1 }], [level('v', 'a', 0)])).toEqual({
    ok: false,
    variant_id: 'v',
    available: 0,
  })
})

test('Two lines of one variant cannot take the same unit', () => {
  const wanted = [
    { variant_id: 'v', quantity: 2 },
    { variant_id: 'v', quantity: 2 },
  ]
  expect(allocate(wanted, [level('v', 'a', 3)])).toEqual({ ok: false, variant_id: 'v', available: 3 })
})

test('Allocations never exceed a level, add up, are in lock order and fail only without stock', () => {
  const variant = fc.constantFrom('u', 'v', 'w')
  const levels = fc.uniqueArray(
    fc.record({
      variant_id: variant,
      location_id: fc.constantFrom('a', 'b', 'c', 'd'),
      available: fc.integer({ min: -2, max: 6 }),
    }),
    {
      selector: (one) => `${one.variant_id}/${one.location_id}`,
    },
  )
  const wanted = fc.array(fc.record({ variant_id: variant, quantity: fc.integer({ min: 1, max: 8 }) }), {
    maxLength: 4,
  })
  fc.assert(
    fc.property(wanted, levels, fc.nat(), (wanted, levels, turn) => {
      const sum = (rows: readonly { variant_id: string; quantity: number }[], id: string) =>
        rows.filter(({ variant_id }) => variant_id === id).reduce((total, { quantity }) => total + quantity, 0)
      const stock = (id: string) =>
        levels
          .filter(({ variant_id }) => variant_id === id)
          .reduce((total, { available }) => total + Math.max(0, available), 0)
      const isTracked = (id: string) => levels.some(({ variant_id }) => variant_id === id)

      const result = allocate(wanted, levels)
      const rotated = [...levels.slice(turn % (levels.length + 1)), ...levels.slice(0, turn % (levels.length + 1))]
      expect(allocate([...wanted].reverse(), rotated)).toEqual(result)
      if (!result.ok) {
        expect(result.available).toBe(stock(result.variant_id))
        expect(sum(wanted, result.variant_id)).toBeGreaterThan(result.available)
        return
      }
      for (const id of ['u', 'v', 'w']) expect(sum(result.allocations, id)).toBe(isTracked(id) ? sum(wanted, id) : 0)
      for (const one of result.allocations) {
        const own = levels.find((row) => row.variant_id === one.variant_id && row.location_id === one.location_id)
        expect(one.quantity).toBeGreaterThan(0)
        expect(one.quantity).toBeLessThanOrEqual(own?.available ?? 0)
      }
      const keys = result.allocations.map((one) => `${one.variant_id}/${one.location_id}`)
      expect(keys).toEqual([...new Set(keys)].sort())
    }),
    { numRuns: draws(250) },
  )
})
