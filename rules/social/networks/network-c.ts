// Network c (YouTube): a video is uploaded in chunks to a session that can be resumed, as a private one, and shown by a
// change of its privacy.
// Sources: YouTube Data API (videos, resumable uploads, comments, errors, quota), Google OAuth 2.0.
// Backwards: a network's value says how its comments are read.
import type { Account, Listing } from '../../engagement/comment.ts'
import { countIn, type Fields, idIn, listIn, objectIn, reasonsIn, secondsIn, textIn } from '../answers.ts'
import { type Capability, captionLimits, GiB, mediaRow, videoFile } from './capability.ts'
import { authorOf, cursorIn, intIn, pageRequest, textMax } from './comment-fields.ts'
import type {
  Accounts,
  CommentFields,
  Comments,
  ContentRules,
  Metrics,
  Network,
  OAuth,
  Quota,
  Refusals,
  Replies,
} from './network.ts'
import { pacificDay } from './pacific-day.ts'
import {
  type Making,
  mediaRefused,
  otherHost,
  type PartAnswer,
  type PartCall,
  type PartResult,
  type Publisher,
} from './publisher.ts'
import { readRequest, type SocialRequest } from './request.ts'
import { statusRefusals } from './statuses.ts'
import { firstText } from './texts.ts'

const host = 'www.googleapis.com'

const oauth: OAuth = {
  authorize: {
    host: 'accounts.google.com',
    path: '/o/oauth2/v2/auth',
    more: { access_type: 'offline', prompt: 'consent' },
  },
  exchange: { host: 'oauth2.googleapis.com', path: '/token' },
  scopes: ['https://www.googleapis.com/auth/youtube.upload', 'https://www.googleapis.com/auth/youtube.force-ssl'],
  separator: ' ',
  pkce: true,
  refresh: 'token',
  ahead_s: 120,
  revoke: { host: 'oauth2.googleapis.com', path: '/revoke', method: 'POST' },
  revokes_all: true,
}

const accounts: Accounts = {
  read: { host, path: '/youtube/v3/channels', query: { part: 'snippet', mine: 'true' } },
  accountsIn: ({ items }) =>
    listIn(items).map(({ id, snippet }) => {
      const { title, customUrl } = objectIn(snippet)
      return { id, name: title, username: customUrl }
    }),
}

const capability: Capability = {
  caption: captionLimits(5_000, 'bytes'),
  title: { max: 100, required: true },
  fields: ['caption', 'media_ids', 'title', 'privacy', 'made_for_kids'],
  placements: [],
  media: [mediaRow(null, 1, 1, videoFile(256 * GiB, [0.1, 12 * 3_600]))],
  images: null,
  comments: true,
  reply: { max: 10_000, unit: 'characters' },
  metrics: ['views', 'likes', 'comments'],
  posts_per_day: 100,
}

const content: ContentRules = {
  textIssue: (pointer, text) =>
    /[<>]/.test(text)
      ? { pointer, code: 'unsupported_character', detail: 'The characters `<` and `>` are not allowed.' }
      : null,
}

/** The bytes of one call: a multiple of 256 KiB (YouTube Data API, Resumable Uploads). */
export const chunkBytes = 4 * 1024 * 1024
const livesS = 86_400

function call({ content, file, ref, bytes }: Making): PartCall {
  const total = file?.bytes ?? 0
  if (ref.id !== undefined)
    return {
      request: {
        method: 'GET',
        host,
        path: '/youtube/v3/videos',
        query: { part: 'status,processingDetails', id: ref.id },
      },
    }
  if (ref.url === undefined) {
    const snippet = { title: content.title ?? '', description: content.caption ?? '' }
    const status = { privacyStatus: 'private', selfDeclaredMadeForKids: content.made_for_kids ?? false }
    return {
      request: {
        ...{
          method: 'POST',
          host,
          path: '/upload/youtube/v3/videos',
          query: { uploadType: 'resumable', part: 'snippet,status' },
          json: { snippet, status },
        },
        headers: { 'x-upload-content-length': String(total), 'x-upload-content-type': file?.mime_type ?? '' },
      },
    }
  }
  const { pathname, searchParams } = new URL(ref.url)
  const session: SocialRequest = { method: 'PUT', host, path: pathname, query: Object.fromEntries(searchParams) }
  // After an interruption the network is asked how much it has, and after the last byte what it made of it.
  if (!ref.told || bytes >= total) return { request: { ...session, headers: { 'content-range': `bytes */${total}` } } }
  const to = Math.min(total, bytes + chunkBytes) - 1
  const type = file?.mime_type ?? 'application/octet-stream'
  return {
    request: { ...session, headers: { 'content-range': `bytes ${bytes}-${to}/${total}` } },
    range: { from: bytes, to, wrap: (data) => ({ type, data }) },
  }
}

