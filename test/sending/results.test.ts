// What is written about a message of a campaign, by what its server replied and by how often it was sent before.
import { expect, test } from '@jest/globals'
import { resultOf, waitMs } from '../../activities/sending/results.ts'
import type { Handed } from '../../activities/sending/submission.ts'
import { config } from '../../config.ts'
import { TRIES_MAX } from '../../rules/campaigns/campaigns.ts'
import type { Stage } from '../../rules/mail/smtp.ts'
import { type Outcome, outcomeOf, refusalIn } from '../../rules/sending/sending.ts'

const server = { username: null, password: null }
const attempts = config.campaignRetryS.length
const first = (config.campaignRetryS[0] as number) * 1000

type Answer = { code?: number; text?: string; stage: Stage | null }
function handed({ code, text = '', stage }: Answer, outcome?: Outcome): Handed {
  const reply = code === undefined ? undefined : { code, lines: [text] }
  const said = outcome ?? outcomeOf(stage as Stage, reply)
  const error = said === 'succeeded' || said === 'withdrawn' ? null : { code: 'x', message: text }
  return { outcome: said, reply, error, stage, about: stage === null ? null : refusalIn(stage, reply) }
}

/** `attempt`: of this message; `tries`: messages of its step that were made for the recipient. */
function written(answer: Handed, attempt = 1, tries = 1) {
  const of = {
    ahead: { id: 'message', enrollment_id: 'enrollment', try: tries },
    claimed: { attempt },
    token: 'token',
  } as unknown as Parameters<typeof waitMs>[1]
  const { id, enrollment_id, token, error, evidence, provider_message_id, ...rest } = resultOf(
    answer,
    of,
    waitMs(answer, of),
    server,
  )
  expect([id, enrollment_id, token]).toEqual(['message', 'enrollment', 'token'])
  return rest
}

const ended = { again_ms: null, bounce: null }
const refusedFor = (text: string, code = 550, stage: Stage = 'rcpt') => handed({ code, text, stage })
const distrust = '5.7.1 blocked: poor reputation'

test.each<[string, Handed, number, number, object]>([
  ['accepted', handed({ code: 250, text: 'queued', stage: 'dot' }), 1, 1, { status: 'succeeded', ...ended }],
  ['no answer to the final dot', handed({ stage: 'dot' }), 1, 1, { status: 'unknown', ...ended }],
  ['deferred', handed({ code: 451, stage: 'rcpt' }), 1, 1, { status: 'requested', wait_ms: first, counts: true }],
  [
    'deferred at the last attempt',
    handed({ code: 451, stage: 'rcpt' }),
    attempts + 1,
    1,
    { status: 'rejected', ...ended },
  ],
  [
    'deferred after the body',
    handed({ code: 451, stage: 'dot' }),
    1,
    1,
    { status: 'rejected', again_ms: first, bounce: null },
  ],
  ['deferred after the last body', handed({ code: 451, stage: 'dot' }), 1, TRIES_MAX, { status: 'rejected', ...ended }],
  ['withdrawn', handed({ stage: 'data' }, 'withdrawn'), 1, 1, { status: 'requested', wait_ms: 0, counts: false }],
  ['not composed', handed({ stage: null }, 'deferred'), 1, 1, { status: 'requested', wait_ms: first, counts: true }],
  ['a session that broke', handed({ stage: 'connect' }), 1, 1, { status: 'requested', wait_ms: 1_000, counts: false }],
  [
    'a session that broke at the recipient',
    handed({ stage: 'rcpt' }),
    1,
    1,
    { status: 'requested', wait_ms: first, counts: true },
  ],
  [
    'a session that broke at the recipient for the last time',
    handed({ stage: 'rcpt' }),
    attempts + 1,
    1,
    { status: 'rejected', ...ended },
  ],
  [
    'its sender refused',
    handed({ code: 550, stage: 'mail' }),
    1,
    1,
    { status: 'requested', wait_ms: 1_000, counts: false },
  ],
  [
    'its recipient refused',
    refusedFor('5.1.1 no such user'),
    1,
    1,
    {
      ...{ status: 'rejected', again_ms: null, refused: { distrusted: false } },
      bounce: { status: '5.1.1', diagnostic: '5.1.1 no such user', class: expect.any(String) },
    },
  ],
  [
    'refused for the reputation',
    refusedFor(distrust),
    1,
    1,
    { status: 'requested', wait_ms: first, counts: true, refused: { distrusted: true } },
  ],
  [
    'refused for the reputation again',
    refusedFor(distrust),
    attempts + 1,
    1,
    {
      ...{ status: 'rejected', again_ms: null, refused: { distrusted: false } },
      bounce: { status: '5.7.1', diagnostic: distrust, class: expect.any(String) },
    },
  ],
  [
    'refused for the reputation after the body',
    refusedFor(distrust, 550, 'dot'),
    1,
    1,
    { status: 'rejected', again_ms: first, carries: true, refused: { distrusted: true }, bounce: null },
  ],
])('A message that is %s', (_, answer, attempt, tries, result) => {
  expect(written(answer, attempt, tries)).toEqual(result)
})

test('A message that waits keeps no evidence of the attempt, one that ended does', () => {
  const of = {
    ahead: { id: 'message', enrollment_id: 'enrollment', try: 1 },
    claimed: { attempt: 1 },
    token: 'token',
  } as unknown as Parameters<typeof waitMs>[1]
  const evidence = (answer: Handed, wait: number | null) => resultOf(answer, of, wait, server).evidence
  expect(evidence(handed({ code: 451, stage: 'rcpt' }), 1)).toEqual({})
  expect(evidence(handed({ code: 451, stage: 'rcpt' }), null)).toEqual({ command: 'RCPT', status: 451 })
  expect(evidence(handed({ stage: 'dot' }), null)).toEqual({ command: 'DATA' })
  expect(evidence(handed({ code: 250, text: 'queued', stage: 'dot' }), null)).toEqual({ response: '250 queued' })
})
