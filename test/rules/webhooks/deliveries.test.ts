// When an event is tried again is a rule: seconds in, milliseconds out, and never more than was promised.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { afterTry, bodyOf, isReservedHeader, retryAfterS, SLOTS_MAX, signedText, slotsAfter } from '../../../rules/webhooks/deliveries.ts'

const schedule = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400]
const answered = (status: number | null, retry_after_s: number | null = null) => ({ status, retry_after_s })

describe('a try', () => {
  test.each([200, 201, 204, 299])('that was answered with %s is taken', (status) => {
    expect(afterTry(answered(status), 1, schedule, 0.5)).toEqual({ status: 'succeeded' })
  })

  test.each([null, 301, 307, 400, 404, 429, 500, 503])('that was answered with %s is followed by another one', (status) => {
    expect(afterTry(answered(status), 1, schedule, 0.5)).toEqual({ status: 'pending', wait_ms: 5_000 })
  })

  test('that was answered with 410 is the last', () => {
    expect(afterTry(answered(410), 1, schedule, 0.5)).toEqual({ status: 'failed' })
  })

  test('is one of as many as the schedule has, each after its own pause, a fifth more or less', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.integer({ min: 1, max: 12 }), (random, attempt) => {
        const settled = afterTry(answered(500), attempt, schedule, random)
        const pause = schedule[attempt]
        if (pause === undefined) return expect(settled).toEqual({ status: 'failed' })
        expect(settled.status).toBe('pending')
        const { wait_ms } = settled as { wait_ms: number }
        expect(wait_ms).toBeGreaterThanOrEqual(pause * 800 - 1)
        expect(wait_ms).toBeLessThanOrEqual(pause * 1_200 + 1)
      }),
    )
  })

  test('waits for as long as the answer asks, and no less than the schedule', () => {
    expect(afterTry(answered(503, 60), 1, schedule, 0.5)).toEqual({ status: 'pending', wait_ms: 60_000 })
    expect(afterTry(answered(503, 1), 2, schedule, 0.5)).toEqual({ status: 'pending', wait_ms: 300_000 })
  })
})

describe('Retry-After', () => {
  const now = Date.parse('2026-11-21T10:00:00Z') / 1000
  test.each([
    ['120', 120],
    [' 0 ', 0],
    ['Sat, 21 Nov 2026 10:02:00 GMT', 120],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
    ['9999999', 86_400],
    ['Sat, 21 Nov 2099 10:00:00 GMT', 86_400],
    ['-5', null],
    ['soon', null],
    ['1.5', null],
    ['', null],
    [undefined, null],
  ])('%s is %s seconds', (header, seconds) => {
    expect(retryAfterS(header, now)).toBe(seconds)
  })
})

test('an endpoint that only fails is asked for less at once, and gets all back when it answers', () => {
  let slots = SLOTS_MAX
  for (let failed = 1; failed <= 100; failed++) slots = slotsAfter(slots, failed)
  expect(slots).toBe(4)
  for (let n = 0; n < 100; n++) slots = slotsAfter(slots, 0)
  expect(slots).toBe(SLOTS_MAX)
  // One that fails every second time keeps them.
  for (let n = 0; n < 100; n++) slots = slotsAfter(slots, n % 2)
  expect(slots).toBe(SLOTS_MAX)
})

test('what is sent is JSON of the standard’s shape, with the data as it is kept', () => {
  const told = { id: 'e1', type: 'order.created' as const, created_at: 5, store_id: 's1' }
  expect(JSON.parse(bodyOf(told, '{"a": [1, "ü"]}'))).toEqual({ ...told, data: { a: [1, 'ü'] } })
  expect(signedText('e1', 5, '{}')).toBe('e1.5.{}')
})

test.each(['Webhook-Id', 'webhook-signature', 'webhook-anything', 'Content-Type', 'Host', 'CONNECTION', 'transfer-encoding', 'Proxy-Authorization'])(
  '%s is ours or the connection’s to say',
  (name) => expect(isReservedHeader(name)).toBe(true),
)
test.each(['authorization', 'x-webhook-id', 'User-Agent'])('%s is the subscriber’s', (name) => expect(isReservedHeader(name)).toBe(false))
