// With any number of tenants in any order, a tenant that asks for its first slot finds a free one.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { grants, type Holder, shareOf } from '../../rules/shares.ts'

const tenants = (count: number, of: (n: number) => Pick<Holder, 'held' | 'waiting'> & Partial<Holder>): Holder[] =>
  Array.from({ length: count }, (_, n) => ({ tenant_id: `t${n}`, account_id: null, ...of(n) }))
const sum = (numbers: Iterable<number>) => [...numbers].reduce((all, one) => all + one, 0)
const capacities = fc.integer({ min: 1, max: 2_000 })
const waiting = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 30 })
/** All grants, pass after pass, while no work ends. */
function settled(capacity: number, holders: readonly Holder[], most?: number): Holder[] {
  let now = [...holders]
  for (;;) {
    const granted = grants(capacity, now, most)
    if (granted.size === 0) return now
    now = now.map((one) => {
      const n = granted.get(one.tenant_id) ?? 0
      return { ...one, held: one.held + n, waiting: one.waiting - n }
    })
  }
}

test('A single tenant gets a fifth of the slots, and at least one', () => {
  expect([500, 100, 8, 1, 0].map((capacity) => shareOf(capacity))).toEqual([100, 20, 2, 1, 0])
})

test('Ten tenants that arrive one after the other leave a tenth of the slots free', () => {
  let others = 0
  for (let n = 0; n < 10; n++) others += shareOf(500, { by_account: 0, by_others: others })
  expect(500 - others).toBeGreaterThanOrEqual(50)
})

test('No pass grants more slots than there are or than are waited for', () =>
  fc.assert(
    fc.property(capacities, waiting, (capacity, each) => {
      const granted = grants(
        capacity,
        tenants(each.length, (n) => ({ held: 0, waiting: each[n] as number })),
        5_000,
      )
      expect(sum(granted.values())).toBeLessThanOrEqual(capacity)
      for (const [n, wanted] of each.entries()) expect(granted.get(`t${n}`) ?? 0).toBeLessThanOrEqual(wanted)
    }),
  ))

test('No tenant is granted more than its share of what the others leave', () =>
  fc.assert(
    fc.property(capacities, waiting, (capacity, each) => {
      const before = tenants(each.length, (n) => ({ held: n % 3 === 0 ? 2 : 0, waiting: each[n] as number }))
      const after = settled(capacity, before)
      const total = sum(after.map(({ held }) => held))
      for (const [n, { held }] of after.entries())
        if (held > (before[n] as Holder).held)
          expect(held).toBeLessThanOrEqual(
            Math.max(1, shareOf(capacity, { by_account: 0, by_others: total - held }) + 1),
          )
    }),
  ))

test('Tenants that wait for many slots end with equal numbers, plus or minus one', () =>
  fc.assert(
    fc.property(capacities, fc.integer({ min: 1, max: 30 }), (capacity, count) => {
      const held = settled(
        capacity,
        tenants(count, () => ({ held: 0, waiting: 2_000 })),
      ).map((one) => one.held)
      expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1)
    }),
  ))

test('The stores of one account leave half of the slots to other accounts', () =>
  fc.assert(
    fc.property(capacities, waiting, fc.integer({ min: 1, max: 20 }), (capacity, each, others) => {
      const stores = tenants(each.length, (n) => ({ account_id: 'one', held: 0, waiting: each[n] as number }))
      const stranger: Holder = { tenant_id: 'stranger', account_id: 'another', held: others, waiting: 0 }
      const held = settled(capacity, [...stores, stranger]).filter(({ account_id }) => account_id === 'one')
      expect(sum(held.map((one) => one.held))).toBeLessThanOrEqual(Math.max(0, Math.ceil((capacity - others) / 2)))
    }),
  ))

test('A waiting tenant without a slot is granted one while a slot is free', () =>
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 30 }),
      fc.integer({ min: 1, max: 500 }),
      (held, free) => {
        const before = tenants(held.length, (n) => ({ held: held[n] as number, waiting: 5 }))
        expect(
          grants(sum(held) + free, [...before, { tenant_id: 'newcomer', account_id: null, held: 0, waiting: 1 }]).get(
            'newcomer',
          ),
        ).toBe(1)
      },
    ),
  ))

test('Granting slots one by one gives the same result as granting all at once', () =>
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), waiting, (capacity, each) => {
      const holders = tenants(each.length, (n) => ({ held: 0, waiting: each[n] as number }))
      const held = (most: number) => settled(capacity, holders, most).map((one) => one.held)
      expect(held(1)).toEqual(held(5_000))
    }),
  ))
