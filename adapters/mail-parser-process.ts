// The process that parses mail from outside: it returns what campaigns read of a mail, within limits of size.
import PostalMime, { type Attachment } from 'postal-mime'
import { cut } from '../rules/excerpts.ts'
import type { ParsedMail } from '../rules/inbox/inbound.ts'

export type ParserTask = { bytes: Uint8Array }
/**
 * `fault`: it is no mail, or exceeds a limit. `spent`: a mail has filled the heap, in which the next one might fail.
 */
export type ParserReply = ({ mail: ParsedMail } | { fault: string }) & { spent?: true }

/** Characters. */
const most = {
  headers: 500,
  header: 8_192,
  subject: 1_000,
  text: 65_536,
  html: 262_144,
  attachments: 100,
  name: 255,
  report: 65_536,
}
const heapMax = 100_000_000

/** Reports are in UTF-8 (RFC 6533). The process reads no other file of ours than this one. */
const textOf = ({ content }: Attachment): string =>
  typeof content === 'string'
    ? content.slice(0, most.report)
    : new TextDecoder().decode(new Uint8Array(content).subarray(0, most.report))

/** A returned message, or only its headers. */
const headersOf = (message: string): string => message.split(/\r?\n\r?\n/, 1)[0] as string

async function parsed(bytes: Uint8Array): Promise<ParsedMail> {
  // Attached messages are not read as text of the mail: a forwarded message of ours is no reply to it.
  const mail = await PostalMime.parse(bytes, {
    forceRfc822Attachments: true,
    maxNestingDepth: 50,
    maxHeadersSize: 524_288,
  })
  const part = (...types: string[]) => mail.attachments.find(({ mimeType }) => types.includes(mimeType.toLowerCase()))
  const [status, report] = [
    part('message/delivery-status', 'message/global-delivery-status'),
    part('message/feedback-report'),
  ]
  const returned = part('message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers')
  const { from, subject = '', text = '', html } = mail
  return {
    headers: mail.headers.slice(0, most.headers).map(({ key, value }) => [key, shortened(value)]),
    from: from && 'address' in from && from.address ? from.address.slice(0, 254) : null,
    subject: cut(subject, most.subject),
    text: cut(text, most.text),
    html: html?.slice(0, most.html) ?? null,
    attachments: mail.attachments.slice(0, most.attachments).map(({ filename, mimeType, content }) => ({
      name: filename === null || filename === undefined ? null : cut(filename, most.name),
      mime_type: mimeType.slice(0, most.name),
      size: typeof content === 'string' ? content.length : content.byteLength,
    })),
    delivery_status: status ? textOf(status) : null,
    feedback_report: report ? textOf(report) : null,
    returned: returned ? headersOf(textOf(returned)) : null,
  }
}

/** Keeps both ends of a long header: References names the latest message last. */
const shortened = (value: string): string =>
  value.length <= most.header ? value : `${value.slice(0, most.header / 2)} ${value.slice(-most.header / 2)}`

const answer = (reply: ParserReply) =>
  process.send?.({ ...reply, ...(process.memoryUsage().heapUsed > heapMax ? { spent: true } : {}) })

process.on('message', ({ bytes }: ParserTask) => {
  parsed(bytes).then(
    (mail) => answer({ mail }),
    // The message may hold a part of the mail.
    () => answer({ fault: 'it is no mail, or exceeds the limits of nesting or headers' }),
  )
})
// The parent has ended.
process.on('disconnect', () => process.exit())
process.send?.('ready')
