// Makes the bytes of a message as they are written after DATA. Bodies are in base64, so that no line begins with a dot
// or is too long.
import MailComposer from 'nodemailer/lib/mail-composer'
import { encodeWord, foldLines, quoteString } from 'nodemailer/lib/mime-funcs'
import { dotted } from '../../rules/mail/smtp.ts'
import { UNSUBSCRIBE_MARK } from '../../rules/sending/variables.ts'

/** A name and a value of ASCII characters without line breaks. */
type Header = readonly [name: string, value: string]

export type Message = {
  /** Of the row. */
  id: string
  from: { address: string; name: string | null }
  to: string
  reply_to: string | null
  subject: string
  html: string | Buffer
  text: string | Buffer
  /** Of rules/sending/headers.ts. */
  headers: readonly Header[]
}

export type AttachedFile = { name: string; mime_type: string; bytes: Buffer }

/** Characters of a line. RFC 5322, 2.1.1; of base64 RFC 2045, 6.8. */
const lineMax = 76

/** An encoded word in a template or a variable is a text like any other. */
const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text) && !text.includes('=?')

/** The value of a header without structure. */
function textHeader(name: string, value: string): string {
  const given = isPlain(value)
  if (given && name.length + 2 + value.length <= lineMax) return `${name}: ${value}\r\n`
  return `${foldLines(`${name}: ${given ? value : encodeWord(value, 'B', 52)}`, lineMax)}\r\n`
}

/** An address with its display name (RFC 5322, 3.4). */
function sender({ address, name }: Message['from']): string {
  if (!name) return address
  return isPlain(name) && name.length <= 60
    ? `${quoteString(name)} <${address}>`
    : `${encodeWord(name, 'B', 52)} <${address}>`
}

const bodyHead = (type: string): string =>
  `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n`

const base64Of = (content: string | Buffer): string =>
  (typeof content === 'string' ? Buffer.from(content) : content).toString('base64')

/** Bytes of base64 in lines. */
const linedLength = (encoded: string): number => encoded.length + 2 * Math.ceil(encoded.length / lineMax)

/** Writes base64 in lines. A string for each line would be the most that a drain allocates. Returns where it ends. */
function writeLines(out: Buffer, at: number, encoded: string): number {
  const end = at + linedLength(encoded)
  // Each line is moved to its place from further behind.
  let from = end - encoded.length
  out.write(encoded, from, 'latin1')
  for (let to = at; from < end; from += lineMax) {
    const next = Math.min(end, from + lineMax)
    out.copyWithin(to, from, next)
    to += next - from
    out[to++] = 0x0d
    out[to++] = 0x0a
  }
  return end
}

/** RFC 5322, 3.3. */
const dateOf = (now: Date): string => now.toUTCString().replace('GMT', '+0000')

/** With its final dot. Microseconds, as a drain makes thousands a second. `room`: where so many bytes are written. */
export function composeMessage(
  { id, from, to, reply_to, subject, html, text, headers }: Message,
  now = new Date(),
  room: (size: number) => Buffer = Buffer.allocUnsafeSlow,
): Buffer {
  // Never in base64.
  const boundary = `=_${id}`
  let lines = `${foldLines(`From: ${sender(from)}`, lineMax)}\r\nTo: ${to}\r\n`
  if (reply_to !== null) lines += `Reply-To: ${reply_to}\r\n`
  lines += textHeader('Subject', subject)
  for (const [name, value] of headers) lines += `${name}: ${value}\r\n`
  lines += `Date: ${dateOf(now)}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary="${boundary}"\r\n\r\n`
  const parts = [
    `${lines}--${boundary}\r\n${bodyHead('text/plain')}`,
    `--${boundary}\r\n${bodyHead('text/html')}`,
    `--${boundary}--\r\n.\r\n`,
  ] as const
  const bodies = [base64Of(text), base64Of(html)] as const
  const out = room(parts.join('').length + linedLength(bodies[0]) + linedLength(bodies[1]))
  let at = out.write(parts[0], 0, 'latin1')
  at = writeLines(out, at, bodies[0])
  at += out.write(parts[1], at, 'latin1')
  at = writeLines(out, at, bodies[1])
  out.write(parts[2], at, 'latin1')
  return out
}

/** The same with files. */
export async function composeWithFiles(
  message: Message,
  files: readonly AttachedFile[],
  now = new Date(),
): Promise<Buffer> {
  if (files.length === 0) return composeMessage(message, now)
  const { from, to, reply_to, subject, html, text, headers } = message
  const [messageId, ...others] = headers
  const bytes = await new MailComposer({
    from: { name: from.name ?? '', address: from.address },
    to: { name: '', address: to },
    ...(reply_to === null ? {} : { replyTo: { name: '', address: reply_to } }),
    ...{
      subject,
      text,
      html,
      textEncoding: 'base64',
      date: now,
      messageId: messageId?.[1] ?? '',
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    headers: others.map(([key, value]) => ({ key, value: value.replaceAll('\r\n ', ' ') })),
    attachments: files.map(({ name, mime_type, bytes }) => ({
      filename: name,
      contentType: mime_type,
      content: bytes,
    })),
  })
    .compile()
    .build()
  return dotted(bytes)
}

/** Content with the link that unsubscribes in place of its mark. The URL has no character that HTML escapes. */
export const withUnsubscribeUrl = <C extends { html: string; text: string }>(content: C, url: string): C => ({
  ...content,
  html: content.html.replaceAll(UNSUBSCRIBE_MARK, url),
  text: content.text.replaceAll(UNSUBSCRIBE_MARK, url),
})

const unsubscribeMark = Buffer.from(UNSUBSCRIBE_MARK)

/** The same for a part in UTF-8. */
export function linked(part: Buffer, url: Buffer): Buffer {
  const pieces: Buffer[] = []
  let from = 0
  for (let at = part.indexOf(unsubscribeMark); at >= 0; at = part.indexOf(unsubscribeMark, from)) {
    pieces.push(part.subarray(from, at), url)
    from = at + unsubscribeMark.length
  }
  return from === 0 ? part : Buffer.concat([...pieces, part.subarray(from)])
}
