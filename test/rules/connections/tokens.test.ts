// When tokens are renewed, and when a network's refusal ends a grant.
import { expect, test } from '@jest/globals'
import { nextPage, profilesOf } from '../../../rules/connections/profiles.ts'
import { refreshRequest, revokeRequest } from '../../../rules/connections/requests.ts'
import {
  endsGrant,
  mayRefreshByTimer,
  reconnectBy,
  refreshAt,
  type TokenFacts,
  type Tried,
  tokenStep,
} from '../../../rules/connections/tokens.ts'

const now = 2_000_000_000
const day = 86_400
const none: Tried = { open: 0, unknown: 0, settled: 0, last_at: null }
const facts = (type: TokenFacts['type'], left: number | null, has_refresh_token = true): TokenFacts => ({
  ...{ type, token_expires_at: left === null ? null : now + left, refreshed_at: now, has_refresh_token },
})
const step = (given: TokenFacts, tried: Partial<Tried> = {}, refused = false) =>
  tokenStep(given, { ...none, ...tried }, refused, now)

test('A token with enough time left serves, and is renewed shortly before its end', () => {
  expect([
    step(facts('network_d_account', 600)),
    step(facts('network_d_account', 60)),
    step(facts('network_d_account', -1)),
  ]).toEqual(['serve', 'refresh', 'refresh'])
  expect([step(facts('network_b_business', 11 * day)), step(facts('network_b_business', 9 * day))]).toEqual([
    'serve',
    'refresh',
  ])
  expect(step(facts('network_a_page', null))).toBe('serve')
})

test('While a refresh is open, a token that still lives serves and a dead one is waited for', () => {
  expect([
    step(facts('network_d_account', 60), { open: 1 }),
    step(facts('network_d_account', -1), { open: 1 }),
  ]).toEqual(['serve', 'wait'])
  expect(step(facts('network_d_account', 600), { open: 1 }, true)).toBe('wait')
})

test('After a lost answer nothing is sent until the token is refused, then with pauses', () => {
  const lost = { unknown: 1, settled: 1, last_at: now }
  expect(step(facts('network_d_account', 60), lost)).toBe('serve')
  expect(step(facts('network_d_account', 60), lost, true)).toBe('refresh')
  expect(step(facts('network_d_account', 60), { ...lost, unknown: 2, settled: 2 }, true)).toBe('wait')
  expect(step(facts('network_d_account', 60), { unknown: 2, settled: 2, last_at: now - 60 }, true)).toBe('refresh')
  expect(step(facts('network_d_account', -1), { unknown: 9, settled: 9, last_at: now - 3_600 })).toBe('refresh')
})

test('A trade that leaves the token as it is is tried again while that token lives', () => {
  const lost = { unknown: 1, settled: 1, last_at: now }
  for (const type of ['network_b_business', 'network_e_account'] as const) {
    expect(step(facts(type, 9 * day), lost)).toBe('serve')
    expect(step(facts(type, 9 * day), { ...lost, last_at: now - 60 })).toBe('refresh')
    expect(mayRefreshByTimer(type, { ...none, ...lost })).toBe(true)
    expect(mayRefreshByTimer(type, { ...none, open: 1 })).toBe(false)
  }
  expect(mayRefreshByTimer('network_d_account', { ...none, ...lost })).toBe(false)
})

test('Refusals that do not end the grant are followed by a pause', () => {
  expect(step(facts('network_c_channel', -1), { settled: 1, last_at: now })).toBe('wait')
  expect(step(facts('network_c_channel', -1), { settled: 1, last_at: now - 30 })).toBe('refresh')
  expect(step(facts('network_c_channel', 60), { settled: 1, last_at: now })).toBe('serve')
})

test('A refused token that cannot be renewed needs another consent', () => {
  expect(step(facts('network_a_page', null), {}, true)).toBe('consent')
  expect(step(facts('network_e_account', 30 * day), {}, true)).toBe('consent')
  expect(step(facts('network_c_channel', -1, false))).toBe('consent')
})

test('Timers renew tokens that no call renews, and consents end where the network says so', () => {
  expect([
    refreshAt(facts('network_c_channel', 3_600)),
    refreshAt(facts('network_e_account', 60 * day)),
    refreshAt(facts('network_a_page', null)),
  ]).toEqual([now + 30 * day, now + 50 * day, null])
  expect([reconnectBy('network_a_page', now), reconnectBy('network_b_business', now)]).toEqual([now + 90 * day, null])
})

test('Only an answer about the grant itself ends it', () => {
  const graph = (code: number) => ({ error: { code, type: 'OAuthException', message: 'x' } })
  expect(endsGrant('network_c_channel', 400, { error: 'invalid_grant' })).toBe(true)
  expect(endsGrant('network_d_account', 400, { error: 'invalid_request' })).toBe(true)
  expect(endsGrant('network_b_business', 400, graph(190))).toBe(true)
  for (const body of [graph(4), { error: 'invalid_client' }, {}, null, '<html>', { error: 5 }])
    expect(endsGrant('network_b_business', 400, body)).toBe(false)
  expect(endsGrant('network_c_channel', 400, { error: 'invalid_request' })).toBe(false)
  expect(endsGrant('network_d_account', 429, { error: 'invalid_request' })).toBe(false)
})

test('Networks without a way to renew or to revoke get no request', () => {
  const app = { client_id: 'id', client_secret: 'secret' }
  const held = { access_token: 'a', refresh_token: 'r' }
  expect([
    refreshRequest('network_a_page', held, app, 'v25.0'),
    revokeRequest('network_b_business', held, app, 'v25.0'),
  ]).toEqual([null, null])
  expect(refreshRequest('network_d_account', held, app, 'v25.0')).toMatchObject({
    form: { refresh_token: 'r', client_id: 'id' },
    basic: app,
  })
  expect(refreshRequest('network_e_account', held, app, 'v25.0')).toMatchObject({
    method: 'GET',
    query: { access_token: 'a' },
  })
})

test('Accounts are read from any answer, and those without an id or a token are left out', () => {
  expect(
    profilesOf('network_a_page', { data: [{ id: 5, name: 'Page', access_token: 't' }, { id: '6' }, null, 7] }),
  ).toEqual([{ provider_account_id: '5', name: 'Page', username: null, granted_by: '5', access_token: 't' }])
  for (const body of [null, [], 'x', {}, { data: null }, { items: 3 }])
    expect(profilesOf('network_c_channel', body)).toEqual([])
  expect(profilesOf('network_b_business', { user_id: '17', username: 'salon' })).toMatchObject([
    { provider_account_id: '17', name: 'salon', username: 'salon' },
  ])
})

test('Pages are listed by cursor, and the address of the next page is not followed', () => {
  expect([
    nextPage('network_a_page', { paging: { next: 'https://x/?access_token=t', cursors: { after: 'c' } } }),
    nextPage('network_a_page', { paging: { cursors: { after: 'c' } } }),
    nextPage('network_a_page', []),
  ]).toEqual(['c', null, null])
})
