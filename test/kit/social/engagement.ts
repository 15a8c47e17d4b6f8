// Published posts of a store at simulated networks, comments of strangers below them, and what the store makes of
// those.
//   const post = await published(shop, 'network_b_business')
//   await comment(post, 'Is it open on Sundays?')
//   const [first] = await synced(post)
import { newId } from '../../../entities/kit/ids.ts'
import type { NetworkType } from '../../../rules/social/networks/network-types.ts'
import { type Answer, database, type Shop, unique } from '../shop.ts'
import { connect, networkOf, social } from './social.ts'

/** `account`: its name; `owner`: the network's id of the account, page or channel. */
export type Post = {
  shop: Shop
  type: NetworkType
  connection: string
  account: string
  owner: string
  publication: string
  post: string
}

/** A publication as it is after it was published. */
export async function publishedOn(shop: Shop, connection: string, account: string): Promise<Post> {
  const { rows } = await database().query('select type, provider_account_id from social_connections where id = $1', [
    connection,
  ])
  const { type, provider_account_id: owner } = rows[0]
  const { id: post } = await social<{ id: string }>('POST', '/published', {
    network: networkOf(type),
    owner,
    text: `A post ${unique()}`,
  })
  const publication = newId()
  await database().query(
    `insert into social_publications (id, tenant_id, created_at, updated_at, social_connection_id, type, content, status, published_at, scheduled_at, provider_post_id, issues, created_by)
     values ($1, $2, $6, $6, $3, $4, $7, 'published', $6, $6, $5, '[]', $8)`,
    [
      publication,
      shop.store_id,
      connection,
      type,
      post,
      Math.floor(Date.now() / 1000),
      JSON.stringify({ type, caption: null, media_ids: [] }),
      newId(),
    ],
  )
  return { shop, type, connection, account, owner, publication, post }
}

export async function published(shop: Shop, type: NetworkType): Promise<Post> {
  const account = `Shop ${unique()}`
  return publishedOn(shop, await connect(shop, type, account), account)
}

type SimComment = { id: string; text: string; post_id: string }
export const comment = (
  { post }: Pick<Post, 'post'>,
  text: string,
  more: { parent_id?: string; author?: string } = {},
): Promise<SimComment> => social('POST', '/comments', { post_id: post, text, ...more })
/** So many comments, numbered from 1, the last one newest. */
export const comments = ({ post }: Pick<Post, 'post'>, text: string, count: number): Promise<SimComment[]> =>
  social('POST', '/comments', { post_id: post, text, count })
export const editComment = (
  id: string,
  change: { text?: string; deleted?: true; likes?: number },
): Promise<SimComment> => social('POST', '/comments/edit', { id, ...change })

export const sync = (post: Pick<Post, 'shop'>, body: Record<string, unknown>): Promise<Answer> =>
  post.shop.asOperator('POST', '/social-publications/engagement/sync', body)
export const list = async ({ shop, publication }: Post, query = '?limit=100') =>
  (await shop.asOperator('GET', `/social-publications/${publication}/comments${query}`)).body
/** The comments of a post after a sync. */
export async function synced(post: Post) {
  const { status, body } = await sync(post, {
    publication_ids: [post.publication],
    max_comment_pages_per_publication: 20,
    max_comments_per_publication: 1_000,
  })
  if (status !== 200 || body.status !== 'completed') throw new Error(`not synced: ${status} ${JSON.stringify(body)}`)
  return (await list(post)).items as { id: string; text: string; provider_comment_id: string }[]
}
export const openThread = ({ shop, publication }: Post, id: string, query = '') =>
  shop.asOperator('GET', `/social-publications/${publication}/comments/${id}/thread${query}`)
export const reply = (
  { shop, publication }: Post,
  id: string,
  body: { reply_id: string; text: string },
  api?: string,
) => shop.asOperator('POST', `/social-publications/${publication}/comments/${id}/replies`, body, api)
