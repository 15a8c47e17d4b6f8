// Network c: resumable uploads of videos, their status and privacy, and the quota of the app.

import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { google, googleRefusals, rfc } from '../errors.ts'
import { type File, files, store } from '../files.ts'
import { withToken } from '../graph.ts'
import type { Answer, Call, Network, Route } from '../network.ts'
import { asAccount, consent, exchange, revoking } from '../oauth.ts'
import { addPost, commentsOn, type Post, posts, shown } from '../posts.ts'
import { settingsOf, takeFailure } from '../settings.ts'
import { accounts, keyed, now, type Token } from '../state.ts'
import { commentRoutesOfC } from './comments-c.ts'
import { costs, spend, spentUnits } from './units-c.ts'

const quantum = 256 * 1024
const week = 7 * 86_400

type Privacy = 'public' | 'unlisted' | 'private'
const privacies: readonly string[] = ['public', 'unlisted', 'private']
type Snippet = { title: string; description: string; categoryId?: string; tags?: string[] }
type Session = {
  id: string
  owner: string
  snippet: Snippet
  privacy: Privacy
  made_for_kids: boolean
  type: string
  total: number | null
  received: number
  video: string | null
  created_at: number
}
const sessions = keyed<Session>('session', ({ id }) => id)

/** Its post exists from the upload on; it is visible while the privacy is not private. */
type Video = { id: string; privacy: Privacy; made_for_kids: boolean; error: string | null; ready_at: number }
const videos = keyed<Video>('channel_video', ({ id }) => id)

const folder = () => join(process.env.SOCIAL_DIR ?? '.dev/social', 'sessions')
const pathOf = (id: string) => join(folder(), id)

const parts = ({ fields }: Call) => (fields.part ?? '').split(',').filter((one) => one !== '')

function snippetIn(given: unknown): Snippet | Answer {
  const { title = '', description = '' } = (given ?? {}) as Partial<Snippet>
  if (title.trim() === '' || [...title].length > 100 || /[<>]/.test(title))
    return google(400, 'invalidTitle', 'The request metadata specifies an invalid or empty video title.')
  if (Buffer.byteLength(description) > 5_000 || /[<>]/.test(description))
    return google(400, 'invalidDescription', 'The request metadata specifies an invalid video description.')
  return { title, description }
}

function start(call: Call, token: Token): Answer {
  const { json, fields, headers } = call
  if (fields.uploadType !== 'resumable')
    return google(400, 'badRequest', 'The simulator knows resumable uploads alone.')
  const snippet = snippetIn(json.snippet)
  if ('status' in snippet) return snippet
  const { privacyStatus = 'public', selfDeclaredMadeForKids = false } = (json.status ?? {}) as {
    privacyStatus?: string
    selfDeclaredMadeForKids?: boolean
  }
  if (!privacies.includes(privacyStatus)) return google(400, 'invalidVideoMetadata', 'The request metadata is invalid.')
  const type = String(headers['x-upload-content-type'] ?? 'application/octet-stream')
  if (!/^(video\/|application\/octet-stream)/.test(type))
    return google(400, 'mediaBodyRequired', 'The request does not include the video content.')
  const refused = spend(0, 1)
  if (refused) return google(400, 'uploadLimitExceeded', 'The user has exceeded the number of videos they may upload.')
  const length = headers['x-upload-content-length']
  const id = randomBytes(24).toString('base64url')
  sessions.save({
    ...{
      id,
      owner: token.account,
      snippet,
      privacy: privacyStatus as Privacy,
      made_for_kids: selfDeclaredMadeForKids,
      type,
    },
    ...{ total: length === undefined ? null : Number(length), received: 0, video: null, created_at: now() },
  })
  const location = new URL('https://www.googleapis.com/upload/youtube/v3/videos')
  for (const [name, value] of Object.entries({ uploadType: 'resumable', part: fields.part ?? '', upload_id: id }))
    location.searchParams.set(name, value)
  return { status: 200, headers: { location: location.href, 'x-guploader-uploadid': id }, body: '', effect: true }
}

const resume = ({ received }: Session): Answer => ({
  status: 308,
  headers: received > 0 ? { range: `bytes=0-${received - 1}` } : {},
  body: undefined,
})

