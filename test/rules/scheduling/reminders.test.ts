// Each future slot has one reminder, in order, and past slots have none.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { nextReminder, nextReminderStep, type Remindable } from '../../../rules/scheduling/reminders.ts'
import { BookingStatus } from '../../../rules/scheduling/slots.ts'
import { isNear } from '../../../rules/start-ahead.ts'

const now = 1_800_000_000
const slot = (in_s: number) => ({ from: now + in_s, to: now + in_s + 1800 })
const booking = (...starts: number[]): Remindable => ({
  status: 'confirmed',
  slots: starts.map(slot),
  reminded_slot: null,
})

test('The next reminder is due so many minutes before the first slot', () => {
  expect(nextReminder(booking(7_200, 90_000), 60, now)).toEqual({ slot: slot(7_200), due_at: now + 3_600 })
})

test('A reminder whose moment has passed is due at once until its slot starts', () => {
  expect(nextReminder(booking(60), 1440, now)).toEqual({ slot: slot(60), due_at: now + 60 - 86_400 })
  expect(nextReminderStep(booking(60), 1440, now)).toEqual({ do: 'remind', slot: slot(60) })
})

test('A slot that has started has no reminder', () => {
  expect(nextReminder(booking(-1, 0), 60, now)).toBeNull()
  expect(nextReminder(booking(-1, 0, 1), 60, now)?.slot).toEqual(slot(1))
})

test('The next reminder is of a slot after the last reminded one', () => {
  expect(nextReminder({ ...booking(100, 200, 300), reminded_slot: now + 200 }, 60, now)?.slot).toEqual(slot(300))
  expect(nextReminder({ ...booking(100, 200), reminded_slot: now + 200 }, 60, now)).toBeNull()
})

test('There is no reminder with 0 minutes or for an unconfirmed booking', () => {
  expect(nextReminder(booking(100), 0, now)).toBeNull()
  for (const status of BookingStatus.options.filter((one) => one !== 'confirmed'))
    expect(nextReminder({ ...booking(100), status }, 60, now)).toBeNull()
})

test('A reminder’s wait is in milliseconds and never rounded down', () => {
  expect(nextReminderStep(booking(4_200), 60, now)).toEqual({ do: 'wait', wait_ms: 600_000 })
  expect(nextReminderStep(booking(3_601), 60, now)).toEqual({ do: 'wait', wait_ms: 1_000 })
  expect(nextReminderStep(booking(3_600), 60, now)).toEqual({ do: 'remind', slot: slot(3_600) })
  expect(nextReminderStep(booking(), 60, now)).toEqual({ do: 'done' })
})

test('A workflow waits for a reminder that is near, and leaves one that is far to its row', () => {
  expect(nextReminderStep(booking(7_200), 60, now)).toEqual({ do: 'far' })
  // What one clock starts is not far by another that is a minute behind.
  for (const late_s of [0, 60]) {
    const started = now + 600
    expect(isNear(started, now)).toBe(true)
    expect(nextReminderStep(booking(600 + 60), 1, now - late_s)).toEqual({ do: 'wait', wait_ms: (600 + late_s) * 1000 })
  }
  expect(isNear(now + 601, now)).toBe(false)
})

test('A worker that is late reminds of each slot at most once, in order and before it starts', () => {
  const starts = fc.uniqueArray(fc.integer({ min: -10_000, max: 100_000 }), { maxLength: 12 })
  fc.assert(
    fc.property(
      starts,
      fc.integer({ min: 0, max: 2_000 }),
      fc.integer({ min: 0, max: 500 }),
      (unsorted, minutes, late_s) => {
        const at = booking(...unsorted)
        const told: { from: number; when: number }[] = []
        for (let clock = now, turns = 0; turns < 100; turns++) {
          const step = nextReminderStep(at, minutes, clock)
          if (step.do === 'done') break
          if (step.do === 'wait') clock += step.wait_ms / 1000 + late_s
          // The reconciler starts it again before it is due.
          else if (step.do === 'far') clock = (nextReminder(at, minutes, clock)?.due_at ?? 0) - 600 + late_s
          else {
            told.push({ from: step.slot.from, when: clock })
            at.reminded_slot = step.slot.from
          }
        }
        for (const { from, when } of told) expect(from - minutes * 60 <= when && when < from).toBe(true)
        const order = told.map(({ from }) => from)
        expect(order).toEqual([...new Set(order)].sort((a, b) => a - b))
        // Only a slot that started while the worker was late may be missing.
        const sure = unsorted.map((in_s) => now + in_s).filter((from) => from > now && minutes * 60 > late_s)
        expect(sure.filter((from) => !order.includes(from))).toEqual([])
      },
    ),
  )
})
