// Errors of connections are said in words of an operator, and what was reported is kept.
import { expect, test } from '@jest/globals'
import { spoken } from '../../rules/error-words.ts'

test('An error of a connection is a sentence for people, and keeps what was reported', () => {
  const said = (message: string, code = 'no_answer') => spoken({ code, message, provider_status: 502 })
  expect(said('read ECONNRESET')).toEqual({
    ...{ code: 'no_answer', message: 'The connection was closed before an answer.', detail: 'read ECONNRESET' },
    provider_status: 502,
  })
  expect(
    [
      'egress_no_answer: other side closed',
      'connect ETIMEDOUT 10.0.0.1:443',
      'connect ECONNREFUSED 127.0.0.1:9',
      'getaddrinfo ENOTFOUND shop.example',
      'egress_broken_answer: the answer broke off after status 200',
    ].map((message) => said(message).message),
  ).toEqual([
    'The connection was closed before an answer.',
    'No answer came in time.',
    'The connection was refused: no server accepts connections at this address.',
    'The name of the server was not found.',
    'The answer broke off after status 200.',
  ])
})

test('An error that is a sentence already stays as it is', () => {
  const error = { code: 'card_declined', message: 'Your card was declined.' }
  expect(spoken(error)).toBe(error)
  expect(spoken(null)).toBeNull()
})
