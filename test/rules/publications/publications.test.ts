// The next step of a publication by its rows, and what each network's answers prove.
import { expect, test } from '@jest/globals'
import { partSpareS } from '../../../rules/publications/parts.ts'
import {
  nextPublicationStep,
  type PartFacts,
  type PublicationFacts,
  type RevealFacts,
} from '../../../rules/publications/publications.ts'
import { permalinkIn } from '../../../rules/social/networks/graph.ts'
import { networkA } from '../../../rules/social/networks/network-a.ts'
import { networkB } from '../../../rules/social/networks/network-b.ts'
import { networkC } from '../../../rules/social/networks/network-c.ts'
import { networkD } from '../../../rules/social/networks/network-d.ts'
import { networkTypes } from '../../../rules/social/networks/network-types.ts'
import { networks } from '../../../rules/social/networks/networks.ts'
import { type Making, mediaRefused } from '../../../rules/social/networks/publisher.ts'
import { isSameText } from '../../../rules/social/networks/texts.ts'
import { readVerdict } from '../../../rules/social/reads.ts'
import { inItsWords, partRefusal, verdictFor, verdictOf } from '../../../rules/social/refusals.ts'

const minute = 60_000
const settings = { ahead_ms: 15 * minute, proof_ms: [0, 5_000, 30_000, 120_000, 600_000] }
const part = (more: Partial<PartFacts> = {}): PartFacts => ({
  id: 'part',
  state: 'new',
  wait_ms: 0,
  left_ms: null,
  usable: false,
  error: null,
  ...more,
})
const reveal = (more: Partial<RevealFacts> = {}): RevealFacts => ({
  ...{
    id: 'reveal',
    n: 1,
    status: 'requested',
    answered: false,
    code: null,
    token_version: null,
    attempt: 0,
    claimed_ms: 0,
    since_ms: 0,
  },
  ...{ proofs: 0, hidden: 0, links: 0, check: false, has_post: false, ...more },
})
const active = { id: 'connection', status: 'active', token_version: 1, paused_ms: 0 } as const
const facts = (more: Partial<PublicationFacts> = {}): PublicationFacts => ({
  ...{ status: 'scheduled', due_ms: 0, late_ms: 60 * minute, has_link: false, is_archived: false, connection: active },
  ...{ planned: true, parts: [], leftovers: [], reveal: null, ...more },
})
const step = (more: Partial<PublicationFacts>) => nextPublicationStep(facts(more), settings)
const publishing = (of: Partial<RevealFacts>, more: Partial<PublicationFacts> = {}) =>
  step({ status: 'publishing', reveal: reveal(of), ...more })

test('Parts are made a quarter of an hour ahead, the last one after all others', () => {
  expect(step({ due_ms: 20 * minute, planned: false })).toEqual({ do: 'wait', wait_ms: 5 * minute, for: 'time' })
  expect(step({ due_ms: 15 * minute, planned: false })).toEqual({ do: 'plan' })
  const three = [part({ id: 'a' }), part({ id: 'b' }), part({ id: 'whole' })]
  expect(step({ due_ms: minute, parts: three })).toEqual({ do: 'part', ids: ['a', 'b'] })
  const made = [
    part({ id: 'a', state: 'ready' }),
    part({ id: 'b', state: 'made', wait_ms: 2_000 }),
    part({ id: 'whole' }),
  ]
  expect(step({ due_ms: minute, parts: made })).toEqual({ do: 'wait', wait_ms: 2_000, for: 'parts' })
  const last = [part({ id: 'a', state: 'ready' }), part({ id: 'b', state: 'ready' }), part({ id: 'whole' })]
  expect(step({ due_ms: minute, parts: last })).toEqual({ do: 'part', ids: ['whole'] })
})

test('It is shown at its time and never earlier, and at once if its files were late', () => {
  const ready = [part({ state: 'ready' })]
  expect(step({ due_ms: 0.4, parts: ready })).toEqual({ do: 'wait', wait_ms: 1, for: 'time' })
  expect(step({ due_ms: -0.1, parts: ready })).toEqual({ do: 'begin' })
  expect(step({ due_ms: -minute, parts: [part({ state: 'made', wait_ms: 500 })] })).toEqual({
    do: 'wait',
    wait_ms: 500,
    for: 'parts',
  })
  // A video may be shown before the network has made all its resolutions.
  expect(step({ due_ms: minute, parts: [part({ state: 'made', usable: true, wait_ms: 500 })] })).toMatchObject({
    do: 'wait',
    wait_ms: 500,
  })
  expect(step({ due_ms: -1, parts: [part({ state: 'made', usable: true, wait_ms: 500 })] })).toEqual({ do: 'begin' })
})

