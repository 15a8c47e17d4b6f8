// Network d (X): files are uploaded in segments, and one call makes the post. A file of ours in a post proves it; of a
// text alone, being the only one of its kind does.
// Source: X API v2 (media, posts, recent search, OAuth 2.0 with PKCE, rate limits).
// Backwards: a network's value says how its comments are read.
import type { Account, Listing } from '../../engagement/comment.ts'
import { isSuccess } from '../../http-verdicts.ts'
// Backwards: a network's value says how its publications are sent.
import { partSpareS } from '../../publications/parts.ts'
import { countIn, type Fields, idIn, listIn, objectIn, secondsIn, textIn, unescaped } from '../answers.ts'
import { type Capability, captionLimits, imageFile, MiB, mediaRow, unlimited, videoFile } from './capability.ts'
import { authorOf, cursorIn, intIn, pageRequest, textMax } from './comment-fields.ts'
import type {
  Accounts,
  CommentFields,
  Comments,
  ContentRules,
  Metrics,
  Network,
  OAuth,
  Refusals,
  Replies,
} from './network.ts'
import {
  type FoundPost,
  type Making,
  mediaRefused,
  type PartAnswer,
  type PartCall,
  type PartResult,
  type Publisher,
  type Window,
} from './publisher.ts'
import { readRequest, type SocialRequest } from './request.ts'
import { statusRefusals } from './statuses.ts'
import { firstText, isSameText } from './texts.ts'

const host = 'api.x.com'

const oauth: OAuth = {
  authorize: { host: 'x.com', path: '/i/oauth2/authorize' },
  exchange: { host: 'api.x.com', path: '/2/oauth2/token' },
  scopes: ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access'],
  separator: ' ',
  pkce: true,
  basic: true,
  refresh: 'token',
  ahead_s: 120,
  revoke: { host: 'api.x.com', path: '/2/oauth2/revoke', method: 'POST' },
  // A refresh token that the network does not know.
  ends_grant: { status: 400, code: 'invalid_request' },
}

const accounts: Accounts = {
  read: { host, path: '/2/users/me', query: {} },
  accountsIn({ data }) {
    const { id, name, username } = objectIn(data)
    return [{ id, name, username }]
  },
}

const capability: Capability = {
  caption: captionLimits(280, 'weighted'),
  title: null,
  fields: ['caption', 'media_ids'],
  placements: [],
  media: [
    mediaRow(null, 0, 4, imageFile({ short_side: { min: 4, max: 8_192 } })),
    mediaRow(null, 1, 1, {
      ...unlimited,
      kind: 'gif',
      mime_types: ['image/gif'],
      bytes_max: 15 * MiB,
      short_side: { min: 4, max: 1_080 },
      long_side: { min: 4, max: 1_280 },
    }),
    mediaRow(
      null,
      1,
      1,
      videoFile(512 * MiB, [0.5, 140], {
        aspect: { min: 1 / 3, max: 3 },
        short_side: { min: 32, max: 1_200 },
        long_side: { min: 32, max: 1_920 },
      }),
    ),
  ],
  images: { mime_types: ['image/jpeg', 'image/png', 'image/webp'], bytes_max: 5 * MiB, side_max: 8_192 },
  comments: true,
  reply: { max: 280, unit: 'weighted' },
  metrics: ['views', 'likes', 'comments', 'shares', 'saves'],
  posts_per_day: null,
}

const content: ContentRules = {
  textIssue: (pointer, text) =>
    /[\uFFFE\uFEFF\uFFFF]/.test(text)
      ? {
          pointer,
          code: 'unsupported_character',
          detail: 'The caption has a character that the network refuses: U+FEFF, U+FFFE or U+FFFF.',
        }
      : null,
}

/** The bytes of a segment: 5 MB at most (X API, Media). */
export const segmentBytes = 4 * 1024 * 1024
const categories = { image: 'tweet_image', gif: 'tweet_gif', video: 'tweet_video' } as const

const uploadOf = (id: string, step: string): SocialRequest => ({
  method: 'POST',
  host,
  path: `/2/media/upload/${encodeURIComponent(id)}/${step}`,
})

