// Networks b and e: a container for each file, one for the post, and one call that publishes it. A container is
// forgotten after a day.
// Backwards: what is published is the content of a publication.
import type { MediaFacts, SocialContent } from '../../publications/content.ts'
import { addressIn, type Fields, idIn, listIn, objectIn, secondsIn } from '../answers.ts'
import { permalinkIn } from './graph.ts'
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
import { type SocialRequest, versioned } from './request.ts'
import { isSameText } from './texts.ts'

export type ContainerApi = {
  host: string
  /** The base of the API: `{v}` is SOCIAL_GRAPH_VERSION. */
  base: string
  /** Where containers are made and published, below the account. */
  make: string
  publish: string
  /** Own posts, below the account, and the field with their text. */
  posts: string
  text: string
  /** The field of a container that says how far it is. */
  status: 'status_code' | 'status'
  /** The text of the network's error of a container. */
  reason: string
  /** Fields of the container of the post, besides its files. */
  post(content: SocialContent, file: Making['file']): Record<string, string>
  /** Fields that name a file. */
  file(file: NonNullable<Making['file']>, isItem: boolean): Record<string, string>
}

const livesS = 86_400

const at = ({ host, base }: ContainerApi, version: string, path: string) => ({
  host,
  path: versioned(`${base}/${path}`, version),
})

function call(api: ContainerApi, making: Making): PartCall {
  const { kind, ref, account, version, content, file, parts } = making
  if (ref.id !== undefined) {
    const fields = api.status === 'status_code' ? 'status_code,status' : 'status,error_message'
    return { request: { method: 'GET', ...at(api, version, encodeURIComponent(ref.id)), query: { fields } } }
  }
  const isItem = kind === 'item'
  const form = {
    ...(isItem ? { is_carousel_item: 'true' } : api.post(content, file)),
    ...(file === null ? {} : api.file(file, isItem)),
    ...(kind === 'container' && parts.length > 0
      ? { media_type: 'CAROUSEL', children: parts.map(({ id }) => id).join(',') }
      : {}),
  }
  return { request: { method: 'POST', ...at(api, version, `${account}/${api.make}`), form } }
}

function read(api: ContainerApi, { ref, file }: Making, { body }: PartAnswer): PartResult | undefined {
  const whole = objectIn(body)
  if (ref.id === undefined) {
    const id = idIn(whole.id)
    return id === null ? undefined : { state: 'made', ref: { id }, lives_s: livesS, wait_s: 0 }
  }
  switch (whole[api.status]) {
    case 'FINISHED':
    case 'PUBLISHED':
      return { state: 'ready', ref }
    case 'IN_PROGRESS':
      return { state: 'made', ref, wait_s: file?.kind === 'video' ? 5 : 1 }
    case 'EXPIRED':
      return { state: 'forgotten' }
    case 'ERROR':
      return mediaRefused(whole[api.reason])
    default:
      return undefined
  }
}

const within = (seconds: number | null, { from, to }: Window): boolean =>
  seconds !== null && seconds >= from && seconds <= to

export const publisherOf = (api: ContainerApi): Publisher => ({
  fetches: true,
  plan(content: SocialContent, kinds: ReadonlyMap<string, MediaFacts['kind']>) {
    const [only, ...others] = content.media_ids
    if (others.length === 0) return [{ kind: 'container', media_id: only ?? null }]
    return [
      ...content.media_ids.filter((id) => kinds.has(id)).map((media_id) => ({ kind: 'item' as const, media_id })),
      { kind: 'container', media_id: null },
    ]
  },
  call: (making) => call(api, making),
  read: (making, answer) => read(api, making, answer),
  reveal({ account, version, content }, refs) {
    const id = refs.at(-1)?.id ?? null
    const request: SocialRequest = {
      method: 'POST',
      ...at(api, version, `${account}/${api.publish}`),
      form: { creation_id: id ?? '' },
    }
    return { request, subject: { kind: 'container', id, text: content.caption ?? '' } }
  },
  postIn: (body) => idIn(objectIn(body).id),
  proof: ({ id }, { version }) => ({
    method: 'GET',
    ...at(api, version, encodeURIComponent(id ?? '')),
    query: { fields: api.status },
  }),
  seen(body) {
    const status = objectIn(body)[api.status]
    if (status === 'PUBLISHED') return { shown: true, post: null }
    const isKnown = typeof status === 'string' && ['FINISHED', 'IN_PROGRESS', 'ERROR', 'EXPIRED'].includes(status)
    return isKnown ? { shown: false, hidden: status !== 'IN_PROGRESS', alike: [] } : undefined
  },
  listing: ({ account, version }) => ({
    ...{ method: 'GET', ...at(api, version, `${account}/${api.posts}`) },
    query: { fields: `id,${api.text},timestamp,permalink`, limit: '50' },
  }),
  alike(body, { text }, window): FoundPost[] | undefined {
    const { data } = objectIn(body)
    if (!Array.isArray(data)) return undefined
    return listIn(data).flatMap((one: Fields) => {
      const id = idIn(one.id)
      const caption = typeof one[api.text] === 'string' ? (one[api.text] as string) : ''
      if (id === null || !within(secondsIn(one.timestamp), window) || !isSameText(caption, text)) return []
      return [{ id, permalink: addressIn(one.permalink) }]
    })
  },
  permalink: {
    kind: 'read',
    request: (id, { version }) => ({
      method: 'GET',
      ...at(api, version, encodeURIComponent(id)),
      query: { fields: 'permalink' },
    }),
    in: permalinkIn,
  },
})
