// What each network refuses in the text of a reply.
import { captionLength, hashtagsIn } from '../publications/text-lengths.ts'
import { capabilities } from '../social/capabilities.ts'
import type { NetworkType } from '../social/networks.ts'

export const replyIssueCodes = ['too_long', 'too_many_hashtags', 'too_many_links', 'all_capitals'] as const
type Issue = { code: (typeof replyIssueCodes)[number]; detail: string }

/** Of a comment on network b (its API, Comment Moderation). */
function ofMedia(text: string): Issue | null {
  if (hashtagsIn(text) > 4) return { code: 'too_many_hashtags', detail: 'Expected at most 4 hashtags.' }
  if ((text.match(/https?:\/\/\S+/g) ?? []).length > 1)
    return { code: 'too_many_links', detail: 'Expected at most 1 link.' }
  const isShouted = /\p{Lu}/u.test(text) && /\p{L}{2}/u.test(text) && text === text.toUpperCase()
  return isShouted ? { code: 'all_capitals', detail: 'Expected a text that is not in capital letters alone.' } : null
}

/** The first thing that the network would refuse; null if there is none. */
export function replyIssue(type: NetworkType, text: string): Issue | null {
  const { max, unit } = capabilities[type].reply
  const length = captionLength(unit, text)
  if (length > max)
    return { code: 'too_long', detail: `Expected at most ${max}, counted as \`${unit}\`; the text has ${length}.` }
  return type === 'network_b_business' ? ofMedia(text) : null
}
