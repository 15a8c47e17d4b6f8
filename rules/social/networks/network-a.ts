// Network a (a Facebook page): posts and videos are made unpublished, and published by changing that. A reel is
// published by the end of its upload.
// Sources: Graph API (pages, page photos, videos, reels, comments, insights), Facebook Login.
// Backwards: a network's value says how its comments are read.
import type { Listing, Account as Owner } from '../../engagement/comment.ts'
// Backwards: a network's value says how its publications are sent.
import type { SocialContent } from '../../publications/content.ts'
import { countIn, type Fields, idIn, listIn, objectIn, secondsIn, textIn } from '../answers.ts'
import { type Capability, captionLimits, GiB, imageFile, MiB, mediaRow, videoFile } from './capability.ts'
import { authorOf, graphCursor, idOf, intIn, pageRequest, textMax } from './comment-fields.ts'
import { graphRefusals, insightsIn, nextCursor, permalinkIn } from './graph.ts'
import type { Accounts, CommentFields, Comments, ContentRules, Metrics, Network, OAuth, Replies } from './network.ts'
import {
  type Account,
  type Making,
  mediaRefused,
  otherHost,
  type PartAnswer,
  type PartResult,
  type Publisher,
} from './publisher.ts'
import { readRequest, type SocialRequest, versioned } from './request.ts'

const host = 'graph.facebook.com'
const day = 86_400

const oauth: OAuth = {
  authorize: { host: 'www.facebook.com', path: '/{v}/dialog/oauth' },
  exchange: { host: 'graph.facebook.com', path: '/{v}/oauth/access_token' },
  scopes: [
    'pages_show_list',
    'pages_manage_posts',
    'pages_read_engagement',
    'pages_read_user_content',
    'pages_manage_engagement',
    'read_insights',
  ],
  separator: ',',
  pkce: false,
  extend: {
    host: 'graph.facebook.com',
    path: '/{v}/oauth/access_token',
    grant_type: 'fb_exchange_token',
    token: 'fb_exchange_token',
  },
  ahead_s: 0,
  revoke: { host: 'graph.facebook.com', path: '/{v}/me/permissions', method: 'DELETE' },
  revokes_all: true,
  consent_s: 90 * day,
}

/** The pages of the user who consented. */
const accounts: Accounts = {
  read: {
    ...{ host, path: '/{v}/me/accounts' },
    query: { fields: 'id,name,username,access_token', limit: '100' },
  },
  accountsIn: ({ data }) =>
    listIn(data).map(({ id, name, username, access_token }) => ({ id, name, username, access_token })),
  own_tokens: true,
  nextPage: nextCursor,
  grantor: { host, path: '/{v}/me', query: { fields: 'id' } },
}

const capability: Capability = {
  caption: captionLimits(63_206),
  title: null,
  fields: ['caption', 'placement', 'media_ids', 'link_url'],
  placements: ['feed', 'reel'],
  media: [
    mediaRow('feed', 0, 10, imageFile()),
    mediaRow('feed', 1, 1, videoFile(10 * GiB, [1, 4 * 3_600])),
    mediaRow(
      'reel',
      1,
      1,
      videoFile(GiB, [3, 90], {
        aspect: { min: 0.55, max: 0.575 },
        short_side: { min: 540, max: 8_192 },
        long_side: { min: 960, max: 8_192 },
      }),
    ),
  ],
  images: { mime_types: ['image/jpeg', 'image/png'], bytes_max: 10 * MiB, side_max: null },
  comments: true,
  reply: { max: 8_000, unit: 'characters' },
  metrics: ['views', 'reach', 'likes', 'comments', 'shares'],
  posts_per_day: null,
}

const isReel = ({ placement }: Pick<SocialContent, 'placement'>) => placement === 'reel'
const isWebAddress = (text: string): boolean => /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text)

const content: ContentRules = {
  linkIssue({ link_url, media_ids, placement }) {
    const pointer = '/content/link_url'
    if (link_url === null) return null
    if (media_ids.length > 0 || (placement !== null && placement !== 'feed'))
      return { pointer, code: 'unsupported_field', detail: 'Only a publication without files shows a link.' }
    return isWebAddress(link_url)
      ? null
      : { pointer, code: 'invalid_url', detail: 'Expected an address that begins with `https://` or `http://`.' }
  },
}

const at = (version: string, path: string) => ({ host, path: versioned(`/{v}/${path}`, version) })
const post = (version: string, path: string, form: Record<string, string>): SocialRequest => ({
  method: 'POST',
  ...at(version, path),
  form,
})
const get = (version: string, id: string | null | undefined, fields: string): SocialRequest => ({
  ...{ method: 'GET', ...at(version, encodeURIComponent(id ?? '')), query: { fields } },
})