test('Files that the network refuses fail the publication before its time', () => {
  const error = { code: 'media_refused', message: 'No video.' }
  expect(step({ due_ms: 10 * minute, parts: [part({ state: 'failed', error })] })).toEqual({ do: 'fail', error })
})

test('What the network will have forgotten is made again', () => {
  expect(step({ due_ms: 10 * minute, parts: [part({ state: 'ready', left_ms: 20 * minute })] })).toEqual({
    do: 'renew',
    ids: ['part'],
  })
  expect(step({ due_ms: 10 * minute, parts: [part({ state: 'ready', left_ms: 60 * minute })] })).toMatchObject({
    do: 'wait',
    for: 'time',
  })
})

test('An outage, a pause and a lost connection are waited for until it is too late', () => {
  const gone = { ...active, status: 'needs_reconnect' } as const
  expect(step({ connection: gone })).toEqual({ do: 'wait', wait_ms: 60 * minute, for: 'connection' })
  expect(step({ connection: { ...active, paused_ms: 3_000 } })).toEqual({ do: 'wait', wait_ms: 3_000, for: 'network' })
  for (const late of [{ connection: gone }, { connection: { ...active, paused_ms: 3_000 } }, { parts: [part()] }, {}])
    expect(step({ late_ms: 0, ...late })).toMatchObject({ do: 'fail', error: { code: 'too_late' } })
  expect(step({ is_archived: true })).toMatchObject({ do: 'fail', error: { code: 'store_archived' } })
})

test('A reveal that may have shown the post is followed by reads alone', () => {
  const unknown = { status: 'unknown' } as const
  expect(publishing(unknown)).toEqual({ do: 'find', id: 'reveal', proofs: 0 })
  expect(publishing({ ...unknown, proofs: 1, since_ms: 1_000 })).toEqual({ do: 'wait', wait_ms: 4_000, for: 'proof' })
  expect(publishing({ ...unknown, proofs: 4, hidden: 4, since_ms: 600_000 })).toEqual({
    do: 'find',
    id: 'reveal',
    proofs: 4,
  })
  expect(publishing({ ...unknown, proofs: 5, hidden: 5, since_ms: 600_000 })).toEqual({ do: 'doubt', id: 'reveal' })
  // It is not sent again at any later time, and with any state of the connection.
  for (const more of [
    { late_ms: -1 },
    { connection: { ...active, status: 'disconnected' } as const },
    { is_archived: true },
  ])
    expect(['find', 'wait', 'doubt']).toContain(publishing(unknown, more).do)
})

test('An answer that decides nothing is a refusal only if every read found the post hidden', () => {
  const pending = { status: 'processing', answered: true, since_ms: 600_000 } as const
  expect(publishing({ ...pending, proofs: 5, hidden: 5 })).toEqual({ do: 'refuse', id: 'reveal' })
  expect(publishing({ ...pending, proofs: 5, hidden: 4 })).toEqual({ do: 'doubt', id: 'reveal' })
})

test('A refused token is replaced before the next call, which is another reveal', () => {
  const refused = { status: 'rejected', code: 'token_refused', token_version: 1 } as const
  expect(publishing(refused)).toEqual({ do: 'refresh', id: 'connection', token_version: 1 })
  expect(publishing(refused, { connection: { ...active, token_version: 2 } })).toEqual({ do: 'begin' })
  expect(publishing({ status: 'rejected', code: 'not_ready', n: 1, since_ms: 100 })).toEqual({
    do: 'wait',
    wait_ms: 900,
    for: 'network',
  })
  expect(publishing({ status: 'rejected', code: 'not_ready', n: 10, since_ms: 99_999 })).toMatchObject({
    do: 'fail',
    error: { code: 'network_refused' },
  })
})