function multipart(fields: Record<string, string>, name: string, data: Uint8Array): { type: string; data: Uint8Array } {
  const boundary = 'till-segment-7f3a9c52d1e84b60'
  const encode = (text: string) => new TextEncoder().encode(text)
  const parts = Object.entries(fields).map(
    ([field, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  )
  const head = encode(
    `${parts.join('')}--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n',
  )
  const tail = encode(`\r\n--${boundary}--\r\n`)
  const whole = new Uint8Array(head.length + data.length + tail.length)
  whole.set(head)
  whole.set(data, head.length)
  whole.set(tail, head.length + data.length)
  return { type: `multipart/form-data; boundary=${boundary}`, data: whole }
}

function call({ file, ref, bytes }: Making): PartCall {
  const total = file?.bytes ?? 0
  if (ref.id === undefined) {
    const media_category = categories[file?.kind ?? 'image']
    return {
      request: {
        method: 'POST',
        host,
        path: '/2/media/upload/initialize',
        json: { media_type: file?.mime_type, total_bytes: total, media_category },
      },
    }
  }
  if (bytes < total) {
    const to = Math.min(total, bytes + segmentBytes) - 1
    const segment_index = String(Math.floor(bytes / segmentBytes))
    return {
      request: uploadOf(ref.id, 'append'),
      range: { from: bytes, to, wrap: (data) => multipart({ segment_index }, 'media', data) },
    }
  }
  if (!ref.told) return { request: uploadOf(ref.id, 'finalize') }
  return { request: { method: 'GET', host, path: '/2/media/upload', query: { command: 'STATUS', media_id: ref.id } } }
}

function read({ file, ref, bytes }: Making, { body }: PartAnswer): PartResult | undefined {
  const data = objectIn(objectIn(body).data)
  if (ref.id === undefined) {
    const [id, key, lives] = [idIn(data.id), idIn(data.media_key), countIn(data.expires_after_secs)]
    if (id === null || key === null) return undefined
    // What is forgotten sooner would be made again all the time.
    const lives_s = Math.min(7 * 86_400, Math.max(2 * partSpareS, lives || 86_400))
    return { state: 'made', ref: { id, key }, bytes: 0, lives_s, wait_s: 0 }
  }
  const total = file?.bytes ?? 0
  if (bytes < total) return { state: 'made', ref, bytes: Math.min(total, bytes + segmentBytes), wait_s: 0 }
  const { processing_info } = data
  const notifiedRef = { ...ref, told: true as const }
  // Only what is processed afterwards has it.
  if (processing_info === undefined) return idIn(data.id) === null ? undefined : { state: 'ready', ref: notifiedRef }
  const { state, check_after_secs, error } = objectIn(processing_info)
  if (state === 'succeeded') return { state: 'ready', ref: notifiedRef }
  if (state === 'failed') return mediaRefused(objectIn(error).message, objectIn(error).name)
  return { state: 'made', ref: notifiedRef, wait_s: Math.min(60, countIn(check_after_secs) || 1) }
}

/** The text as it was written: unescaped, links as they were, without the link to the post's own files. */
function writtenText(one: Record<string, unknown>): string {
  let text = typeof one.text === 'string' ? one.text : ''
  for (const url of listIn(objectIn(one.entities).urls)) {
    if (typeof url.url !== 'string') continue
    const whole = url.media_key === undefined && typeof url.expanded_url === 'string' ? url.expanded_url : ''
    text = text.replaceAll(url.url, () => whole)
  }
  return unescaped(text)
}

const within = (seconds: number | null, { from, to }: Window): boolean =>
  seconds !== null && seconds >= from && seconds <= to

const publisher: Publisher = {
  fetches: false,
  plan: ({ media_ids }) => media_ids.map((media_id) => ({ kind: 'file', media_id })),
  call,
  read,
  reveal({ content }, refs) {
    const ids = refs.map(({ id }) => id)
    const text = content.caption ?? ''
    const json = { ...(text === '' ? {} : { text }), ...(ids.length > 0 ? { media: { media_ids: ids } } : {}) }
    return {
      request: { method: 'POST', host, path: '/2/tweets', json },
      subject: { kind: 'tweet', id: null, keys: refs.flatMap(({ key }) => key ?? []), text },
    }
  },
  postIn: (body) => idIn(objectIn(objectIn(body).data).id),
  proof: (_, { account }, { from }) => ({
    ...{ method: 'GET', host, path: `/2/users/${encodeURIComponent(account)}/tweets` },
    query: {
      ...{
        max_results: '100',
        exclude: 'retweets,replies',
        start_time: new Date(from * 1000).toISOString().replace(/\.\d+/, ''),
      },
      ...{ 'tweet.fields': 'created_at,entities,attachments', expansions: 'attachments.media_keys' },
    },
  }),
  seen(body, { keys = [], text }, window) {
    const whole = objectIn(body)
    // Without a post in that time there is no list.
    if (!Array.isArray(whole.data) && objectIn(whole.meta).result_count !== 0) return undefined
    const own = listIn(whole.data).flatMap((one) => {
      const id = idIn(one.id)
      return id === null ? [] : [{ id, one }]
    })
    const post = (id: string): FoundPost => ({ id, permalink: null })
    const ours = own.find(({ one }) => {
      const { media_keys } = objectIn(one.attachments)
      return Array.isArray(media_keys) && keys.some((key) => media_keys.includes(key))
    })
    if (ours) return { shown: true, post: post(ours.id) }
    // A single post of the text may not be the only one in a list that continues.
    if (keys.length > 0 || objectIn(whole.meta).next_token !== undefined)
      return { shown: false, hidden: false, alike: [] }
    const alike = own.filter(({ one }) => {
      const { media_keys } = objectIn(one.attachments)
      return (
        !Array.isArray(media_keys) && within(secondsIn(one.created_at), window) && isSameText(writtenText(one), text)
      )
    })
    return { shown: false, hidden: false, alike: alike.map(({ id }) => post(id)) }
  },
  permalink: {
    kind: 'made',
    named: true,
    of: (id, username) => `https://x.com/${encodeURIComponent(username ?? 'i')}/status/${encodeURIComponent(id)}`,
  },
}

const refusals: Refusals = {
  ...statusRefusals,
  says(body) {
    const { errors, detail, title } = objectIn(body)
    const message = firstText(listIn(errors)[0]?.message, detail, title)
    return { message, provider_code: typeof title === 'string' ? title : undefined }
  },
  // Limits are answered with 429.
  isLimit: () => false,
  limits_by_kind: true,
  mayRepeat: () => false,
  // `You are not allowed to create a Tweet with duplicate content`: with 403, as other calls that the network does not
  // allow.
  mayBeDuplicate: ({ status }) => status === 403,
  // 200 for a post that it does not have.
  isGone({ status, body }) {
    const { data, errors } = objectIn(body)
    const isMissing = (type: unknown) => typeof type === 'string' && type.endsWith('/resource-not-found')
    return isSuccess(status) && data === undefined && listIn(errors).some(({ type }) => isMissing(type))
  },
}

function commentOf(
  one: Fields,
  { post }: Listing,
  account: Account,
  authors: ReadonlyMap<unknown, Fields>,
): CommentFields {
  const parent = listIn(one.referenced_tweets).find(({ type }) => type === 'replied_to')?.id
  const author = authors.get(one.author_id)
  const { like_count, reply_count } = objectIn(one.public_metrics)
  const text = textIn(one.text, textMax)
  return {
    // A post of the conversation that answers none of it is the post itself.
    ...{ id: parent === undefined ? null : idIn(one.id), parent: parent === post ? null : idIn(parent) },
    ...{ author: authorOf(one.author_id, author?.name, author?.username), at: secondsIn(one.created_at) },
    text: text === null ? null : unescaped(text),
    ...{ like_count: intIn(like_count), reply_count: intIn(reply_count) },
    own: one.author_id === account.provider_account_id,
  }
}

const dayS = 86_400

const comments: Comments = {
  page: { min: 10, max: 100 },
  // The last seven days are searched; an hour is to spare.
  listed_s: 7 * dayS - 3_600,
  thread_newest_first: true,
  replies_go_with_root: false,
  request({ post, root }, page) {
    const query = {
      query: `conversation_id:${post}`,
      // Identifiers of posts grow with time: what answers a comment is newer than the comment.
      ...(root === null ? {} : { since_id: root }),
      'tweet.fields': 'created_at,author_id,referenced_tweets,public_metrics,conversation_id',
      ...{ expansions: 'author_id', 'user.fields': 'name,username', max_results: page.size },
    }
    return pageRequest({ host, path: '/2/tweets/search/recent' }, query, 'next_token', page)
  },
  read(body, listing, account) {
    const { result_count, next_token } = objectIn(body.meta)
    // Without a result there is no `data`.
    if (!Array.isArray(body.data) && countIn(result_count) !== 0) return null
    const authors = new Map(listIn(objectIn(body.includes).users).map((user) => [user.id, user]))
    return {
      comments: listIn(body.data).map((one) => commentOf(one, listing, account, authors)),
      cursor: cursorIn(next_token),
    }
  },
}

const replies: Replies = {
  names_answered: true,
  request: ({ comment }, text) => ({
    ...{ method: 'POST', host, path: '/2/tweets' },
    json: { text, reply: { in_reply_to_tweet_id: comment } },
  }),
  idIn: ({ data }) => idIn(objectIn(data).id),
}

const metrics: Metrics = {
  requests: ({ post }, access) => [
    readRequest({ host, path: `/2/tweets/${encodeURIComponent(post)}` }, { 'tweet.fields': 'public_metrics' }, access),
  ],
  values({ data }) {
    if (data === undefined) return null
    const found = objectIn(objectIn(data).public_metrics)
    const [retweets, quotes] = [countIn(found.retweet_count), countIn(found.quote_count)]
    return {
      views: countIn(found.impression_count),
      likes: countIn(found.like_count),
      comments: countIn(found.reply_count),
      shares: retweets === null && quotes === null ? null : (retweets ?? 0) + (quotes ?? 0),
      saves: countIn(found.bookmark_count),
    }
  },
}

export const networkD: Network = {
  name: 'X',
  ...{ oauth, accounts, capability, content, publisher },
  ...{ refusals, comments, replies, metrics },
  bills_reads: true,
}
