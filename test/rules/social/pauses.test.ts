// How long a network is left alone.
import { expect, test } from '@jest/globals'
import { pacificDay } from '../../../rules/social/networks/pacific-day.ts'
import { isLimited, pauseAfter, pausedUntil } from '../../../rules/social/pauses.ts'

const now = 1_764_072_000
const answer = (status: number, headers: Record<string, string> = {}, body: unknown = {}) => ({ status, headers, body })
test('Retry-After, the end of a window and the time that Graph names end a pause', () => {
  expect(pausedUntil('network_d_account', answer(429, { 'retry-after': '7' }), now)).toBe(now + 7)
  expect(pausedUntil('network_d_account', answer(429, { 'x-rate-limit-reset': String(now + 90) }), now)).toBe(now + 90)
  expect(
    pausedUntil('network_e_account', answer(429, { 'retry-after': new Date((now + 30) * 1000).toUTCString() }), now),
  ).toBe(now + 30)
  const regain = JSON.stringify({ 7: [{ call_count: 100, estimated_time_to_regain_access: 4 }] })
  expect(
    pausedUntil(
      'network_a_page',
      answer(400, { 'x-business-use-case-usage': regain }, { error: { code: 80001 } }),
      now,
    ),
  ).toBe(now + 240)
  expect(pausedUntil('network_a_page', answer(400, {}, { error: { code: 100 } }), now)).toBeNull()
  expect(pausedUntil('network_d_account', answer(429, { 'retry-after': '9999999' }), now)).toBe(now + 86_400)
})

test('A refusal because of a limit is followed by a pause, also where its time has passed', () => {
  for (const header of ['0', new Date((now - 30) * 1000).toUTCString()])
    expect(pausedUntil('network_d_account', answer(429, { 'retry-after': header }), now)).toBe(now + 5)
  expect(pausedUntil('network_d_account', answer(200, { 'retry-after': '0' }), now)).toBeNull()
})

test('From 95 % of a limit on, calls wait', () => {
  const usage = (percent: number) =>
    answer(200, { 'x-app-usage': JSON.stringify({ call_count: percent, total_time: 1 }) })
  expect([94, 95, 100].map((percent) => pausedUntil('network_b_business', usage(percent), now))).toEqual([
    null,
    now + 300,
    now + 300,
  ])
  const left = (n: number) =>
    answer(200, {
      'x-rate-limit-limit': '100',
      'x-rate-limit-remaining': String(n),
      'x-rate-limit-reset': String(now + 60),
    })
  expect([6, 5, 0].map((n) => pausedUntil('network_d_account', left(n), now))).toEqual([null, now + 60, now + 60])
  expect(pausedUntil('network_a_page', answer(200, { 'x-app-usage': 'no json' }), now)).toBeNull()
})

test('The quota of network c ends with the Pacific day, also where clocks change', () => {
  const exceeded = { error: { errors: [{ reason: 'quotaExceeded' }], code: 403 } }
  expect(isLimited('network_c_channel', answer(403, {}, exceeded))).toBe(true)
  expect(pausedUntil('network_c_channel', answer(403, {}, exceeded), now)).toBe(pacificDay(now).ends_at)
  expect(pacificDay(Date.parse('2025-11-26T07:59:59Z') / 1000)).toEqual({
    date: '2025-11-25',
    ends_at: Date.parse('2025-11-26T08:00:00Z') / 1000,
  })
  expect(
    ['2025-11-02T07:00:00Z', '2025-11-03T07:59:59Z', '2025-11-03T08:00:00Z'].map(
      (time) => pacificDay(Date.parse(time) / 1000).date,
    ),
  ).toEqual([...['2025-11-02', '2025-11-02', '2025-11-03']])
})

test('A limit that is nearly used up, or is one of reads, delays no publication', () => {
  const used = answer(200, { 'x-app-usage': '{"call_count":96}' })
  for (const method of ['GET', 'POST'] as const)
    expect(pauseAfter('network_b_business', method, used, now)).toEqual({ until: now + 300, of: 'reads' })
  expect(pauseAfter('network_b_business', 'GET', answer(400, {}, { error: { code: 4 } }), now)).toMatchObject({
    of: 'calls',
  })
  const refused = answer(429, { 'retry-after': '9' })
  expect(pauseAfter('network_d_account', 'GET', refused, now)).toEqual({ until: now + 9, of: 'reads' })
  expect(pauseAfter('network_d_account', 'POST', refused, now)).toEqual({ until: now + 9, of: 'calls' })
  expect(pauseAfter('network_d_account', 'GET', answer(200), now)).toBeNull()
})