/** A piece, or without a body the question how much has arrived: `Content-Range: bytes * /total`. */
function piece({ fields, headers, body }: Call, token: Token): Answer | Promise<() => Answer> {
  const session = sessions.get(fields.upload_id ?? '')
  if (session?.owner !== token.account || now() - session.created_at > week) return { status: 404, body: 'Not Found' }
  if (session.video !== null)
    return { status: 200, body: shownVideo(posts.get(`c ${session.video}`) as Post, ['snippet', 'status']) }
  const range = /^bytes (?:\*|(\d+)-(\d+))\/(\d+|\*)$/.exec(
    String(headers['content-range'] ?? `bytes 0-${body.length - 1}/${body.length}`),
  )
  if (!range) return google(400, 'badRequest', 'Failed to parse Content-Range header.', 'global')
  const [, from, to, whole] = range
  if (from === undefined)
    return session.received === session.total && session.total > 0 ? finish(session) : resume(session)
  const total = whole === '*' ? null : Number(whole)
  const isLast = total !== null && Number(to) + 1 === total
  if (
    Number(to) - Number(from) + 1 !== body.length ||
    (session.total !== null && total !== null && total !== session.total)
  )
    return google(400, 'badRequest', 'Content-Range and the body differ.', 'global')
  // Bytes that have arrived are not taken again, and none may be missing.
  if (Number(from) !== session.received) return resume(session)
  if (!isLast && body.length % quantum !== 0)
    return google(400, 'badRequest', 'The size of a piece has to be a multiple of 256 KB.', 'global')
  mkdirSync(folder(), { recursive: true })
  const path = pathOf(session.id)
  if (existsSync(path)) truncateSync(path, session.received)
  writeFileSync(path, body, { flag: 'a' })
  const received = session.received + body.length
  if (!isLast) {
    const kept = sessions.save({ ...session, received })
    return { ...resume(kept), effect: true }
  }
  return finish(sessions.save({ ...session, received, total }))
}

function errorOf({ kind, duration_s }: File): string | null {
  if (kind !== 'video') return 'invalidFile'
  return duration_s !== null && duration_s > 12 * 3_600 ? 'tooLong' : null
}

const newId = () => randomBytes(8).toString('base64url')

function finish(session: Session): Promise<() => Answer> {
  return store(readFileSync(pathOf(session.id))).then((file) => () => {
    // Two requests that complete the session make one video.
    const known = sessions.get(session.id)?.video
    if (known) return { status: 200, body: shownVideo(posts.get(`c ${known}`) as Post, ['snippet', 'status']) }
    files.save(file)
    const error = errorOf(file) ?? (takeFailure('c', session.owner) ? 'conversion' : null)
    const { title, description } = session.snippet
    const isVisible = session.privacy === 'public'
    const post = addPost({
      id: newId(),
      network: 'c',
      owner: session.owner,
      kind: 'video',
      text: description,
      title,
      files: [file.id],
      visible_at: isVisible ? now() : null,
    })
    posts.save({ ...post, permalink: `https://www.youtube.com/watch?v=${post.id}` })
    videos.save({
      id: post.id,
      privacy: session.privacy,
      made_for_kids: session.made_for_kids,
      error,
      ready_at: now() + settingsOf('c', session.owner).video_ms / 1_000,
    })
    sessions.save({ ...session, video: post.id })
    rmSync(pathOf(session.id), { force: true })
    return {
      status: 200,
      body: shownVideo(post, ['snippet', 'status']),
      effect: true,
      ...(isVisible ? { visible: shown(post) } : {}),
    }
  })
}

const stateOf = ({ ready_at, error }: Video) =>
  now() < ready_at ? 'uploaded' : error === null ? 'processed' : 'failed'
function shownVideo(post: Post, wanted: readonly string[]) {
  const video = videos.get(post.id) as Video
  const state = stateOf(video)
  const count = commentsOn('c', post.id).filter(({ hidden }) => !hidden).length
  const all: Record<string, unknown> = {
    snippet: {
      publishedAt: new Date(post.created_at * 1_000).toISOString(),
      channelId: post.owner,
      title: post.title,
      description: post.text,
      channelTitle: accounts.get(`c ${post.owner}`)?.name,
    },
    status: {
      ...{
        uploadStatus: state,
        privacyStatus: video.privacy,
        license: 'youtube',
        embeddable: true,
        publicStatsViewable: true,
      },
      ...{
        madeForKids: video.made_for_kids,
        selfDeclaredMadeForKids: video.made_for_kids,
        ...(state === 'failed' ? { failureReason: video.error } : {}),
      },
    },
    processingDetails: {
      processingStatus: { uploaded: 'processing', processed: 'succeeded', failed: 'failed' }[state],
    },
    statistics: {
      viewCount: String(post.metrics.viewCount ?? 0),
      ...(post.metrics.likeCount === undefined ? {} : { likeCount: String(post.metrics.likeCount) }),
      ...{ favoriteCount: '0', commentCount: String(count) },
    },
  }
  return {
    kind: 'youtube#video',
    etag: 'sim',
    id: post.id,
    ...Object.fromEntries(wanted.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]]))),
  }
}
const seen = (id: string, token: Token): Post | undefined => {
  const post = posts.get(`c ${id}`)
  if (!post || post.deleted_at !== null) return undefined
  return post.owner === token.account || post.visible_at !== null ? post : undefined
}

