// The health of a mail server decides how many messages are sent at once, and when a drain stops.
import { expect, test } from '@jest/globals'
import { SENDER_REFUSALS_MAX } from '../../../rules/sending/breakers.ts'
import type { Outcome } from '../../../rules/sending/sending.ts'
import { healthAfter, newHealth, stopsAfter } from '../../../rules/sending/server-health.ts'

const connections = 4

/** The position of the outcome at which the drain stops, -1 if it goes on. */
function stopsAt(outcomes: readonly Outcome[], senderRefusals = 0): number {
  let health = newHealth(connections, senderRefusals)
  return outcomes.findIndex((outcome) => {
    health = healthAfter(health, outcome, connections)
    return stopsAfter(health, outcome, connections)
  })
}
const times = (count: number, outcome: Outcome): Outcome[] => Array.from({ length: count }, () => outcome)

test.each<[string, Outcome[], number, number]>([
  ['refusals of the address in a row', times(30, 'sender_refused'), 0, SENDER_REFUSALS_MAX - 1],
  ['those of drains before among them', times(30, 'sender_refused'), 5, SENDER_REFUSALS_MAX - 6],
  ['none in a row', times(30, 'sender_refused').flatMap((one): Outcome[] => [one, 'rejected']), 0, -1],
  [
    'a refusal for another reason between them',
    [...times(19, 'sender_refused'), 'refused', 'sender_refused'],
    0,
    SENDER_REFUSALS_MAX,
  ],
  ['sessions that break', times(30, 'not_sent'), 0, 9],
  ['sessions that break between answers', times(30, 'not_sent').flatMap((one): Outcome[] => [one, 'refused']), 0, -1],
  ['a recipient who deferred counts as a failure', [...times(9, 'deferred'), 'not_sent'], 0, 9],
  ['recipients who defer', times(30, 'deferred'), 0, -1],
  ['messages that are withdrawn', times(30, 'withdrawn'), 0, -1],
  ['messages that are withdrawn end no row', [...times(9, 'not_sent'), 'withdrawn', 'not_sent'], 0, 10],
])('The drain of a mailbox stops by what its server answers: %s', (_, outcomes, before, at) => {
  expect(stopsAt(outcomes, before)).toBe(at)
})

test('Failures in a row halve what is sent at once, each answer gives back two', () => {
  let health = newHealth(16, 0)
  const slots = (outcome: Outcome, count: number) => {
    for (let n = 0; n < count; n++) health = healthAfter(health, outcome, 16)
    return health.slots
  }
  expect([slots('not_sent', 3), slots('not_sent', 1), slots('deferred', 4), slots('succeeded', 1)]).toEqual([
    16, 8, 4, 6,
  ])
  expect([slots('withdrawn', 1), slots('succeeded', 20)]).toEqual([8, 16])
})
