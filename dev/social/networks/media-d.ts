// Uploads of network d: initialize, append, finalize, and the status of processing.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { x, xInvalid } from '../errors.ts'
import { type File, files, store } from '../files.ts'
import { withToken } from '../graph.ts'
import type { Answer, Call, Route } from '../network.ts'
import { snowflake } from '../posts.ts'
import { settingsOf, takeFailure } from '../settings.ts'
import { keyed, now, type Token } from '../state.ts'

const MiB = 1024 * 1024
const day = 86_400
const categories = {
  tweet_image: { prefix: '3', max: 5 * MiB, types: ['image/jpeg', 'image/png', 'image/webp'] },
  tweet_gif: { prefix: '16', max: 15 * MiB, types: ['image/gif'] },
  tweet_video: { prefix: '13', max: 512 * MiB, types: ['video/mp4', 'video/quicktime'] },
} as const
type Category = keyof typeof categories

/** `segments`: bytes of each, by index. `file`: from finalize on. `ready_at` null: not processed asynchronously. */
export type Upload = {
  id: string
  media_key: string
  owner: string
  category: Category
  mime_type: string
  total: number
  segments: Record<string, number>
  file: string | null
  error: string | null
  created_at: number
  ready_at: number | null
}
export const uploads = keyed<Upload>('upload', ({ id }) => id)

const folder = () => join(process.env.SOCIAL_DIR ?? '.dev/social', 'uploads')
const segmentPath = (id: string, index: string | number) => join(folder(), `${id}.${index}`)

const expires = ({ created_at }: Upload) => Math.max(0, Math.floor(created_at + day - now()))
const own = (id: string, token: Token): Upload | undefined => {
  const upload = uploads.get(id)
  return upload?.owner === token.account && expires(upload) > 0 ? upload : undefined
}
const unknown = (id: string) => xInvalid(`Invalid media id: ${id}`, { id: [id] })

export type Processing = 'pending' | 'in_progress' | 'succeeded' | 'failed'
export function processingOf({ ready_at, error, created_at }: Upload): Processing | null {
  if (ready_at === null) return null
  if (now() >= ready_at) return error === null ? 'succeeded' : 'failed'
  return now() < (created_at + ready_at) / 2 ? 'pending' : 'in_progress'
}
function shownUpload(upload: Upload) {
  const { id, media_key, total, ready_at, error } = upload
  const state = processingOf(upload)
  const wait = { check_after_secs: Math.max(1, Math.ceil(Number(ready_at) - now())) }
  const more = {
    pending: wait,
    in_progress: { ...wait, progress_percent: 50 },
    succeeded: { progress_percent: 100 },
    failed: { progress_percent: 100, error: { code: 1, name: 'InvalidMedia', message: error } },
  }
  return {
    id,
    media_key,
    size: total,
    expires_after_secs: expires(upload),
    ...(state === null ? {} : { processing_info: { state, ...more[state] } }),
  }
}

function initialize({ json, fields }: Call, token: Token): Answer {
  const category = String(json.media_category ?? 'tweet_image') as Category
  const total = Number(json.total_bytes)
  const known = Object.hasOwn(categories, category) ? categories[category] : undefined
  if (!known) return xInvalid(`$.media_category: ${category} is not known`, { media_category: [category] })
  const mime = String(json.media_type)
  if (!(known.types as readonly string[]).includes(mime))
    return xInvalid(`$.media_type: ${mime} is not supported for ${category}`, { media_type: [mime] })
  if (!Number.isInteger(total) || total < 1)
    return xInvalid('$.total_bytes: must be a positive integer', { total_bytes: [String(fields.total_bytes)] })
  if (total > known.max) return xInvalid(`File size exceeds ${known.max} bytes.`, { total_bytes: [String(total)] })
  const id = snowflake()
  const upload = uploads.save({
    ...{ id, media_key: `${known.prefix}_${id}`, owner: token.account, category, mime_type: mime, total },
    ...{ segments: {}, file: null, error: null, created_at: now(), ready_at: null },
  })
  return { status: 200, body: { data: { id, media_key: upload.media_key, expires_after_secs: day } }, effect: true }
}

