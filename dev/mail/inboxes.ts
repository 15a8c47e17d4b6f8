// The inboxes of the senders whose mail was caught: bounces, replies and complaints about a message, as servers write
// them.
import { randomUUID } from 'node:crypto'
import { all, type Message } from './caught.ts'

/** `at`: when it came, in Unix seconds. */
export type Stored = { uid: number; raw: Buffer; at: number }
/** `uid_validity` changes when the inbox is replaced by a new one; with `restless`, by each session. */
export type Box = { uid_validity: number; messages: Stored[]; next: number; restless: boolean }

const boxes = new Map<string, Box>()
let made = 0

/** The inbox of an address, which is also the user name that it is read with. */
export function boxOf(address: string): Box {
  const name = address.toLowerCase()
  const box = boxes.get(name) ?? {
    uid_validity: Math.floor(Date.now() / 1000) + made++,
    messages: [],
    next: 1,
    restless: false,
  }
  boxes.set(name, box)
  return box
}

export const forgetBox = (address: string): void => void boxes.delete(address.toLowerCase())

/** A provider moves or restores an inbox: the same messages, with other UIDs. */
export function moveBox(address: string, restless: boolean): void {
  const box = boxOf(address)
  box.messages = box.messages.map((message, n) => ({ ...message, uid: n + 1 }))
  Object.assign(box, { uid_validity: box.uid_validity + 1, next: box.messages.length + 1, restless })
}

/** Puts a mail into an inbox. */
export function put(
  address: string,
  raw: string | Buffer,
  at = Math.floor(Date.now() / 1000),
): { inbox: string; uid: number } {
  const box = boxOf(address)
  const uid = box.next++
  box.messages.push({ uid, raw: Buffer.from(raw), at })
  return { inbox: address.toLowerCase(), uid }
}

/** `id`: of a caught message. */
export type About = {
  id?: string
  status?: string
  action?: 'failed' | 'delayed'
  diagnostic?: string
  text?: string
  automatic?: boolean
  from?: string
}

function caught(id: string | undefined): Message {
  const message = all().find((one) => one.id === id)
  if (!message) throw new SyntaxError('id: no such message was caught')
  return message
}

const lines = (...parts: (string | string[])[]): string => `${parts.flat().join('\r\n')}\r\n`
const headersOf = ({ headers }: Message): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value.replaceAll(/\s+/g, ' ')}`)
const date = () => new Date().toUTCString().replace('GMT', '+0000')
const newMessageId = (domain: string) => `<${randomUUID()}@${domain}>`

/** A report of a mail server (RFC 3461, RFC 3464), with the headers of the message. */
export function bounce({ id, status = '5.1.1', action = 'failed', diagnostic }: About): { inbox: string; uid: number } {
  const message = caught(id)
  const [to = ''] = message.to
  const code = status.startsWith('4') ? 450 : 550
  const said = diagnostic ?? `${code} ${status} <${to}>: Recipient address rejected`
  const boundary = `b${randomUUID()}`
  const envelope = message.headers['x-campaign-message']
  return put(
    message.from,
    lines(
      [
        'From: MAILER-DAEMON@mx.tillwright.test (Mail Delivery System)',
        `To: ${message.from}`,
        'Subject: Undelivered Mail Returned to Sender',
        `Date: ${date()}`,
      ],
      [`Message-ID: ${newMessageId('mx.tillwright.test')}`, 'Auto-Submitted: auto-replied', 'MIME-Version: 1.0'],
      [`Content-Type: multipart/report; report-type=delivery-status; boundary="${boundary}"`, ''],
      [
        `--${boundary}`,
        'Content-Type: text/plain; charset=us-ascii',
        '',
        'Your message could not be delivered.',
        '',
        `<${to}>: ${said}`,
        '',
      ],
      [
        `--${boundary}`,
        'Content-Type: message/delivery-status',
        '',
        'Reporting-MTA: dns; mx.tillwright.test',
        ...(envelope ? [`Original-Envelope-Id: ${envelope}`] : []),
        '',
      ],
      [
        `Final-Recipient: rfc822; ${to}`,
        `Original-Recipient: rfc822;${to}`,
        `Action: ${action}`,
        `Status: ${status}`,
        `Diagnostic-Code: smtp; ${said}`,
        '',
      ],
      [`--${boundary}`, 'Content-Type: text/rfc822-headers', '', ...headersOf(message), '', `--${boundary}--`],
    ),
  )
}

/** `automatic`: of a program, such as an out-of-office. */
export function reply({ id, text = 'Thank you, I am interested.', automatic = false, from }: About): {
  inbox: string
  uid: number
} {
  const message = caught(id)
  const [to = ''] = message.to
  const of = message.headers['message-id'] ?? ''
  return put(
    message.from,
    lines(
      [
        `From: ${from ?? to}`,
        `To: ${message.from}`,
        `Subject: ${automatic ? 'Automatic reply' : 'Re'}: ${message.subject}`,
        `Date: ${date()}`,
      ],
      [
        `Message-ID: ${newMessageId(to.slice(to.indexOf('@') + 1))}`,
        `In-Reply-To: ${of}`,
        `References: ${[message.headers.references, of].filter(Boolean).join(' ')}`,
      ],
      [
        ...(automatic ? ['Auto-Submitted: auto-replied'] : []),
        'MIME-Version: 1.0',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: 8bit',
        '',
        text,
      ],
    ),
  )
}

/** A report of a mailbox provider whose user marked the message as spam (RFC 5965). */
export function complaint({ id }: About): { inbox: string; uid: number } {
  const message = caught(id)
  const boundary = `b${randomUUID()}`
  return put(
    message.from,
    lines(
      [
        'From: <fbl@provider.tillwright.test>',
        `To: ${message.from}`,
        'Subject: FW: complaint',
        `Date: ${date()}`,
        `Message-ID: ${newMessageId('provider.tillwright.test')}`,
      ],
      ['MIME-Version: 1.0', `Content-Type: multipart/report; report-type=feedback-report; boundary="${boundary}"`, ''],
      [`--${boundary}`, 'Content-Type: text/plain; charset=us-ascii', '', 'This is an abuse report for a message.', ''],
      [
        `--${boundary}`,
        'Content-Type: message/feedback-report',
        '',
        'Feedback-Type: abuse',
        'User-Agent: Catcher/1.0',
        'Version: 1',
        `Original-Mail-From: ${message.from}`,
        '',
      ],
      [
        `--${boundary}`,
        'Content-Type: message/rfc822',
        '',
        ...headersOf(message),
        '',
        message.text,
        '',
        `--${boundary}--`,
      ],
    ),
  )
}
