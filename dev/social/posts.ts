// Posts and comments of all networks, as their public sees them.
import { createHash, randomBytes } from 'node:crypto'
import type { Visible } from './network.ts'
import { keyed, type Letter, now } from './state.ts'

/** `owner`: the account, page or channel. Times in Unix seconds. `visible_at` null: only the owner sees it. */
export type Post = {
  id: string
  network: Letter
  owner: string
  kind: 'post' | 'video' | 'reel' | 'story' | 'photo'
  text: string
  title: string | null
  /** Ids of files, in their order. */
  files: string[]
  /** Of network d: keys of the media, in their order. */
  media_keys: string[]
  link: string | null
  permalink: string
  created_at: number
  visible_at: number | null
  deleted_at: number | null
  metrics: Record<string, number>
}

/**
 * `root_id`: the comment of the top level that begins the thread, null for that comment itself. `own`: by the post's
 * owner.
 */
export type Comment = {
  id: string
  network: Letter
  post_id: string
  parent_id: string | null
  root_id: string | null
  author: { id: string; name: string; username: string }
  own: boolean
  text: string
  likes: number
  created_at: number
  edited_at: number | null
  hidden: boolean
  deleted_at: number | null
}

export const posts = keyed<Post>(
  'post',
  ({ network, id }) => `${network} ${id}`,
  ({ network, owner }) => `${network} ${owner}`,
)
export const comments = keyed<Comment>(
  'comment',
  ({ network, id }) => `${network} ${id}`,
  ({ network, post_id }) => `${network} ${post_id}`,
)

let last = 0n
const epoch = 1_288_834_974_657n
/** Grows with time, as the ids of network d. */
export function snowflake(): string {
  const next = (BigInt(Date.now()) - epoch) << 22n
  last = next > last ? next : last + 1n
  return String(last)
}
const digits = (length: number) =>
  BigInt(`0x${randomBytes(12).toString('hex')}`)
    .toString()
    .padStart(length, '7')
    .slice(-length)
/** An id that begins with this number. */
export const numberedId = (beginning: string): string => `${beginning}${digits(14)}`
export const shortCode = (id: string) => createHash('sha256').update(id).digest('base64url').slice(0, 11)

export const postOf = (network: Letter, id: string): Post | undefined => {
  const post = posts.get(`${network} ${id}`)
  return post && post.deleted_at === null ? post : undefined
}
export const commentOf = (network: Letter, id: string): Comment | undefined => {
  const comment = comments.get(`${network} ${id}`)
  return comment && comment.deleted_at === null ? comment : undefined
}

type NewPost = Pick<Post, 'id' | 'network' | 'owner' | 'kind' | 'text'> & Partial<Post>
export const addPost = (given: NewPost): Post =>
  posts.save({
    ...{ title: null, files: [], media_keys: [], link: null, permalink: '' },
    ...{ created_at: now(), visible_at: null, deleted_at: null, metrics: {} },
    ...given,
  })

/** For the ledger. */
export const shown = ({ id, text }: Post): Visible => ({ id, text, parent_id: null })

export function addComment(
  given: Pick<Comment, 'id' | 'network' | 'post_id' | 'author' | 'own' | 'text'> & Partial<Comment>,
): Comment {
  return comments.save({
    ...{
      parent_id: null,
      root_id: null,
      likes: 0,
      created_at: now(),
      edited_at: null,
      hidden: false,
      deleted_at: null,
    },
    ...given,
  })
}
export const shownComment = ({ id, text, parent_id, post_id }: Comment): Visible => ({
  id,
  text,
  parent_id: parent_id ?? post_id,
})

/** Visible posts of an owner, newest first. */
export const visiblePosts = (network: Letter, owner: string): Post[] =>
  posts
    .group(`${network} ${owner}`)
    .filter((post) => post.visible_at !== null && post.deleted_at === null)
    .sort((one, other) => (other.visible_at as number) - (one.visible_at as number))

/** Of a post, in the order in which they were made; deleted ones are left out. */
export const commentsOn = (network: Letter, postId: string): Comment[] =>
  comments.group(`${network} ${postId}`).filter(({ deleted_at }) => deleted_at === null)
