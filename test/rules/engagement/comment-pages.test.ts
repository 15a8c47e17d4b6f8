// Comments are read page by page: what a request of one page says, and what its answer holds.
import { expect, test } from '@jest/globals'
import type { Account, Listing } from '../../../rules/engagement/comment.ts'
import { commentPage, commentsRequest } from '../../../rules/engagement/comment-pages.ts'
import { type NetworkType, networkTypes } from '../../../rules/social/networks/network-types.ts'

const now = 1_764_072_000
const at = '2025-11-25T12:00:00.000Z'
const account: Account = { provider_account_id: '7', username: 'shop' }
const top = (type: NetworkType): Listing => ({ type, post: '100', root: null })
const page = { wanted: 50, cursor: null, token: 'secret', version: 'v25.0' }

test.each(networkTypes)('A page of %s is requested with the token as a header alone', (type) => {
  for (const root of [null, '200']) {
    const request = commentsRequest({ ...top(type), root }, { ...page, cursor: 'next' })
    expect([request.method, request.token]).toEqual(['GET', 'secret'])
    expect(JSON.stringify([request.path, request.query])).not.toContain('secret')
    expect(Object.values(request.query ?? {})).toContain('next')
  }
})

test('A page holds no more than is wanted, within the limits of the network', () => {
  const sizes = (type: NetworkType, wanted: number) => {
    const { query } = commentsRequest(top(type), { ...page, wanted })
    return Number(query?.limit ?? query?.maxResults ?? query?.max_results)
  }
  expect(networkTypes.map((type) => sizes(type, 3))).toEqual([3, 3, 3, 10, 3])
  expect(networkTypes.map((type) => sizes(type, 1000))).toEqual([100, 50, 100, 100, 100])
})

test('The cursor of Graph is used, and its address of the next page, which has the token, is not', () => {
  const comment = {
    id: '1',
    message: 'Hi',
    created_time: '2025-11-25T12:00:00+0000',
    from: { id: '7', name: 'Shop' },
    like_count: 2,
    comment_count: 0,
  }
  const body = {
    data: [comment, comment],
    paging: { cursors: { after: 'abc' }, next: 'https://graph.facebook.com/?access_token=secret' },
  }
  expect(commentPage(top('network_a_page'), account, body)).toEqual({
    cursor: 'abc',
    comments: [
      {
        ...{
          provider_comment_id: '1',
          parent: null,
          text: 'Hi',
          like_count: 2,
          reply_count: 0,
          own: true,
          created_at: now,
        },
        author: { provider_id: '7', name: 'Shop', username: null },
      },
    ],
  })
  expect(
    commentPage(top('network_a_page'), account, { ...body, paging: { cursors: { after: 'abc' } } })?.cursor,
  ).toBeNull()
})

test('Comments of the top level and of a thread are told apart in a conversation', () => {
  const tweet = (id: string, parent?: string) => ({
    ...{ id, text: 'A &amp; B', created_at: at, author_id: '7', public_metrics: { like_count: 1, reply_count: 0 } },
    ...(parent ? { referenced_tweets: [{ type: 'replied_to', id: parent }] } : {}),
  })
  const body = {
    data: [tweet('102', '101'), tweet('101', '100'), tweet('100')],
    includes: { users: [{ id: '7', name: 'Shop', username: 'shop' }] },
    meta: {},
  }
  const listed = commentPage(top('network_d_account'), account, body)
  expect(listed?.comments.map(({ provider_comment_id, parent, text }) => [provider_comment_id, parent, text])).toEqual([
    ['101', null, 'A & B'],
  ])
  const thread = commentPage({ ...top('network_d_account'), root: '101' }, account, body)
  expect(thread?.comments.map(({ provider_comment_id, parent }) => [provider_comment_id, parent])).toEqual([
    ['102', '101'],
  ])
  expect(commentPage(top('network_d_account'), account, { meta: { result_count: 0 } })).toEqual({
    comments: [],
    cursor: null,
  })
})

test.each(networkTypes)('An answer of %s that is no listing says nothing of what is there', (type) => {
  for (const body of [undefined, null, [], 'text', {}, { error: { code: 1 } }, { data: 'x', items: 5 }])
    expect(commentPage(top(type), account, body)).toBeNull()
})

test('A figure that no column holds is not reported', () => {
  const body = {
    data: [
      { id: '1', text: 'Hi', timestamp: at, like_count: 2 ** 31 },
      { id: '2', text: 'Hi', timestamp: at, like_count: 2 ** 31 - 1 },
    ],
  }
  expect(commentPage(top('network_b_business'), account, body)?.comments.map((one) => one.like_count)).toEqual([
    null,
    2 ** 31 - 1,
  ])
})

test('A comment without an id or a time is left out, and a text is cut to what is stored', () => {
  const comment = (more: object) => ({ id: '1', text: 'Hi', timestamp: at, username: 'ada', ...more })
  const body = {
    data: [
      comment({ id: 'x'.repeat(300) }),
      comment({ timestamp: 'soon' }),
      comment({ id: '2', text: `\0${'y'.repeat(20_000)}` }),
    ],
  }
  const read = commentPage(top('network_b_business'), account, body)
  expect(read?.comments.map(({ provider_comment_id, text }) => [provider_comment_id, text.length, text[0]])).toEqual([
    ['2', 10_000, '\ufffd'],
  ])
})