function list(call: Call, token: Token): Answer {
  const ids = (call.fields.id ?? '').split(',').filter((one) => one !== '')
  const items = ids.flatMap((id) => seen(id, token) ?? []).map((post) => shownVideo(post, parts(call)))
  return {
    status: 200,
    body: {
      kind: 'youtube#videoListResponse',
      etag: 'sim',
      items,
      pageInfo: { totalResults: items.length, resultsPerPage: items.length },
    },
  }
}

/** The parts that are named are replaced as a whole. */
function update(call: Call, token: Token): Answer {
  const { json } = call
  const id = String(json.id)
  const post = seen(id, token)
  const video = videos.get(id)
  if (!video || !post) return google(404, 'videoNotFound', 'The video that you are trying to update cannot be found.')
  if (post.owner !== token.account) return google(403, 'forbidden', 'The video is of another channel.')
  let changed = post
  if (parts(call).includes('snippet')) {
    const snippet = snippetIn(json.snippet)
    if ('status' in snippet) return snippet
    changed = posts.save({ ...changed, title: snippet.title, text: snippet.description })
  }
  if (!parts(call).includes('status')) return { status: 200, body: shownVideo(changed, parts(call)), effect: true }
  const { privacyStatus = 'public', selfDeclaredMadeForKids = false } = (json.status ?? {}) as {
    privacyStatus?: string
    selfDeclaredMadeForKids?: boolean
  }
  if (!privacies.includes(privacyStatus)) return google(400, 'invalidVideoMetadata', 'The request metadata is invalid.')
  videos.save({ ...video, privacy: privacyStatus as Privacy, made_for_kids: selfDeclaredMadeForKids })
  // A visitor with its address sees an unlisted one.
  const isVisible = privacyStatus !== 'private'
  const becomesVisible = isVisible && post.visible_at === null
  changed = posts.save({ ...changed, visible_at: isVisible ? (post.visible_at ?? now()) : null })
  return {
    status: 200,
    body: shownVideo(changed, parts(call)),
    effect: true,
    ...(becomesVisible ? { visible: shown(changed) } : {}),
  }
}

function remove({ fields }: Call, token: Token): Answer {
  const post = seen(fields.id ?? '', token)
  if (!post) return google(404, 'videoNotFound', 'The video that you are trying to delete cannot be found.')
  if (post.owner !== token.account) return google(403, 'forbidden', 'The video is of another channel.')
  posts.save({ ...post, deleted_at: now() })
  return { status: 204, body: undefined, effect: true }
}

/** A video that the owner uploads without the app. */
function publish({ owner, text }: { owner: string; text: string }): Post {
  const shown = { text, permalink: 'https://network.example/', visible_at: now() }
  const post = addPost({ id: newId(), network: 'c', owner, kind: 'video', ...shown })
  videos.save({ id: post.id, privacy: 'public', made_for_kids: false, error: null, ready_at: now() })
  return post
}

const routes: Route[] = [
  ['GET', 'accounts.google.com/o/oauth2/v2/auth', consent],
  ['POST', 'oauth2.googleapis.com/token', exchange],
  [
    'GET',
    'www.googleapis.com/youtube/v3/channels',
    asAccount(({ id, name, username }) => ({ items: [{ id, snippet: { title: name, customUrl: `@${username}` } }] })),
  ],
  ['POST', 'oauth2.googleapis.com/revoke', revoking({}, (_, token) => (token ? undefined : rfc(400, 'invalid_token')))],
  ['POST', 'www.googleapis.com/upload/youtube/v3/videos', withToken(start)],
  ['PUT', 'www.googleapis.com/upload/youtube/v3/videos', withToken(piece)],
  ['GET', 'www.googleapis.com/youtube/v3/videos', costs(1, list)],
  ['PUT', 'www.googleapis.com/youtube/v3/videos', costs(50, update)],
  ['DELETE', 'www.googleapis.com/youtube/v3/videos', costs(50, remove)],
  ...commentRoutesOfC,
]

export const networkC: Network = {
  letter: 'c',
  hosts: ['accounts.google.com', 'oauth2.googleapis.com', 'www.googleapis.com'],
  routes,
  consent: { pkce: true, expires_in: 3_599, refresh: 'kept' },
  refusals: googleRefusals,
  newId,
  accountId: (name) => `UC${createHash('sha256').update(name).digest('base64url').slice(0, 22)}`,
  publish,
  controls: { 'GET /_sim/units': () => spentUnits() },
}
