// Network d (X): files are uploaded in segments, and one call makes the post. A file of ours in a post proves it; of a text alone, being the only one of its kind does.
import type { SocialRequest } from '../../connections/requests.ts'
import { partSpareS } from '../../publications/parts.ts'
import { countIn, idIn, listIn, objectIn, secondsIn, unescaped } from '../answers.ts'
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
import { isSameText } from './texts.ts'

const host = 'api.x.com'
/** Of a segment: 5 MB at most (X API, Media). */
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
    `${parts.join('')}--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
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
  const told = { ...ref, told: true as const }
  // Only what is processed afterwards has it.
  if (processing_info === undefined) return idIn(data.id) === null ? undefined : { state: 'ready', ref: told }
  const { state, check_after_secs, error } = objectIn(processing_info)
  if (state === 'succeeded') return { state: 'ready', ref: told }
  if (state === 'failed') return mediaRefused(objectIn(error).message, objectIn(error).name)
  return { state: 'made', ref: told, wait_s: Math.min(60, countIn(check_after_secs) || 1) }
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

export const networkD: Publisher = {
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
    // Of a list that goes on, a single post of the text may not be the only one.
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
  link: (id, { username }) => `https://x.com/${encodeURIComponent(username ?? 'i')}/status/${encodeURIComponent(id)}`,
}
