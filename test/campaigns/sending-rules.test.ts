// The rules of sending: verdicts, turns of domains, windows and pauses, without a server.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { newPermits } from '../../activities/providers/smtp-pool.ts'
import { nextOpening } from '../../rules/campaigns/send-windows.ts'
import type { Stage } from '../../rules/mail/smtp.ts'
import { newSendQueue } from '../../rules/sending/send-queue.ts'
import { mailboxPauseMs, outcomeOf, sendSlotsAfter } from '../../rules/sending/sending.ts'
import { ownOwner } from '../kit/owners.ts'

const reply = (code: number, text = '') => ({ code, lines: [text] })

test.each([
  ['rcpt', 450, 'deferred'],
  ['rcpt', 421, 'not_sent'],
  ['rcpt', 550, 'rejected'],
  ['mail', 550, 'sender_refused'],
  ['mail', 552, 'rejected'],
  ['mail', 451, 'deferred'],
  ['data', 554, 'rejected'],
  ['data', undefined, 'not_sent'],
  ['dot', 250, 'succeeded'],
  ['dot', 451, 'retried'],
  ['dot', 421, 'unknown'],
  ['dot', 554, 'rejected'],
  ['dot', undefined, 'unknown'],
] as const)('At %s the reply %s makes a message %s', (stage: Stage, code, outcome) => {
  expect(outcomeOf(stage, code === undefined ? undefined : reply(code))).toBe(outcome)
})

test.each([
  ['mail', '552 5.3.1 Mail system full', 'sender_refused'],
  ['mail', '552 5.3.4 Message too big', 'rejected'],
  ['rcpt', '550 5.4.5 Daily user sending limit exceeded', 'sender_refused'],
  ['data', '550 5.4.5 Daily user sending limit exceeded', 'sender_refused'],
  ['dot', '550 5.4.5 Daily user sending limit exceeded', 'refused'],
  ['mail', '530 5.7.0 Authentication required', 'sender_refused'],
  ['rcpt', '550 5.7.1 Client host blocked using a block list', 'refused'],
  ['data', '550 5.7.26 unauthenticated', 'refused'],
  ['dot', '554 5.7.1 rejected', 'refused'],
  ['dot', '554 5.6.0 Content rejected', 'refused'],
  ['rcpt', '550 No such user here', 'rejected'],
  ['rcpt', '552 5.2.2 Mailbox full', 'rejected'],
  ['dot', '552 5.3.4 Message too big', 'rejected'],
  ['rcpt', '550 5.7.1 Not for this recipient', 'rejected'],
] as const)('At %s the refusal %s makes a message %s', (stage: Stage, text, outcome) => {
  expect(outcomeOf(stage, reply(Number(text.slice(0, 3)), text.slice(4)))).toBe(outcome)
})

test('A mailbox waits for a second, twice as long after each failure, and at most 15 minutes', () => {
  expect([1, 2, 3, 10, 11, 99].map(mailboxPauseMs)).toEqual([1_000, 2_000, 4_000, 512_000, 900_000, 900_000])
})

test('Repeated failures halve the concurrent sends of a mailbox, and successes give them back', () => {
  expect(sendSlotsAfter(20, 4, 50)).toBe(10)
  expect(sendSlotsAfter(1, 8, 50)).toBe(1)
  expect(sendSlotsAfter(20, 3, 50)).toBe(20)
  expect(sendSlotsAfter(49, 0, 50)).toBe(50)
})

