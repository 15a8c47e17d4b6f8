// A campaign sends within its hours on its days, by the clocks of the store's zone.
import { expect, test } from '@jest/globals'
import { nextOpening } from '../../../rules/campaigns/send-windows.ts'

const at = (iso: string) => Date.parse(iso) / 1000
const office = { days: [1, 2, 3, 4, 5], from: '09:00', to: '17:00' }

test('A window is open between its times on its days, in the zone of the store', () => {
  expect(nextOpening(office, 'Europe/Berlin', at('2026-11-23T08:00:00Z'))).toBe(at('2026-11-23T08:00:00Z'))
  expect(nextOpening(office, 'Europe/Berlin', at('2026-11-23T07:59:59Z'))).toBe(at('2026-11-23T08:00:00Z'))
  expect(nextOpening(office, 'Europe/Berlin', at('2026-11-27T16:00:00Z'))).toBe(at('2026-11-30T08:00:00Z'))
  expect(nextOpening(null, 'UTC', 7)).toBe(7)
  expect(nextOpening({ ...office, days: [] }, 'UTC', 7)).toBe(null)
})

test('A window that ends after midnight belongs to the day on which it begins', () => {
  const night = { days: [6], from: '22:00', to: '02:00' }
  expect(nextOpening(night, 'UTC', at('2026-11-29T01:00:00Z'))).toBe(at('2026-11-29T01:00:00Z'))
  expect(nextOpening(night, 'UTC', at('2026-11-29T02:00:00Z'))).toBe(at('2026-12-05T22:00:00Z'))
})

test('A window keeps its wall-clock time when the clocks change', () => {
  const sunday = { days: [0], from: '10:00', to: '11:00' }
  expect(nextOpening(sunday, 'Europe/Berlin', at('2026-10-24T12:00:00Z'))).toBe(at('2026-10-25T09:00:00Z'))
  expect(nextOpening(sunday, 'Europe/Berlin', at('2027-03-27T12:00:00Z'))).toBe(at('2027-03-28T08:00:00Z'))
})
