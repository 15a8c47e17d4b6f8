// The messages of a mailbox are taken once each, in turns of their domains, and a domain that defers rests by itself.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { newSendQueue } from '../../../rules/sending/send-queue.ts'

const message = (id: number, domain = 'a') => ({ id: `${id}`, domain, bytes: 1 })

test('A queue takes domains in turn and no more than the limit of one', () => {
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

test('A queue lets a domain that defers rest, longer each time, while others go on', () => {
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

test('A queue returns each message once, in any order of adding and taking', () => {
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