test('A call that was not sent is tried until it is too late, and then withdrawn', () => {
  expect(publishing({ attempt: 2, claimed_ms: 500 })).toEqual({ do: 'wait', wait_ms: 1_500, for: 'network' })
  expect(publishing({ attempt: 2, claimed_ms: 2_500 })).toEqual({ do: 'reveal', id: 'reveal' })
  expect(publishing({})).toEqual({ do: 'reveal', id: 'reveal' })
  expect(publishing({}, { late_ms: -1 })).toEqual({ do: 'withdraw', id: 'reveal' })
  expect(publishing({ status: 'failed' }, { late_ms: -1 })).toMatchObject({ do: 'fail', error: { code: 'too_late' } })
  // One that is under way is settled by its own attempt.
  expect(publishing({ status: 'processing' }, { late_ms: -1 })).toEqual({ do: 'reveal', id: 'reveal' })
})

test('After the end, hidden posts are deleted and the permalink is read five times', () => {
  const leftovers = [{ id: 'part', wait_ms: 0 }]
  expect(step({ status: 'cancelled', leftovers })).toEqual({ do: 'drop', ids: ['part'] })
  expect(step({ status: 'cancelled' })).toEqual({ do: 'done', outcome: 'failed' })
  const shown = (links: number, more: object = {}) =>
    step({ status: 'published', reveal: reveal({ status: 'succeeded', links, since_ms: 600_000 }), ...more })
  expect(shown(4)).toEqual({ do: 'link', id: 'reveal', links: 4 })
  expect(shown(5)).toEqual({ do: 'done', outcome: 'succeeded' })
  expect(shown(0, { has_link: true })).toEqual({ do: 'done', outcome: 'succeeded' })
  const unknown = reveal({ status: 'unknown', proofs: 5 })
  expect(step({ status: 'unknown', reveal: unknown })).toEqual({ do: 'done', outcome: 'unknown' })
  expect(step({ status: 'unknown', reveal: { ...unknown, check: true } })).toEqual({
    do: 'find',
    id: 'reveal',
    proofs: 5,
  })
})

test('A call that was withdrawn before it was sent ends with its publication', () => {
  for (const status of ['cancelled', 'draft', 'failed'] as const) {
    expect(step({ status, reveal: reveal({ status: 'requested', attempt: 1 }) })).toEqual({
      do: 'withdraw',
      id: 'reveal',
    })
    expect(step({ status, reveal: reveal({ status: 'processing', attempt: 1 }) })).toEqual({
      do: 'reveal',
      id: 'reveal',
    })
    expect(step({ status, reveal: reveal({ status: 'failed', attempt: 1 }) })).toEqual({
      do: 'done',
      outcome: 'failed',
    })
  }
})

const graph = (status: number, code: number, more: object = {}) => ({
  status,
  body: { error: { code, message: 'No.', ...more } },
})

test.each(networkTypes)('No answer of %s with a status from 500 on, or 408, is a refusal', (type) => {
  for (const status of [500, 502, 503, 504, 408, 301])
    expect(verdictOf(type, { status, body: undefined }).kind).toBe('unknown')
  expect(verdictOf(type, { status: 200, body: undefined })).toEqual({ kind: 'succeeded' })
  expect(verdictOf(type, { status: 401, body: { error: { code: 190 } } })).toMatchObject({
    kind: 'rejected',
    again: 'token_refused',
  })
})

test('A 401 that is no answer of Graph refuses no token: a refused one ends the connection', () => {
  for (const body of [undefined, null, {}, { message: 'Unauthorized' }]) {
    expect(verdictOf('network_b_business', { status: 401, body }).kind).toBe('pending')
    expect([
      partRefusal('network_a_page', { status: 401, body }),
      readVerdict('network_e_account', { status: 401, body }),
    ]).toEqual(['again', 'refused'])
    expect(verdictOf('network_d_account', { status: 401, body })).toMatchObject({
      kind: 'rejected',
      again: 'token_refused',
    })
  }
})

test('Errors of Graph that may come with a visible post are decided by reads', () => {
  for (const code of [1, 2, 4, 17, 32, 341, 613, 80_001])
    expect(verdictOf('network_b_business', graph(400, code)).kind).toBe('pending')
  expect(verdictOf('network_a_page', graph(400, 100, { is_transient: true })).kind).toBe('pending')
  expect(verdictOf('network_e_account', { status: 400, body: undefined }).kind).toBe('pending')
  expect(verdictOf('network_e_account', graph(400, 100))).toMatchObject({
    kind: 'rejected',
    error: { message: 'No.', provider_code: '100' },
  })
  expect(verdictOf('network_b_business', graph(400, 190))).toMatchObject({ kind: 'rejected', again: 'token_refused' })
  expect(verdictOf('network_b_business', graph(400, 9_007))).toMatchObject({ kind: 'rejected', again: 'not_ready' })
  expect(verdictOf('network_d_account', { status: 429, body: {} })).toMatchObject({
    kind: 'rejected',
    again: 'rate_limited',
  })
  expect(
    verdictOf('network_d_account', { status: 403, body: { title: 'Forbidden', detail: 'Duplicate.' } }),
  ).toMatchObject({
    kind: 'rejected',
    error: { message: 'Duplicate.', provider_code: 'Forbidden' },
  })
})

