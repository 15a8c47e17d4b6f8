// Network e (Threads): a text alone is a container, too. Replies are posts.
// Source: Threads API (publishing, reply management, insights, long-lived tokens).
// Backwards: a network's value says how its comments are read.
import type { Account, Listing } from '../../engagement/comment.ts'
import { type Fields, idIn, listIn, secondsIn, textIn } from '../answers.ts'
import { type Capability, captionLimits, GiB, imageFile, MiB, mediaRow, videoFile, videoFrame } from './capability.ts'
import { authorOf, graphCursor, idOf, pageRequest, textMax } from './comment-fields.ts'
import { publisherOf } from './containers.ts'
import { graphRefusals, insightsIn } from './graph.ts'
import type { Accounts, CommentFields, Comments, ContainerState, Metrics, Network, OAuth, Replies } from './network.ts'
import { readRequest } from './request.ts'

const host = 'graph.threads.net'
const day = 86_400

const oauth: OAuth = {
  authorize: { host: 'threads.net', path: '/oauth/authorize' },
  exchange: { host: 'graph.threads.net', path: '/oauth/access_token' },
  scopes: [
    'threads_basic',
    'threads_content_publish',
    'threads_read_replies',
    'threads_manage_replies',
    'threads_manage_insights',
  ],
  separator: ',',
  pkce: false,
  extend: {
    host: 'graph.threads.net',
    path: '/access_token',
    grant_type: 'th_exchange_token',
    token: 'access_token',
  },
  refresh: {
    host: 'graph.threads.net',
    path: '/refresh_access_token',
    grant_type: 'th_refresh_token',
    token: 'access_token',
  },
  ahead_s: 10 * day,
}

const accounts: Accounts = {
  read: { host, path: '/v1.0/me', query: { fields: 'id,username,name' } },
  accountsIn: ({ id, name, username }) => [{ id, name, username }],
}

const capability: Capability = {
  caption: captionLimits(500, 'emoji_bytes', { links_max: 5 }),
  title: null,
  fields: ['caption', 'media_ids'],
  placements: [],
  media: [mediaRow(null, 0, 20, imageFile({ aspect: { min: 0.1, max: 10 } }), videoFile(GiB, [0.1, 300], videoFrame))],
  images: { mime_types: ['image/jpeg', 'image/png'], bytes_max: 8 * MiB, side_max: null },
  comments: true,
  reply: { max: 500, unit: 'emoji_bytes' },
  metrics: ['views', 'likes', 'comments', 'shares'],
  posts_per_day: 250,
}

const publisher = publisherOf({
  ...{
    host,
    base: '/v1.0',
    make: 'threads',
    publish: 'threads_publish',
    posts: 'threads',
    text: 'text',
    status: 'status',
    reason: 'error_message',
  },
  post: ({ caption, media_ids }) => ({
    ...(caption ? { text: caption } : {}),
    ...(media_ids.length === 0 ? { media_type: 'TEXT' } : {}),
  }),
  file: ({ kind, url }): Record<string, string> =>
    kind === 'video' ? { media_type: 'VIDEO', video_url: url } : { media_type: 'IMAGE', image_url: url },
})

function commentOf(one: Fields, { post }: Listing, account: Account): CommentFields {
  const parent = idOf(one.replied_to)
  return {
    ...{ id: idIn(one.id), parent: parent === post ? null : parent, author: authorOf(null, null, one.username) },
    ...{ text: textIn(one.text, textMax), at: secondsIn(one.timestamp), like_count: null, reply_count: null },
    own: one.is_reply_owned_by_me === true || (account.username !== null && one.username === account.username),
  }
}

const comments: Comments = {
  page: { min: 1, max: 100 },
  thread_newest_first: false,
  replies_go_with_root: false,
  request({ post, root }, page) {
    const fields = 'id,text,timestamp,username,replied_to,root_post,has_replies,is_reply_owned_by_me'
    // `conversation` lists the replies of all levels.
    const [edge, reverse] = root === null ? ['replies', 'true'] : ['conversation', 'false']
    const path = `/v1.0/${encodeURIComponent(post)}/${edge}`
    return pageRequest({ host, path }, { fields, reverse, limit: page.size }, 'after', page)
  },
  read: (body, listing, account) =>
    Array.isArray(body.data)
      ? { comments: listIn(body.data).map((one) => commentOf(one, listing, account)), cursor: graphCursor(body) }
      : null,
}

const containerStates: ReadonlyMap<unknown, ContainerState> = new Map([
  ['FINISHED', 'finished'],
  ['PUBLISHED', 'published'],
  ['ERROR', 'refused'],
  ['EXPIRED', 'expired'],
])

const replies: Replies = {
  names_answered: true,
  container: {
    make: ({ account, comment }, text) => ({
      ...{ method: 'POST', host, path: `/v1.0/${encodeURIComponent(account)}/threads` },
      form: { media_type: 'TEXT', text, reply_to_id: comment },
    }),
    read: (id) => ({
      ...{ method: 'GET', host, path: `/v1.0/${encodeURIComponent(id)}` },
      query: { fields: 'status,error_message' },
    }),
    stateIn: ({ status }) => containerStates.get(status) ?? null,
  },
  request: ({ account, container }) => ({
    ...{ method: 'POST', host, path: `/v1.0/${encodeURIComponent(account)}/threads_publish` },
    form: { creation_id: container ?? '' },
  }),
  idIn: ({ id }) => idIn(id),
}

const insights = { views: 'views', likes: 'likes', comments: 'replies', shares: 'reposts' }

const metrics: Metrics = {
  requests({ post }, access) {
    const path = `/v1.0/${encodeURIComponent(post)}/insights`
    return [readRequest({ host, path }, { metric: Object.values(insights).join(',') }, access)]
  },
  values: (body) => insightsIn(insights, body),
}

export const networkE: Network = {
  name: 'Threads',
  ...{ oauth, accounts, capability, content: {}, publisher },
  ...{ refusals: graphRefusals, comments, replies, metrics },
}