const header = ({ headers }: PartAnswer, name: string): string | undefined => {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

function read({ ref, bytes, file }: Making, answer: PartAnswer): PartResult | undefined {
  const whole = objectIn(answer.body)
  if (ref.id !== undefined) return videoState(ref, whole)
  if (ref.url === undefined) {
    const url = header(answer, 'location')
    if (url === undefined || !URL.canParse(url)) return undefined
    if (new URL(url).origin !== `https://${host}`) return otherHost
    return { state: 'made', ref: { url, told: true }, bytes: 0, lives_s: 7 * livesS, wait_s: 0 }
  }
  if (answer.status === 308) {
    const last = /^bytes=0-(\d+)$/.exec(header(answer, 'range') ?? '')?.[1]
    const stored = last === undefined ? 0 : Number(last) + 1
    // More than there is, or no more than before.
    if (stored > (file?.bytes ?? 0) || (ref.told && stored <= bytes)) return undefined
    return { state: 'made', ref: { ...ref, told: true }, bytes: stored, wait_s: 0 }
  }
  const id = idIn(whole.id)
  return id === null ? undefined : { state: 'made', ref: { id }, wait_s: 0 }
}

function videoState(ref: Making['ref'], whole: Record<string, unknown>): PartResult | undefined {
  if (!Array.isArray(whole.items)) return undefined
  const [video] = listIn(whole.items)
  if (!video) return { state: 'forgotten' }
  const { uploadStatus, rejectionReason, failureReason } = objectIn(video.status)
  switch (uploadStatus) {
    case 'processed':
      return { state: 'ready', ref }
    // A video may be shown while it is processed: first in a low resolution.
    case 'uploaded':
      return { state: 'made', ref, wait_s: 5, usable: true }
    case 'failed':
    case 'rejected':
    case 'deleted':
      return mediaRefused(null, rejectionReason ?? failureReason)
    default:
      return undefined
  }
}

const privacyOf = (privacy: string | null): string => privacy ?? 'public'

const publisher: Publisher = {
  fetches: false,
  plan: ({ media_ids }) => [{ kind: 'video', media_id: media_ids[0] ?? null }],
  call,
  read,
  // The session of an upload has ended.
  refused: ({ ref }, { status }) =>
    status === 404 && ref.id === undefined && ref.url !== undefined ? { state: 'forgotten' } : undefined,
  reveal({ content }, refs) {
    const id = refs[0]?.id ?? ''
    const privacyStatus = privacyOf(content.privacy)
    const status = { privacyStatus, selfDeclaredMadeForKids: content.made_for_kids ?? false }
    const request: SocialRequest = {
      method: 'PUT',
      host,
      path: '/youtube/v3/videos',
      query: { part: 'status' },
      json: { id, status },
    }
    return { request, subject: { kind: 'video', id, text: content.caption ?? '', privacy: privacyStatus } }
  },
  postIn: (_, { id }) => id,
  proof: ({ id }) => ({ method: 'GET', host, path: '/youtube/v3/videos', query: { part: 'status', id: id ?? '' } }),
  seen(body, { id, privacy }) {
    const whole = objectIn(body)
    if (!Array.isArray(whole.items)) return undefined
    const [video] = listIn(whole.items)
    const privacyStatus = video && objectIn(video.status).privacyStatus
    if (video && typeof privacyStatus !== 'string') return undefined
    return privacyStatus === privacy
      ? { shown: true, post: { id: id ?? '', permalink: null } }
      : { shown: false, hidden: true, alike: [] }
  },
  permalink: {
    kind: 'made',
    named: false,
    of: (id) => `https://www.youtube.com/watch?v=${encodeURIComponent(id)}`,
  },
  drop: (_, { id }) =>
    id === undefined ? undefined : { method: 'DELETE', host, path: '/youtube/v3/videos', query: { id } },
}

/** Reasons of a limit of the day, and of a moment. */
const ofDay: readonly unknown[] = ['quotaExceeded', 'dailyLimitExceeded']
const ofMoment: readonly unknown[] = ['rateLimitExceeded', 'userRateLimitExceeded']

const refusals: Refusals = {
  ...statusRefusals,
  says(body) {
    const { message, errors } = objectIn(objectIn(body).error)
    return { message: firstText(message), provider_code: firstText(listIn(errors)[0]?.reason) }
  },
  // The network refuses with 403.
  isLimit: (body) => reasonsIn(body).some((reason) => ofDay.includes(reason) || ofMoment.includes(reason)),
  limitEnd: (body, now) => (reasonsIn(body).some((reason) => ofDay.includes(reason)) ? pacificDay(now).ends_at : null),
  mayRepeat: (body) => reasonsIn(body).some((reason) => reason === 'quotaExceeded' || reason === 'rateLimitExceeded'),
  isGone: () => false,
  isCommentsDisabled: (body) => reasonsIn(body).includes('commentsDisabled'),
}

/** Reads a comment; in a list of threads, the one that a thread begins with. */
function commentOf(one: Fields, { root }: Listing, account: Account): CommentFields {
  const thread = objectIn(one.snippet)
  const comment = root === null ? objectIn(thread.topLevelComment) : one
  const snippet = objectIn(comment.snippet)
  const channel = objectIn(snippet.authorChannelId).value
  return {
    ...{ id: idIn(comment.id), parent: root === null ? null : (idIn(snippet.parentId) ?? root) },
    ...{ author: authorOf(channel, snippet.authorDisplayName, null), at: secondsIn(snippet.publishedAt) },
    text: textIn(snippet.textOriginal ?? snippet.textDisplay, textMax),
    like_count: intIn(snippet.likeCount),
    reply_count: root === null ? intIn(thread.totalReplyCount) : null,
    own: channel === account.provider_account_id,
  }
}

const comments: Comments = {
  page: { min: 1, max: 100 },
  thread_newest_first: true,
  replies_go_with_root: true,
  request({ post, root }, page) {
    const common = { part: 'snippet', textFormat: 'plainText', maxResults: page.size }
    const [path, query] =
      root === null
        ? ['/youtube/v3/commentThreads', { ...common, videoId: post, order: 'time' }]
        : ['/youtube/v3/comments', { ...common, parentId: root }]
    return pageRequest({ host, path }, query, 'pageToken', page)
  },
  read: (body, listing, account) =>
    Array.isArray(body.items)
      ? {
          comments: listIn(body.items).map((one) => commentOf(one, listing, account)),
          cursor: cursorIn(body.nextPageToken),
        }
      : null,
}

const replies: Replies = {
  names_answered: false,
  // There is one level of replies: an answer to a reply is written below the first comment.
  request: ({ root }, text) => ({
    ...{ method: 'POST', host, path: '/youtube/v3/comments', query: { part: 'snippet' } },
    json: { snippet: { parentId: root, textOriginal: text } },
  }),
  idIn: ({ id }) => idIn(id),
}

const metrics: Metrics = {
  requests: ({ post }, access) => [
    readRequest({ host, path: '/youtube/v3/videos' }, { part: 'statistics', id: post }, access),
  ],
  values({ items }) {
    if (!Array.isArray(items)) return null
    const { viewCount, likeCount, commentCount } = objectIn(listIn(items)[0]?.statistics)
    return { views: countIn(viewCount), likes: countIn(likeCount), comments: countIn(commentCount) }
  },
}

/** Reads get six tenths of the units, and one store a tenth of those. */
const quota: Quota = {
  costs: { read: 1, reply: 50 },
  limits: { reads: 6_000, reads_of_store: 600, writes: 4_000 },
  day: pacificDay,
}

export const networkC: Network = {
  name: 'YouTube',
  ...{ oauth, accounts, capability, content, publisher },
  ...{ refusals, comments, replies, metrics, quota },
}
