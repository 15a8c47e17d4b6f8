// Retries of deliveries are a pure rule: seconds in, milliseconds out, and never more attempts than documented.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  afterTry,
  bodyOf,
  isReservedHeader,
  retryAfterS,
  SLOTS_MAX,
  signedText,
  slotsAfter,
} from '../../../rules/webhooks/deliveries.ts'

const schedule = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400]
const answered = (status: number | null, retry_after_s: number | null = null) => ({ status, retry_after_s })

test.each([200, 201, 204, 299])('A delivery answered with %s succeeds', (status) => {
  expect(afterTry(answered(status), 1, schedule, 0.5)).toEqual({ status: 'succeeded' })
})

test.each([null, 301, 307, 400, 404, 429, 500, 503])('A delivery answered with %s is retried', (status) => {
  expect(afterTry(answered(status), 1, schedule, 0.5)).toEqual({ status: 'pending', wait_ms: 5_000 })
})

test('A delivery answered with 410 fails at once', () => {
  expect(afterTry(answered(410), 1, schedule, 0.5)).toEqual({ status: 'failed' })
})

test('Retries follow the schedule’s pauses, plus or minus a fifth', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.integer({ min: 1, max: 12 }),
      (random, attempt) => {
        const settled = afterTry(answered(500), attempt, schedule, random)
        const pause = schedule[attempt]
        if (pause === undefined) return expect(settled).toEqual({ status: 'failed' })
        expect(settled.status).toBe('pending')
        const { wait_ms } = settled as { wait_ms: number }
        expect(wait_ms).toBeGreaterThanOrEqual(pause * 800 - 1)
        expect(wait_ms).toBeLessThanOrEqual(pause * 1_200 + 1)
      },
    ),
  )
})

test('A retry waits as long as Retry-After asks, and never less than the schedule', () => {
  expect(afterTry(answered(503, 60), 1, schedule, 0.5)).toEqual({ status: 'pending', wait_ms: 60_000 })
  expect(afterTry(answered(503, 1), 2, schedule, 0.5)).toEqual({ status: 'pending', wait_ms: 300_000 })
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
  ])('The Retry-After header %s is %s seconds', (header, seconds) => {
    expect(retryAfterS(header, now)).toBe(seconds)
  })
})

test('A failing endpoint gets fewer concurrent requests until it answers', () => {
  let slots = SLOTS_MAX
  for (let failed = 1; failed <= 100; failed++) slots = slotsAfter(slots, failed)
  expect(slots).toBe(4)
  for (let n = 0; n < 100; n++) slots = slotsAfter(slots, 0)
  expect(slots).toBe(SLOTS_MAX)
  // An endpoint that fails every second time keeps them.
  for (let n = 0; n < 100; n++) slots = slotsAfter(slots, n % 2)
  expect(slots).toBe(SLOTS_MAX)
})

test('A delivery’s body is JSON in the standard’s shape with the data as stored', () => {
  const told = { id: 'e1', type: 'entry.created' as const, created_at: 5 }
  const head = { ...told, tenant_id: 's1' }
  expect(bodyOf({ ...head, kind: 'store' }, '{"a": [1, "ü"]}')).toBe(
    '{"id":"e1","type":"entry.created","created_at":5,"store_id":"s1","data":{"a": [1, "ü"]}}',
  )
  expect(
    JSON.parse(bodyOf({ ...head, kind: 'business' }, '{"collection_id": "c1", "blocks": [], "slug": {"de_at": "x"}}')),
  ).toMatchObject({
    ...{ id: 'e1', type: 'node.created', createdAt: 5, businessId: 's1' },
    data: { collectionId: 'c1', slug: { de_at: 'x' } },
  })
  expect(signedText('e1', 5, '{}')).toBe('e1.5.{}')
})

test.each([
  'Webhook-Id',
  'webhook-signature',
  'webhook-anything',
  'Content-Type',
  'Host',
  'CONNECTION',
  'transfer-encoding',
  'Proxy-Authorization',
])('The header %s is reserved', (name) => expect(isReservedHeader(name)).toBe(true))
test.each(['authorization', 'x-webhook-id', 'User-Agent'])('The header %s may be set by the subscriber', (name) =>
  expect(isReservedHeader(name)).toBe(false),
)
