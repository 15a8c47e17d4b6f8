// Publications of a test's store, and what the public of the simulated networks sees of them.
//   const post = await scheduled(shop, connection, { type: 'network_b_business', caption, media_ids: [file] })
//   expect(await visible(caption)).toHaveLength(1)
import type { NetworkType } from '../../../rules/social/networks/network-types.ts'
import { until } from '../codes.ts'
import { photo, send } from '../content/files.ts'
import { movie } from '../content/movies.ts'
import { database, type Shop, unique } from '../shop.ts'
import { type SocialEntry, social, socialLedger } from './social.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON of the API
type Publication = Record<string, any> & { id: string; status: string }
export type Content = { type: NetworkType; caption?: string; media_ids?: readonly string[] } & Record<string, unknown>

export const now = (): number => Math.floor(Date.now() / 1000)

/** A JPEG of the store, each with other bytes. */
export async function picture(shop: Shop): Promise<string> {
  const { status, body } = await send(shop, [{ name: `${unique()}.jpg`, bytes: await photo(640, 640) }])
  if (status !== 201) throw new Error(`not uploaded: ${status} ${JSON.stringify(body)}`)
  return body.items[0].id
}

/** A video of the store, portrait, of ten seconds. */
export async function video(shop: Shop, bytes = 0): Promise<string> {
  const { status, body } = await send(shop, [{ name: `${unique()}.mp4`, bytes: movie({ bytes }) }])
  if (status !== 201) throw new Error(`not uploaded: ${status} ${JSON.stringify(body)}`)
  return body.items[0].id
}

/** What a publication of each type can be: a text alone where the network has that, files, and placements. */
export const variants = {
  network_a_page: ['text', 'pictures', 'video', 'reel'],
  network_b_business: ['picture', 'pictures', 'video', 'reel', 'story'],
  network_c_channel: ['video'],
  network_d_account: ['text', 'pictures', 'video'],
  network_e_account: ['text', 'picture', 'pictures', 'video'],
} as const satisfies Record<NetworkType, readonly string[]>
export type Variant = (typeof variants)[NetworkType][number]

export async function contentOf(
  shop: Shop,
  type: NetworkType,
  variant: Variant,
  caption = `Hello ${unique()}`,
): Promise<Content & { caption: string }> {
  const files = {
    text: () => [],
    picture: async () => [await picture(shop)],
    pictures: async () => [await picture(shop), await picture(shop)],
    story: async () => [await picture(shop)],
    video: async () => [await video(shop)],
    reel: async () => [await video(shop)],
  }
  const media_ids = await files[variant]()
  const placement = variant === 'reel' || variant === 'story' ? { placement: variant } : {}
  return { type, caption, media_ids, ...placement, ...(type === 'network_c_channel' ? { title: caption } : {}) }
}

export async function created(shop: Shop, social_connection_id: string, content: Content): Promise<Publication> {
  const { status, body } = await shop.asOperator('POST', '/social-publications', { social_connection_id, content })
  if (status !== 201) throw new Error(`not created: ${status} ${JSON.stringify(body)}`)
  return body.publication
}

export const act = (shop: Shop, id: string, what: 'schedule' | 'cancel' | 'check' | 'resolve', body: unknown = {}) =>
  shop.asOperator('POST', `/social-publications/${id}/${what}`, body)

/** Created and scheduled; now, unless a time is given. */
export async function scheduled(
  shop: Shop,
  connection: string,
  content: Content,
  scheduled_at = now(),
): Promise<Publication> {
  const { id } = await created(shop, connection, content)
  const { status, body } = await act(shop, id, 'schedule', { scheduled_at })
  if (status !== 200) throw new Error(`not scheduled: ${status} ${JSON.stringify(body)}`)
  return body.publication
}

export const readPublication = async (shop: Shop, id: string): Promise<Publication> =>
  (await shop.asOperator('GET', `/social-publications/${id}`)).body

/** When the publication has one of these states. */
export const reached = (shop: Shop, id: string, statuses: readonly string[], withinMs = 30_000): Promise<Publication> =>
  until(async () => {
    const found = await readPublication(shop, id)
    return statuses.includes(found.status) && found
  }, withinMs).catch(async () => {
    throw new Error(
      `${JSON.stringify(await readPublication(shop, id))} ${JSON.stringify((await partsOf(id)).map(({ ref: _, ...rest }) => rest))}`,
    )
  })

/** Requests that made a post with this text visible. */
export const visible = async (text: string): Promise<SocialEntry[]> =>
  (await socialLedger({ text })).filter(({ visible }) => visible)

export type SocialPost = {
  id: string
  network: string
  text: string
  title: string | null
  visible_at: number | null
  deleted_at: number | null
  owner: string
  files: string[]
}
/** All posts with this text, hidden ones too. */
export const postsOf = (text: string): Promise<SocialPost[]> => social('GET', `/posts?${new URLSearchParams({ text })}`)
export const postsBeginning = (beginning: string): Promise<SocialPost[]> =>
  social('GET', `/posts?${new URLSearchParams({ beginning })}`)

export const partsOf = async (id: string) =>
  (await database().query('select * from social_parts where publication_id = $1 order by run, position', [id])).rows
export const revealsOf = async (id: string) =>
  (await database().query('select * from social_reveals where publication_id = $1 order by n', [id])).rows
