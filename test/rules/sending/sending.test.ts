// The reply of a mail server decides what becomes of a message, how long its mailbox pauses, and how many are sent at
// once.
import { expect, test } from '@jest/globals'
import type { Stage } from '../../../rules/mail/smtp.ts'
import { mailboxPauseMs, outcomeOf, sendSlotsAfter } from '../../../rules/sending/sending.ts'

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
