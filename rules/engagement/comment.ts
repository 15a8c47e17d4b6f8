// A comment as a network lists it.
import type { NetworkType } from '../social/networks/network-types.ts'

export type CommentAuthor = { provider_id: string | null; name: string | null; username: string | null }

/**
 * `parent`: the network's id of the comment that it answers; null if it answers the post. `created_at` in Unix seconds.
 */
export type ProviderComment = {
  provider_comment_id: string
  parent: string | null
  author: CommentAuthor | null
  text: string
  like_count: number | null
  reply_count: number | null
  /** Whether the account of the connection wrote it. */
  own: boolean
  created_at: number
}

/**
 * `cursor`: of the next page; null on the last one. The address of the next page that some networks return is not
 * followed: it holds the token.
 */
export type CommentPage = { comments: ProviderComment[]; cursor: string | null }

/**
 * The listing of a post's top-level comments, newest first, or of the replies below `root`. Ids are those of the
 * network.
 */
export type Listing = { type: NetworkType; post: string; root: string | null }
export type Account = { provider_account_id: string; username: string | null }
