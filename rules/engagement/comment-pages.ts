// Comments at the networks: the read of one page of a listing, and what its answer holds.

import { objectIn } from '../social/answers.ts'
import type { NetworkType } from '../social/networks/network-types.ts'
import { networks } from '../social/networks/networks.ts'
import type { Access, SocialRequest } from '../social/networks/request.ts'
import type { Account, CommentPage, Listing, ProviderComment } from './comment.ts'

/** A listing that ends holds every comment made since then, in Unix seconds. */
export function completeSince(type: NetworkType, now: number): number {
  const { listed_s } = networks[type].comments
  return listed_s === undefined ? 0 : now - listed_s
}

/** The order of a listing. */
export const isNewestFirst = (type: NetworkType, isThread: boolean): boolean =>
  !isThread || networks[type].comments.thread_newest_first

/** Deleting a comment deletes the replies below it. */
export const repliesGoWithRoot = (type: NetworkType): boolean => networks[type].comments.replies_go_with_root

/** `wanted`: how many comments are of use; a page may have more. */
export function commentsRequest(
  listing: Listing,
  { wanted, ...rest }: Access & { wanted: number; cursor: string | null },
): SocialRequest {
  const { page, request } = networks[listing.type].comments
  return request(listing, { ...rest, size: String(Math.min(page.max, Math.max(page.min, wanted))) })
}

/**
 * The comments of an answer, and where the next page begins. Null for an answer that is no listing: it says nothing of
 * what is there. A comment without an id or a time is left out, one without a text (a picture) has an empty one.
 */
export function commentPage(listing: Listing, account: Account, body: unknown): CommentPage | null {
  const read = networks[listing.type].comments.read(objectIn(body), listing, account)
  if (!read) return null
  const comments = read.comments.flatMap(({ id, text, at, ...rest }): ProviderComment[] => {
    // The listing of a conversation also has the other comments of the post.
    const wanted = listing.root === null ? rest.parent === null : rest.parent !== null
    return id === null || at === null || !wanted
      ? []
      : [{ ...rest, provider_comment_id: id, text: text ?? '', created_at: at }]
  })
  return {
    comments: [...new Map(comments.map((one) => [one.provider_comment_id, one])).values()],
    cursor: read.cursor,
  }
}
