// What each network refuses in the text of a reply.
import type { NetworkType } from './networks.ts'

const limits: Readonly<Record<NetworkType, number>> = {
  network_a_page: 8_000,
  network_b_business: 300,
  network_c_channel: 10_000,
  network_d_account: 280,
  network_e_account: 500,
}

const characters = (text: string): number => [...text].length

/** Ranges of code points of weight 1; all others weigh 2 (twitter-text, configuration 3). */
const light: readonly (readonly [number, number])[] = [
  [0, 4_351],
  [8_192, 8_205],
  [8_208, 8_223],
  [8_242, 8_247],
]
const linkWeight = 23
const links = /https?:\/\/[^\s]+/g
const emoji = /\p{RGI_Emoji}/gv

/** A link counts 23, an emoji of several code points 2, a wide character 2. */
const weight = (text: string): number => {
  const plain = text.normalize('NFC')
  const found = [...plain.matchAll(links)].length
  const rest = plain.replaceAll(links, '')
  const symbols = [...rest.matchAll(emoji)].length
  const weighed = [...rest.replaceAll(emoji, '')].map((one) => one.codePointAt(0) as number)
  return linkWeight * found + 2 * symbols + weighed.reduce((sum, code) => sum + (light.some(([from, to]) => code >= from && code <= to) ? 1 : 2), 0)
}

export const replyIssueCodes = ['too_long', 'too_many_hashtags', 'too_many_links', 'all_capitals'] as const
type Issue = { code: (typeof replyIssueCodes)[number]; detail: string }

/** Of a comment on network b (its API, Comment Moderation). */
function ofMedia(text: string): Issue | null {
  if ((text.match(/#[\p{L}\p{N}_]+/gu) ?? []).length > 4) return { code: 'too_many_hashtags', detail: 'Expected at most 4 hashtags.' }
  if ((text.match(links) ?? []).length > 1) return { code: 'too_many_links', detail: 'Expected at most 1 link.' }
  const isShouted = /\p{Lu}/u.test(text) && /\p{L}{2}/u.test(text) && text === text.toUpperCase()
  return isShouted ? { code: 'all_capitals', detail: 'Expected a text that is not in capital letters alone.' } : null
}

/** The first thing that the network would refuse; null if there is none. */
export function replyIssue(type: NetworkType, text: string): Issue | null {
  const length = type === 'network_d_account' ? weight(text) : characters(text)
  const unit = type === 'network_d_account' ? 'weighted characters' : 'characters'
  if (length > limits[type]) return { code: 'too_long', detail: `Expected at most ${limits[type]} ${unit}; the text has ${length}.` }
  return type === 'network_b_business' ? ofMedia(text) : null
}