test('A duplicate on network d is decided by reads where an earlier call of the text was put off', () => {
  const d = 'network_d_account'
  const duplicate = {
    status: 403,
    body: { title: 'Forbidden', detail: 'You are not allowed to create a Tweet with duplicate content.' },
  }
  expect(verdictFor(d, { text: 'Hello', since: 1 }, duplicate)).toMatchObject({
    kind: 'pending',
    error: { provider_code: 'Forbidden' },
  })
  expect(verdictFor(d, { text: 'Hello' }, duplicate)).toMatchObject({ kind: 'rejected' })
  expect(verdictFor(d, { text: 'Hello', since: 1 }, { status: 400, body: {} })).toMatchObject({ kind: 'rejected' })
  expect(verdictFor(d, { text: 'Hello', since: 1 }, { status: 429, body: {} })).toMatchObject({
    kind: 'rejected',
    again: 'rate_limited',
  })
  expect(verdictFor('network_c_channel', { text: 'Hello', since: 1 }, duplicate)).toMatchObject({ kind: 'rejected' })
})

test.each(networkTypes)('An answer of %s that names an error beside a status of 200 proves nothing', (type) => {
  for (const body of [
    { error: { code: 100, message: 'No.' } },
    { errors: [{ message: 'No.' }] },
    { success: false },
    { data: null, errors: [] },
  ])
    expect(verdictOf(type, { status: 200, body })).toMatchObject({ kind: 'pending' })
  // A page of a gateway, whole and no JSON, and JSON that names nothing.
  for (const body of [null, {}, [], 'OK', { id: null }, { data: { id: {} } }])
    expect(verdictOf(type, { status: 200, body })).toMatchObject({ kind: 'pending' })
  for (const body of [
    { id: '1' },
    { success: true },
    { data: { id: '1' }, errors: [{ message: 'A field is missing.' }] },
  ])
    expect(verdictOf(type, { status: 200, body }).kind).toBe('succeeded')
})

test('A message of a network is shown without what may be a credential', () => {
  const told = inItsWords('network_a_page', graph(400, 100, { message: `Bad token EAAB${'x'.repeat(60)}\n here` }))
  expect(told.message).toBe('Bad token … here')
  expect(mediaRefused(`Cannot fetch https://x.example/?access_token=${'x'.repeat(60)}`)).toMatchObject({
    error: { message: 'The network cannot process the file. Cannot fetch https://x.example/?…' },
  })
})

test('Hidden work is repeated after outages and limits, and given up after a refusal', () => {
  expect([503, 429, 408, 400].map((status) => partRefusal('network_d_account', { status, body: {} }))).toEqual([
    'again',
    'again',
    'again',
    'final',
  ])
  expect(
    [graph(400, 2), graph(400, 9_004), graph(400, 190)].map((answer) => partRefusal('network_b_business', answer)),
  ).toEqual(['again', 'final', 'token_refused'])
})

const account = { account: '42', username: 'shop', version: 'v25.0' }
const content = {
  ...({
    caption: 'Hello',
    placement: null,
    share_to_feed: null,
    media_ids: [],
    title: null,
    privacy: null,
    made_for_kids: null,
    link_url: null,
  } as const),
}
const making = (type: Making['content']['type'], more: Partial<Making>): Making => ({
  ...{
    ...account,
    content: { ...content, media_ids: [], type },
    kind: 'video',
    ref: {},
    bytes: 0,
    parts: [],
    file: null,
    ...more,
  },
})
const file = {
  kind: 'video',
  mime_type: 'video/mp4',
  bytes: 10_000_000,
  url: 'https://shop.example/media/1/original',
} as const
const answer = (body: unknown, status = 200, headers: Record<string, string> = {}) => ({ status, body, headers })

