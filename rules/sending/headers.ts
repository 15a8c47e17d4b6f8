// Headers of campaign messages. All values are ASCII without line breaks: they are made of ids, stored addresses and
// our own URLs.
import type { MessageKind } from '../campaigns/campaigns.ts'

/** Name and value, in the order in which they are written. */
export type Header = readonly [name: string, value: string]

/** What lists, reports and replies are matched by: the id of the row at the domain of the sender (RFC 5322, 3.6.4). */
export const messageIdOf = (id: string, sender: string): string =>
  `<${id}@${sender.slice(sender.lastIndexOf('@') + 1)}>`

export type HeaderFacts = {
  id: string
  kind: MessageKind
  campaign_id: string
  /** The list of which the recipient is a member; null: the campaign is the list. */
  audience_id: string | null
  step: number | null
  mailbox_id: string
  sender: string
  /** Takes a POST without a body: RFC 8058. Null: nothing can be unsubscribed by this message. */
  unsubscribe_url: string | null
  /** Message-IDs of the thread, oldest first; empty: it begins a thread. */
  thread: readonly string[]
}

/** More are left out of References: the first one, and the latest. RFC 5322, 3.6.4 and 2.1.1. */
const referencesMax = 20

const references = (thread: readonly string[]): readonly string[] =>
  thread.length <= referencesMax ? thread : [thread[0] as string, ...thread.slice(1 - referencesMax)]

/**
 * `List-Unsubscribe` and `List-Unsubscribe-Post` (RFC 2369, RFC 8058) and `List-Id` (RFC 2919) only where something can
 * be unsubscribed. `Feedback-ID` as mailbox providers group complaints by: campaign, step, kind and, last, the sender.
 */
export function headersOf({
  id,
  kind,
  campaign_id,
  audience_id,
  step,
  mailbox_id,
  sender,
  unsubscribe_url,
  thread,
}: HeaderFacts): Header[] {
  const headers: Header[] = [['Message-ID', messageIdOf(id, sender)]]
  const last = thread.at(-1)
  if (last !== undefined) headers.push(['In-Reply-To', last], ['References', references(thread).join('\r\n ')])
  if (unsubscribe_url !== null)
    headers.push(
      ['List-Unsubscribe', `<${unsubscribe_url}>`],
      ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
      ['List-Id', messageIdOf(audience_id ?? campaign_id, sender).replace('@', '.')],
    )
  headers.push(['Feedback-ID', `${campaign_id}:${step ?? 'none'}:${kind}:${mailbox_id}`], ['X-Campaign-Message', id])
  return headers
}
