// Network a (a Facebook page): posts and videos are made unpublished, and published by changing that. A reel is published by the end of its upload.
import { type SocialRequest, versioned } from '../../connections/requests.ts'
import { addressIn, idIn, objectIn } from '../answers.ts'
import {
  type Account,
  type Making,
  mediaRefused,
  otherHost,
  type PartAnswer,
  type PartResult,
  type Publisher,
} from './publisher.ts'

const host = 'graph.facebook.com'
const at = (version: string, path: string) => ({ host, path: versioned(`/{v}/${path}`, version) })
const post = (version: string, path: string, form: Record<string, string>): SocialRequest => ({
  method: 'POST',
  ...at(version, path),
  form,
})
const get = (version: string, id: string | null | undefined, fields: string): SocialRequest => ({
  ...{ method: 'GET', ...at(version, encodeURIComponent(id ?? '')), query: { fields } },
})

/** Of the addresses of uploads. */
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

const isReel = ({ placement }: { placement: string | null }) => placement === 'reel'

export const networkA: Publisher = {
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
    // A video that is told to be unpublished while its publication runs may yet be shown.
    const mayFollow = status === 'in_progress' || (status === 'complete' && publish_status === undefined)
    return published === false ? { shown: false, hidden: !mayFollow, alike: [] } : undefined
  },
  link: (id, { version }) => get(version, id, 'permalink_url'),
  drop: (kind, { id }, { version }) =>
    kind === 'file' || id === undefined ? undefined : { method: 'DELETE', ...at(version, encodeURIComponent(id)) },
}

/** Of a video it is a path. */
export function permalinkIn({ permalink_url, permalink }: Record<string, unknown>): string | null {
  const told = permalink_url ?? permalink
  if (typeof told !== 'string' || told === '') return null
  return addressIn(/^\/(?!\/)/.test(told) ? `https://www.facebook.com${told}` : told)
}