test('An upload goes on at the byte that the network has', () => {
  const url = 'https://www.googleapis.com/upload/youtube/v3/videos?upload_id=1'
  const at = (ref: Making['ref'], bytes: number) =>
    networkC.publisher.call(making('network_c_channel', { ref, bytes, file }))
  expect(at({ url }, 0).request.headers).toEqual({ 'content-range': 'bytes */10000000' })
  expect(
    networkC.publisher.read(
      making('network_c_channel', { ref: { url }, file }),
      answer(undefined, 308, { range: 'bytes=0-4194303' }),
    ),
  ).toMatchObject({
    bytes: 4_194_304,
  })
  expect(at({ url, told: true }, 4_194_304).range).toMatchObject({ from: 4_194_304, to: 8_388_607 })
  expect(at({ url, told: true }, 8_388_608).request.headers).toEqual({
    'content-range': 'bytes 8388608-9999999/10000000',
  })
  const upload = (bytes: number) =>
    networkD.publisher.call(making('network_d_account', { kind: 'file', ref: { id: '7', key: '13_7' }, bytes, file }))
  expect([upload(4_194_304).range?.from, upload(10_000_000).request.path]).toEqual([
    4_194_304,
    '/2/media/upload/7/finalize',
  ])
})

test('An impossible answer to an upload says nothing, and a piece without effect is no progress', () => {
  const url = 'https://www.googleapis.com/upload/youtube/v3/videos?upload_id=1'
  const told = (range: string | null, ref: Making['ref'], bytes = 0) =>
    networkC.publisher.read(
      making('network_c_channel', { ref: { url, ...ref }, bytes, file }),
      answer(undefined, 308, range === null ? {} : { range }),
    )
  for (const last of ['10000000', '99999999999999999999'])
    expect(told(`bytes=0-${last}`, { told: true })).toBeUndefined()
  expect([told(null, { told: true }), told('bytes=0-4194303', { told: true }, 4_194_304)]).toEqual([
    undefined,
    undefined,
  ])
  // Asked how much it has, the network may have nothing, or everything.
  expect([told(null, {}), told('bytes=0-9999999', {})]).toMatchObject([{ bytes: 0 }, { bytes: 10_000_000 }])
  const whole = networkC.publisher.call(
    making('network_c_channel', { ref: { url, told: true }, bytes: 10_000_000, file }),
  )
  expect([whole.range, whole.request.headers]).toEqual([undefined, { 'content-range': 'bytes */10000000' }])
})

test('An upload to another host than the network’s own is refused', () => {
  const told = networkC.publisher.read(
    making('network_c_channel', { file }),
    answer('', 200, { location: 'https://evil.example/upload' }),
  )
  expect(told).toMatchObject({ state: 'failed', error: { code: 'network_refused' } })
  const reel = networkA.publisher.read(
    making('network_a_page', { kind: 'reel', file }),
    answer({ video_id: '1', upload_url: 'https://evil.example/1' }),
  )
  expect(reel).toMatchObject({ state: 'failed', error: { code: 'network_refused' } })
})

test('A container that the network has forgotten is made anew, and one with an error is final', () => {
  const read = (status_code: string) =>
    networkB.publisher.read(
      making('network_b_business', { kind: 'container', ref: { id: '1' } }),
      answer({ status_code, status: 'Error: 2207026' }),
    )
  expect(
    [read('FINISHED'), read('EXPIRED'), read('IN_PROGRESS'), read('ERROR')].map((result) => result?.state),
  ).toEqual(['ready', 'forgotten', 'made', 'failed'])
})

test('A container that may yet be published, or a video whose publication may run, is not hidden', () => {
  const container = { kind: 'container', id: '1', text: '' } as const
  const seenB = (status_code: string) => networkB.publisher.seen({ status_code }, container, { from: 0, to: 1 })
  expect([seenB('FINISHED'), seenB('IN_PROGRESS')]).toMatchObject([{ hidden: true }, { hidden: false }])
  const video = (body: object) =>
    networkA.publisher.seen(body, { kind: 'video', id: '1', text: '' }, { from: 0, to: 1 })
  const phase = (more: object) => ({ status: { publishing_phase: { status: 'complete', ...more } } })
  expect(video({ published: true })).toMatchObject({ shown: true })
  expect(video(phase({ publish_status: 'published' }))).toMatchObject({ shown: true })
  // The phase of a video that is kept unpublished is complete, too.
  expect(video({ published: false, ...phase({ publish_status: 'draft' }) })).toEqual({
    shown: false,
    hidden: true,
    alike: [],
  })
  expect(video({ published: false, ...phase({}) })).toEqual({ shown: false, hidden: false, alike: [] })
})

