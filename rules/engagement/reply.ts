// A reply to a comment: where it goes, and what a network may refuse in it.
import type { NetworkType } from '../social/networks/network-types.ts'

/**
 * `comment`: the network's id of the comment that is answered; `root`: of the comment that its thread begins with.
 * `container`: what a network with such a step has made of the text, or null.
 */
export type ReplyTarget = {
  type: NetworkType
  account: string
  comment: string
  root: string
  container: string | null
}

export const replyIssueCodes = ['too_long', 'too_many_hashtags', 'too_many_links', 'all_capitals'] as const
export type ReplyIssue = { code: (typeof replyIssueCodes)[number]; detail: string }
