// What each network refuses in the text of a reply.
import { capabilities } from './capabilities.ts'
import type { NetworkType } from './networks.ts'
import { captionLength, hashtagsIn } from './text-lengths.ts'

/** In the unit of the network's captions; network c counts the characters of a comment. */
const lengthMax: Readonly<Record<NetworkType, number>> = {
  network_a_page: 8_000,
  network_b_business: 300,
  network_c_channel: 10_000,
  network_d_account: 280,
  network_e_account: 500,
}

export const replyIssueCodes = ['too_long', 'too_many_hashtags', 'too_many_links', 'all_capitals'] as const
type Issue = { code: (typeof replyIssueCodes)[number]; detail: string }

/** Of a comment on network b (its API, Comment Moderation). */
function ofMedia(text: string): Issue | null {
  if (hashtagsIn(text) > 4) return { code: 'too_many_hashtags', detail: 'Expected at most 4 hashtags.' }
  if ((text.match(/https?:\/\/\S+/g) ?? []).length > 1) return { code: 'too_many_links', detail: 'Expected at most 1 link.' }
  const isShouted = /\p{Lu}/u.test(text) && /\p{L}{2}/u.test(text) && text === text.toUpperCase()
  return isShouted ? { code: 'all_capitals', detail: 'Expected a text that is not in capital letters alone.' } : null
}

/** The first thing that the network would refuse; null if there is none. */
export function replyIssue(type: NetworkType, text: string): Issue | null {
  const unit = type === 'network_c_channel' ? 'characters' : capabilities[type].caption.unit
  const length = captionLength(unit, text)
  if (length > lengthMax[type]) return { code: 'too_long', detail: `Expected at most ${lengthMax[type]}, counted as \`${unit}\`; the text has ${length}.` }
  return type === 'network_b_business' ? ofMedia(text) : null
}
