// Network c (YouTube): a video is uploaded in chunks to a session that can be resumed, as a private one, and shown by a change of its privacy.
import type { SocialRequest } from '../../connections/requests.ts'
import { idIn, listIn, objectIn } from '../answers.ts'
import {
  type Making,
  mediaRefused,
  otherHost,
  type PartAnswer,
  type PartCall,
  type PartResult,
  type Publisher,
} from './publisher.ts'

const host = 'www.googleapis.com'
/** Of a call: a multiple of 256 KiB (YouTube Data API, Resumable Uploads). */
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

export const networkC: Publisher = {
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
    const told = video && objectIn(video.status).privacyStatus
    if (video && typeof told !== 'string') return undefined
    return told === privacy
      ? { shown: true, post: { id: id ?? '', permalink: null } }
      : { shown: false, hidden: true, alike: [] }
  },
  link: (id) => `https://www.youtube.com/watch?v=${encodeURIComponent(id)}`,
  drop: (_, { id }) =>
    id === undefined ? undefined : { method: 'DELETE', host, path: '/youtube/v3/videos', query: { id } },
}