describe('A send queue', () => {
  const message = (id: number, domain = 'a') => ({ id: `${id}`, domain, bytes: 1 })

  test('It takes domains in turn and no more than the limit of one', () => {
    const queue = newSendQueue<ReturnType<typeof message>>()
    for (const n of [1, 2, 3, 4]) queue.add(message(n))
    queue.add(message(5, 'b'))
    expect(queue.add(message(5, 'b'))).toBe(false)
    expect(queue.take(5, 2, 0).map(({ id }) => id)).toEqual(['1', '5', '2'])
    expect(queue.take(5, 2, 0)).toEqual([])
    queue.done(message(1), 'sent', 0)
    expect(queue.take(5, 2, 0).map(({ id }) => id)).toEqual(['3'])
    expect([queue.size(), queue.bytes()]).toEqual([1, 1])
  })

  test('It lets a domain that defers rest, longer each time, while others go on', () => {
    const queue = newSendQueue<ReturnType<typeof message>>()
    for (const n of [1, 2, 3, 4]) queue.add(message(n, n < 4 ? 'slow' : 'quick'))
    const [first] = queue.take(1, 9, 0)
    queue.done(first as never, 'deferred', 0)
    expect(queue.take(9, 9, 500).map(({ id }) => id)).toEqual(['4'])
    const [second] = queue.take(1, 9, 1_001)
    queue.done(second as never, 'deferred', 1_001)
    expect(queue.take(9, 9, 2_500)).toEqual([])
    expect(queue.take(9, 9, 3_002)).toHaveLength(1)
  })

  test('It returns each message once, in any order of adding and taking', () => {
    const steps = fc.array(
      fc.record({
        domain: fc.constantFrom('a', 'b', 'c'),
        count: fc.nat(4),
        result: fc.constantFrom('sent' as const, 'other' as const),
      }),
    )
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 3 }), (all, perDomain) => {
        const queue = newSendQueue<ReturnType<typeof message>>()
        const taken: string[] = []
        for (const [n, { domain, count, result }] of all.entries()) {
          queue.add(message(n, domain))
          const some = queue.take(count, perDomain, 0)
          for (const one of some) taken.push(one.id)
          for (const one of some) queue.done(one, result, 0)
        }
        for (let rest = queue.take(1, 1, 0); rest.length > 0; rest = queue.take(1, 1, 0)) {
          taken.push(rest[0]?.id as string)
          queue.done(rest[0] as never, 'sent', 0)
        }
        expect(taken.toSorted()).toEqual(all.map((_, n) => `${n}`).toSorted())
      }),
    )
  })
})

describe('A send window', () => {
  const at = (iso: string) => Date.parse(iso) / 1000
  const office = { days: [1, 2, 3, 4, 5], from: '09:00', to: '17:00' }

  test('It is open between its times on its days, in the zone of the store', () => {
    expect(nextOpening(office, 'Europe/Berlin', at('2026-11-23T08:00:00Z'))).toBe(at('2026-11-23T08:00:00Z'))
    expect(nextOpening(office, 'Europe/Berlin', at('2026-11-23T07:59:59Z'))).toBe(at('2026-11-23T08:00:00Z'))
    expect(nextOpening(office, 'Europe/Berlin', at('2026-11-27T16:00:00Z'))).toBe(at('2026-11-30T08:00:00Z'))
    expect(nextOpening(null, 'UTC', 7)).toBe(7)
    expect(nextOpening({ ...office, days: [] }, 'UTC', 7)).toBe(null)
  })

  test('One that ends after midnight belongs to the day on which it begins', () => {
    const night = { days: [6], from: '22:00', to: '02:00' }
    expect(nextOpening(night, 'UTC', at('2026-11-29T01:00:00Z'))).toBe(at('2026-11-29T01:00:00Z'))
    expect(nextOpening(night, 'UTC', at('2026-11-29T02:00:00Z'))).toBe(at('2026-12-05T22:00:00Z'))
  })

  test('It keeps its wall-clock time when the clocks change', () => {
    const sunday = { days: [0], from: '10:00', to: '11:00' }
    expect(nextOpening(sunday, 'Europe/Berlin', at('2026-10-24T12:00:00Z'))).toBe(at('2026-10-25T09:00:00Z'))
    expect(nextOpening(sunday, 'Europe/Berlin', at('2027-03-27T12:00:00Z'))).toBe(at('2027-03-28T08:00:00Z'))
  })
})

test('Connections of a process are given in turns of the tenants', async () => {
  const permits = newPermits(1)
  const first = await permits.acquire(ownOwner('loud'))
  const order: string[] = []
  const waiting = ['loud', 'loud', 'quiet'].map((tenant) =>
    permits.acquire(ownOwner(tenant)).then((release) => {
      order.push(tenant)
      release()
    }),
  )
  expect(permits.isScarce()).toBe(true)
  first()
  await Promise.all(waiting)
  expect(order).toEqual(['loud', 'quiet', 'loud'])
})
