// What each network refuses in the text of a reply.
import { captionLength } from '../publications/text-lengths.ts'
import type { NetworkType } from '../social/networks/network-types.ts'
import { networks } from '../social/networks/networks.ts'
import type { ReplyIssue } from './reply.ts'

/** The first thing that the network would refuse; null if there is none. */
export function replyIssue(type: NetworkType, text: string): ReplyIssue | null {
  const { capability, replies } = networks[type]
  const { max, unit } = capability.reply
  const length = captionLength(unit, text)
  if (length > max)
    return { code: 'too_long', detail: `Expected at most ${max}, counted as \`${unit}\`; the text has ${length}.` }
  return replies.issue?.(text) ?? null
}
