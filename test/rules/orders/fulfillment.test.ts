// Fulfillment is summarised in one status, and no line is shipped twice or too early.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { fulfillmentOf, mayShip, type PhysicalLine } from '../../../rules/orders/fulfillment.ts'
import { OrderLineStatus } from '../../../rules/orders/statuses.ts'
import { BookingStatus } from '../../../rules/scheduling/slots.ts'

const line = (shipped_quantity: number, more: Partial<PhysicalLine> = {}): PhysicalLine => ({
  status: 'confirmed',
  requires_shipping: true,
  quantity: 2,
  shipped_quantity,
  ...more,
})
const digital = line(0, { requires_shipping: false })
const dropped = line(0, { status: 'cancelled' })
const booked = (...statuses: BookingStatus[]) => statuses.map((status) => ({ status }))
const of = (lines: PhysicalLine[], bookings: { status: BookingStatus }[] = [], cancelled = false) =>
  fulfillmentOf({ cancelled, lines, bookings })

test.each([
  ['nothing', of([]), 'none'],
  ['a digital line', of([digital]), 'none'],
  ['a cancelled line', of([dropped, digital], booked('cancelled')), 'none'],
  ['goods', of([line(0)]), 'unfulfilled'],
  ['a booking ahead', of([digital], booked('pending', 'confirmed')), 'unfulfilled'],
  ['one of two pieces', of([line(1)]), 'partially_fulfilled'],
  ['one of two lines', of([line(2), line(0)]), 'partially_fulfilled'],
  ['goods without the booking', of([line(2)], booked('confirmed')), 'partially_fulfilled'],
  ['the booking without the goods', of([line(0)], booked('completed')), 'partially_fulfilled'],
  ['one of two bookings', of([], booked('no_show', 'confirmed')), 'partially_fulfilled'],
  ['all goods', of([line(2), digital, dropped]), 'fulfilled'],
  ['all bookings, completed or no_show', of([], booked('completed', 'no_show', 'cancelled')), 'fulfilled'],
  ['all goods and bookings', of([line(2)], booked('completed')), 'fulfilled'],
  ['cancelled goods', of([dropped], [], true), 'cancelled'],
  ['a cancelled booking', of([digital], booked('cancelled'), true), 'cancelled'],
  ['a cancelled order of nothing to do', of([digital], [], true), 'none'],
])('The fulfillment of %s is derived from its lines and bookings', (_, found, expected) => {
  expect(found).toBe(expected)
})

test('Fulfillment ignores the order of lines, digital lines and cancelled lines', () => {
  const lines = fc.array(
    fc.record({
      status: fc.constantFrom(...OrderLineStatus.options),
      requires_shipping: fc.boolean(),
      quantity: fc.integer({ min: 1, max: 3 }),
      shipped_quantity: fc.integer({ min: 0, max: 1 }),
    }),
    { maxLength: 4 },
  )
  const bookings = fc.array(fc.record({ status: fc.constantFrom(...BookingStatus.options) }), { maxLength: 4 })
  fc.assert(
    fc.property(lines, bookings, (some, times) => {
      const found = of(some, times)
      expect(of([...some].reverse(), [...times].reverse())).toBe(found)
      expect(of([...some, digital, dropped], [...times, { status: 'cancelled' }])).toBe(found)
      expect(of(some, times, true)).toBe(
        some.some(({ requires_shipping }) => requires_shipping) || times.length > 0 ? 'cancelled' : 'none',
      )
    }),
  )
})

describe('Shipments', () => {
  const lines = [
    { id: 'a', ...line(0) },
    { id: 'b', ...line(1) },
    { id: 'c', ...line(2) },
    { id: 'file', ...digital },
    { id: 'gone', ...dropped },
  ]
  const ship = (...items: [string, number][]) =>
    mayShip(
      'confirmed',
      lines,
      items.map(([line_id, quantity]) => ({ line_id, quantity })),
    )

  test('A shipment of the rest of a line, in part or in full, is allowed', () => {
    expect(ship(['a', 1])).toEqual({ ok: true })
    expect(ship(['a', 2], ['b', 1])).toEqual({ ok: true })
  })

  test('A shipment of more than the rest returns the item and the rest', () => {
    expect(ship(['a', 2], ['b', 2])).toMatchObject({
      code: 'already_shipped',
      item: 1,
      field: 'quantity',
      line_id: 'b',
      remaining: 1,
    })
    expect(ship(['c', 1])).toMatchObject({ code: 'already_shipped', item: 0, remaining: 0 })
  })

  test('A shipment of an unknown, digital or cancelled line is refused', () => {
    expect(ship(['x', 1])).toMatchObject({ code: 'line_unknown', item: 0, field: 'line_id' })
    expect(ship(['a', 1], ['file', 1])).toMatchObject({ code: 'not_shippable', item: 1, field: 'line_id' })
    expect(ship(['gone', 1])).toMatchObject({ code: 'line_cancelled' })
  })

  test.each([
    ['pending', 'order_not_confirmed'],
    ['cancelled', 'order_cancelled'],
    ['partially_cancelled', undefined],
  ] as const)('A shipment of an order that is %s returns %s', (status, code) => {
    expect(mayShip(status, lines, [{ line_id: 'a', quantity: 1 }])).toEqual(
      code ? expect.objectContaining({ ok: false, code }) : { ok: true },
    )
  })
})