test('What a network forgets soon is not made again and again', () => {
  const read = (expires_after_secs: number) =>
    networkD.publisher.read(
      making('network_d_account', { kind: 'file', file }),
      answer({ data: { id: '7', media_key: '13_7', expires_after_secs } }),
    )
  expect(read(86_400)).toMatchObject({ lives_s: 86_400 })
  expect(read(600)).toMatchObject({ lives_s: 2 * partSpareS })
  expect(read(Number.MAX_SAFE_INTEGER)).toMatchObject({ lives_s: 7 * 86_400 })
})

test('Of a permalink only an address of the web is believed', () => {
  for (const permalink of [
    'javascript:alert(1)',
    'https://x.example/\0',
    `https://x.example/${'x'.repeat(3_000)}`,
    '//x.example',
    'http://',
  ]) {
    expect(permalinkIn({ permalink })).toBeNull()
  }
  expect([
    permalinkIn({ permalink: 'https://www.threads.net/@shop/post/1' }),
    permalinkIn({ permalink_url: '/1/videos/2/' }),
  ]).toEqual(['https://www.threads.net/@shop/post/1', 'https://www.facebook.com/1/videos/2/'])
  const { alike } = networkB.publisher
  const told = alike?.(
    { data: [{ id: '1', caption: 'x', timestamp: new Date(1_500_000).toISOString(), permalink: 'x\0' }] },
    { kind: 'container', id: '1', text: 'x' },
    { from: 1_000, to: 2_000 },
  )
  expect(told).toEqual([{ id: '1', permalink: null }])
})

test('Only our file, or the only own post with our text in that time, proves one on network d', () => {
  const window = { from: 1_000, to: 2_000 }
  const tweet = (id: string, text: string, more: object = {}) => ({
    id,
    text,
    created_at: new Date(1_500_000).toISOString(),
    ...more,
  })
  const seen = (data: object[], keys: string[] = []) =>
    networkD.publisher.seen(
      { data, meta: { result_count: data.length } },
      { kind: 'tweet', id: null, keys, text: 'a < b at https://shop.example/x' },
      window,
    )
  const urls = [{ url: 'https://t.co/1', expanded_url: 'https://shop.example/x' }]
  expect(seen([tweet('1', 'a &lt; b at https://t.co/1', { entities: { urls } })])).toMatchObject({
    shown: false,
    alike: [{ id: '1' }],
  })
  expect(seen([tweet('1', 'another')])).toMatchObject({ alike: [] })
  expect(
    seen([tweet('1', 'a &lt; b at https://shop.example/x', { created_at: new Date(3_000_000).toISOString() })]),
  ).toMatchObject({ alike: [] })
  expect(seen([tweet('1', 'whatever', { attachments: { media_keys: ['3_9'] } })], ['3_9'])).toEqual({
    shown: true,
    post: { id: '1', permalink: null },
  })
  expect(seen([tweet('1', 'whatever', { attachments: { media_keys: ['3_8'] } })], ['3_9'])).toMatchObject({
    shown: false,
    alike: [],
  })
  // The list goes on: another post of the text may be on the next page.
  const cut = { data: [tweet('1', 'x')], meta: { result_count: 1, next_token: 'n' } }
  expect(networkD.publisher.seen(cut, { kind: 'tweet', id: null, text: 'x' }, window)).toEqual({
    shown: false,
    hidden: false,
    alike: [],
  })
  expect(networkD.publisher.seen({ errors: [] }, { kind: 'tweet', id: null, text: 'x' }, window)).toBeUndefined()
  expect(isSameText('cafe\u0301  at shop.example', 'caf\u00e9 at http://shop.example')).toBe(true)
})

test.each(networkTypes)('The call that shows a post of %s names what was made for it', (type) => {
  const media_ids = type === 'network_d_account' || type === 'network_e_account' ? [] : ['m1']
  const of = { ...account, content: { ...content, media_ids, type } }
  const refs = networks[type].publisher
    .plan(of.content, new Map([['m1', 'video']]))
    .map((_, n) => ({ id: `ref${n}`, key: `key${n}` }))
  const { request, subject } = networks[type].publisher.reveal(of, refs)
  expect(request.method).toMatch(/POST|PUT/)
  expect(request.token).toBeUndefined()
  if (refs.length > 0) expect(JSON.stringify([request, subject])).toContain('ref0')
})