/** The host of the addresses of uploads. */
const uploadHost = 'rupload.facebook.com'

function call({ kind, ref, account, version, content, file, parts }: Making) {
  if (kind === 'file') return post(version, `${account}/photos`, { url: file?.url ?? '', published: 'false' })
  if (kind === 'post') {
    const attached = parts.map(({ id }, n) => [`attached_media[${n}]`, JSON.stringify({ media_fbid: id })])
    return post(version, `${account}/feed`, {
      ...(content.caption ? { message: content.caption } : {}),
      ...(content.link_url ? { link: content.link_url } : {}),
      published: 'false',
      ...Object.fromEntries(attached),
    })
  }
  if (kind === 'video' && ref.id === undefined)
    return post(version, `${account}/videos`, {
      file_url: file?.url ?? '',
      ...(content.caption ? { description: content.caption } : {}),
      published: 'false',
    })
  if (kind === 'reel' && ref.id === undefined) return post(version, `${account}/video_reels`, { upload_phase: 'start' })
  if (kind === 'reel' && !ref.told && ref.url !== undefined) {
    const { pathname } = new URL(ref.url)
    return {
      method: 'POST',
      host: uploadHost,
      path: pathname,
      headers: { file_url: file?.url ?? '' },
      scheme: 'OAuth',
    } as const satisfies SocialRequest
  }
  return get(version, ref.id, 'status')
}

const phaseOf = (status: Record<string, unknown>, name: string) => objectIn(status[name])
function videoState(kind: Making['kind'], ref: Making['ref'], body: unknown): PartResult | undefined {
  const status = objectIn(objectIn(body).status)
  const phases = ['uploading_phase', 'processing_phase'].map((name) => phaseOf(status, name))
  const wrong = phases.find((phase) => phase.status === 'error')
  if (status.video_status === 'error' || status.video_status === 'upload_failed' || wrong)
    return mediaRefused(objectIn(wrong?.error).message)
  if (status.video_status === 'expired') return { state: 'forgotten' }
  const isUploaded = phases[0]?.status === 'complete'
  // A reel is processed further after it was published.
  if (
    status.video_status === 'ready' ||
    (kind === 'reel' && isUploaded && ['complete', 'not_started'].includes(String(phases[1]?.status)))
  )
    return { state: 'ready', ref }
  return typeof status.video_status === 'string'
    ? { state: 'made', ref, wait_s: 2, ...(isUploaded ? { usable: true } : {}) }
    : undefined
}

function read({ kind, ref }: Making, { body }: PartAnswer): PartResult | undefined {
  const whole = objectIn(body)
  if (ref.id !== undefined && kind === 'reel' && !ref.told)
    return whole.success === true ? { state: 'made', ref: { ...ref, told: true }, wait_s: 0 } : undefined
  if (ref.id !== undefined) return videoState(kind, ref, body)
  const id = idIn(kind === 'reel' ? whole.video_id : whole.id)
  if (id === null) return undefined
  if (kind === 'file' || kind === 'post') return { state: 'ready', ref: { id } }
  if (kind === 'video') return { state: 'made', ref: { id }, wait_s: 0 }
  const url = whole.upload_url
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined
  return new URL(url).origin === `https://${uploadHost}` ? { state: 'made', ref: { id, url }, wait_s: 0 } : otherHost
}

