// A reply whose answer was lost is proved by one comment alone, and each network gets it below the comment that it
// answers.
import { expect, test } from '@jest/globals'
import { type OpenReply, provenReplies, replyRequest, replyVerdict } from '../../../rules/engagement/replies.ts'
import { type NetworkType, networkTypes } from '../../../rules/social/networks/network-types.ts'

const now = 1_764_072_000
const reply = (id: string, more: Partial<OpenReply> = {}): OpenReply => ({
  id,
  text: 'Thank you!',
  sent_at: now,
  deadline_at: now + 18,
  answers: null,
  ...more,
})
const found = (provider_comment_id: string, more: object = {}) => ({
  ...{ provider_comment_id, text: 'Thank you!', own: true, parent: '9', created_at: now + 1, ...more },
})
const proven = (open: OpenReply[], there: ReturnType<typeof found>[], taken: string[] = []) =>
  provenReplies(open, there, new Set(taken))

test('The only own comment of the text in the time of a reply proves it', () => {
  const one = [{ id: 'r', provider_comment_id: '1' }]
  expect(
    proven(
      [reply('r')],
      [found('1'), found('2', { own: false }), found('3', { text: 'Thanks' }), found('4', { created_at: now - 60 })],
    ),
  ).toEqual(one)
  expect(
    proven(
      [reply('r', { text: 'a & b https://shop.example/x' })],
      [found('1', { text: 'a &amp; b https://t.co/abc ' })],
    ),
  ).toEqual(one)
  expect(proven([reply('r')], [found('1'), found('2')], ['2'])).toEqual(one)
})

test('Two comments of the text, or two open replies of it, prove nothing', () => {
  expect(proven([reply('r')], [found('1'), found('2')])).toEqual([])
  expect(proven([reply('r'), reply('s')], [found('1')])).toEqual([])
  expect(proven([reply('r'), reply('s')], [found('1'), found('2')])).toEqual([])
  // Another time, or another text, is no rival.
  expect(
    proven(
      [reply('r'), reply('s', { sent_at: now - 900, deadline_at: now - 882 }), reply('t', { text: 'x' })],
      [found('1')],
    ),
  ).toHaveLength(1)
})

test('In a conversation, an own comment that answers another comment proves nothing', () => {
  expect(proven([reply('r', { answers: '8' })], [found('1')])).toEqual([])
  expect(proven([reply('r', { answers: '8' }), reply('s', { answers: '9' })], [found('1')])).toEqual([
    { id: 's', provider_comment_id: '1' },
  ])
})

test('What reads would have to decide of a post is unknown of a reply', () => {
  const graph = (code: number) => ({ error: { code } })
  const judged = (type: NetworkType, status: number, body: unknown) => replyVerdict(type, { status, body }).kind
  const cases: [number, unknown][] = [
    [200, undefined],
    [200, { id: '1' }],
    [200, null],
    [500, {}],
    [400, graph(190)],
    [400, graph(100)],
    [400, graph(2)],
    [400, graph(80_002)],
  ]
  expect(cases.map(([status, body]) => judged('network_a_page', status, body))).toEqual([
    ...['succeeded', 'succeeded', 'unknown', 'unknown', 'again', 'rejected', 'unknown', 'unknown'],
  ])
  expect([403, 429, 201, 503].map((status) => judged('network_d_account', status, { data: { id: '1' } }))).toEqual([
    'rejected',
    'again',
    'succeeded',
    'unknown',
  ])
})

test('A reply to a reply is written below the first comment where the network has one level', () => {
  const target = { account: '7', comment: 'child', root: 'first', container: 'c1' }
  const sent = networkTypes.map((type) => JSON.stringify(replyRequest({ type, ...target }, 'Hi', 'secret', 'v25.0')))
  expect(sent.map((text) => [text.includes('child'), text.includes('first'), text.includes('c1')])).toEqual([
    ...[
      [true, false, false],
      [false, true, false],
      [false, true, false],
      [true, false, false],
      [false, false, true],
    ],
  ])
})