/** A segment that comes again replaces the one before. */
function append({ params, fields, files: sent }: Call, token: Token): Answer {
  const upload = own(params.id ?? '', token)
  if (!upload || upload.file !== null) return unknown(params.id ?? '')
  const [index = '', bytes] = [fields.segment_index, sent.media]
  if (!/^\d{1,3}$/.test(index) || !bytes)
    return xInvalid('media and segment_index are required.', { segment_index: [index] })
  if (bytes.length > 5 * MiB) return x(413, 'Payload Too Large', 'The segment has more than 5 MB.')
  mkdirSync(folder(), { recursive: true })
  writeFileSync(segmentPath(upload.id, index), bytes)
  uploads.save({ ...upload, segments: { ...upload.segments, [index]: bytes.length } })
  return { status: 200, body: { data: { expires_at: Math.floor(upload.created_at + day) } }, effect: true }
}

function errorOf(
  { category, mime_type }: Upload,
  { kind, mime_type: found, width, height, duration_s }: File,
): string | null {
  if (found !== mime_type && !(kind === 'video' && category === 'tweet_video'))
    return 'The file is of another type than was said.'
  const size = [Number(width), Number(height)] as const
  if (category === 'tweet_video') {
    if (kind !== 'video' || width === null || height === null || duration_s === null) return 'The video is damaged.'
    if (duration_s < 0.5 || duration_s > 140) return 'The duration has to be between 0.5 and 140 seconds.'
    const ratio = width / height
    if (ratio < 1 / 3 || ratio > 3 || Math.min(...size) < 32) return 'The aspect ratio has to be between 1:3 and 3:1.'
    return Math.max(...size) > 1_920 || Math.min(...size) > 1_200 ? 'The video has more than 1920 x 1200 pixels.' : null
  }
  if (category === 'tweet_gif')
    return kind !== 'gif' || Math.max(...size) > 1_280 || Math.min(...size) > 1_080
      ? 'The GIF has more than 1280 x 1080 pixels.'
      : null
  return kind !== 'image' || Math.max(...size) > 8_192 || Math.min(...size) < 4
    ? 'The picture has to have between 4 x 4 and 8192 x 8192 pixels.'
    : null
}

function finalize({ params }: Call, token: Token): Answer | Promise<() => Answer> {
  const upload = own(params.id ?? '', token)
  if (!upload) return unknown(params.id ?? '')
  if (upload.file !== null) return { status: 200, body: { data: shownUpload(upload) } }
  const count = Object.keys(upload.segments).length
  const indices = Array.from({ length: count }, (_, n) => String(n))
  const sizes = indices.map((n) => upload.segments[n] ?? Number.NaN)
  if (sizes.reduce((sum, size) => sum + size, 0) !== upload.total)
    return xInvalid('Segments do not add up to provided total file size.', { id: [upload.id] })
  return store(Buffer.concat(indices.map((n) => readFileSync(segmentPath(upload.id, n))))).then((file) => () => {
    const isLong = upload.category !== 'tweet_image'
    const error = errorOf(upload, file) ?? (takeFailure('d', token.account) ? 'The file could not be processed.' : null)
    if (!isLong && error !== null) return xInvalid(error, { id: [upload.id] })
    files.save(file)
    const ready_at = isLong ? now() + settingsOf('d', token.account).video_ms / 1_000 : null
    return {
      status: 200,
      body: { data: shownUpload(uploads.save({ ...upload, file: file.id, error, ready_at })) },
      effect: true,
    }
  })
}

function status({ fields }: Call, token: Token): Answer {
  const upload = own(fields.media_id ?? '', token)
  if (fields.command !== 'STATUS' || !upload || upload.file === null) return unknown(fields.media_id ?? '')
  return { status: 200, body: { data: shownUpload(upload) } }
}

/** The uploads that a post names, or why it cannot have them. */
export function attachable(ids: readonly string[], token: Token): Upload[] | string {
  const found = ids.flatMap((id) => own(id, token) ?? [])
  if (found.length !== ids.length || found.some(({ file }) => file === null)) return 'Your media IDs are invalid.'
  if (found.some((upload) => !['succeeded', null].includes(processingOf(upload)))) return 'Your media IDs are invalid.'
  const isOne = found.length === 1
  return found.length <= 4 && (isOne || found.every(({ category }) => category === 'tweet_image'))
    ? found
    : 'Your media may be up to four pictures, one GIF or one video.'
}

export const mediaRoutesOfD: Route[] = [
  ['POST', 'api.x.com/2/media/upload/initialize', withToken(initialize)],
  ['POST', 'api.x.com/2/media/upload/:id/append', withToken(append)],
  ['POST', 'api.x.com/2/media/upload/:id/finalize', withToken(finalize)],
  ['GET', 'api.x.com/2/media/upload', withToken(status)],
]