const publisher: Publisher = {
  fetches: true,
  plan(content, kinds) {
    const [first] = content.media_ids
    if (first !== undefined && kinds.get(first) === 'video')
      return [{ kind: isReel(content) ? 'reel' : 'video', media_id: first }]
    return [
      ...content.media_ids.map((media_id) => ({ kind: 'file' as const, media_id })),
      { kind: 'post', media_id: null },
    ]
  },
  call: (making) => ({ request: call(making) }),
  read,
  // The answer to an upload was lost: the network has the file already.
  refused: ({ kind, ref }, { status }) =>
    kind === 'reel' && !ref.told && ref.url !== undefined && status === 404
      ? { state: 'made', ref: { ...ref, told: true }, wait_s: 0 }
      : undefined,
  reveal({ account, version, content }, refs) {
    const id = refs.at(-1)?.id ?? ''
    const text = content.caption ?? ''
    const isVideo = content.media_ids.length === 1 && refs.length === 1
    if (!isVideo)
      return {
        request: post(version, encodeURIComponent(id), { is_published: 'true' }),
        subject: { kind: 'post', id, text },
      }
    if (!isReel(content))
      return {
        request: post(version, encodeURIComponent(id), { published: 'true' }),
        subject: { kind: 'video', id, text },
      }
    const form = {
      upload_phase: 'finish',
      video_id: id,
      video_state: 'PUBLISHED',
      ...(text === '' ? {} : { description: text }),
    }
    return { request: post(version, `${account}/video_reels`, form), subject: { kind: 'reel', id, text } }
  },
  postIn: (_, { id }) => id,
  proof: ({ kind, id }, { version }: Account) =>
    get(version, id, kind === 'post' ? 'is_published,permalink_url' : 'published,status,permalink_url'),
  seen(body, { kind, id }) {
    const whole = objectIn(body)
    const found = { id: id ?? '', permalink: permalinkIn(whole) }
    const { status, publish_status } = phaseOf(objectIn(whole.status), 'publishing_phase')
    // The phase is complete, too, of a video that is kept as a draft or for later.
    const isOut =
      status === 'complete' &&
      (publish_status === 'published' || (publish_status === undefined && whole.published === undefined))
    const published =
      kind === 'post' ? whole.is_published : isOut || (whole.published ?? (status === undefined ? undefined : false))
    if (published === true) return { shown: true, post: found }
    // A video may still be shown if it is unpublished while its publication runs.
    const mayFollow = status === 'in_progress' || (status === 'complete' && publish_status === undefined)
    return published === false ? { shown: false, hidden: !mayFollow, alike: [] } : undefined
  },
  permalink: { kind: 'read', request: (id, { version }) => get(version, id, 'permalink_url'), in: permalinkIn },
  drop: (kind, { id }, { version }) =>
    kind === 'file' || id === undefined ? undefined : { method: 'DELETE', ...at(version, encodeURIComponent(id)) },
}

function commentOf(one: Fields, { root }: Listing, owner: Owner): CommentFields {
  const from = objectIn(one.from)
  return {
    ...{ id: idIn(one.id), parent: idOf(one.parent) ?? root, author: authorOf(from.id, from.name, null) },
    ...{ text: textIn(one.message, textMax), at: secondsIn(one.created_time) },
    ...{ like_count: intIn(one.like_count), reply_count: intIn(one.comment_count) },
    own: from.id === owner.provider_account_id,
  }
}

const comments: Comments = {
  page: { min: 1, max: 100 },
  thread_newest_first: false,
  replies_go_with_root: true,
  request({ post: id, root }, page) {
    const order =
      root === null
        ? { filter: 'toplevel', order: 'reverse_chronological' }
        : { filter: 'stream', order: 'chronological' }
    const fields = 'id,message,created_time,from{id,name},like_count,comment_count,parent{id}'
    const path = `/{v}/${encodeURIComponent(root ?? id)}/comments`
    return pageRequest({ host, path }, { ...order, fields, limit: page.size }, 'after', page)
  },
  read: (body, listing, owner) =>
    Array.isArray(body.data)
      ? { comments: listIn(body.data).map((one) => commentOf(one, listing, owner)), cursor: graphCursor(body) }
      : null,
}

const replies: Replies = {
  names_answered: false,
  request: ({ comment }, text, version) => post(version, `${encodeURIComponent(comment)}/comments`, { message: text }),
  idIn: ({ id }) => idIn(id),
}

const insights = { views: 'post_media_view', reach: 'post_total_media_view_unique' }
const totalIn = (edge: unknown): number | null => countIn(objectIn(objectIn(edge).summary).total_count)

const metrics: Metrics = {
  requests({ post: id }, access) {
    const path = `/{v}/${encodeURIComponent(id)}`
    const fields = 'likes.limit(0).summary(total_count),comments.filter(stream).limit(0).summary(total_count),shares'
    return [
      readRequest({ host, path }, { fields }, access),
      readRequest({ host, path: `${path}/insights` }, { metric: Object.values(insights).join(',') }, access),
    ]
  },
  values(body) {
    const reported = insightsIn(insights, body)
    if (reported) return reported
    if (body.id === undefined) return null
    // Without a share the field is missing.
    return {
      likes: totalIn(body.likes),
      comments: totalIn(body.comments),
      shares: countIn(objectIn(body.shares).count),
    }
  },
}

export const networkA: Network = {
  name: 'Facebook',
  ...{ oauth, accounts, capability, content, publisher },
  ...{ refusals: graphRefusals, comments, replies, metrics },
}
