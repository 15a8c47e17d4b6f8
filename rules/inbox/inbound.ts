// What a mail that came into a mailbox is, and which message of a campaign it is about. Headers and reports decide,
// never an address alone.
//
// Who can forge what: a mail names a message by its row id (74 random bits, of which at least 42 differ between
// messages of one millisecond) or by its provider's id. Only those who got the mail, or a forwarded or quoted copy of
// it, know that id. With it they can stop the mail to that one recipient, which the link in the same mail lets them do
// as well.
// A bounce that states another recipient than the message's says nothing of that address, and a mailbox looks for its
// own messages only.
import { cut } from '../excerpts.ts'
import { emailForm } from '../input/email-addresses.ts'
import { isAutomatic } from '../mail/automatic-replies.ts'
import { codeIn, refusalClassOf, statusIn } from '../mail/refusals.ts'
import { type BounceClass, bounceClassOf } from './bounces.ts'

/** `headers`: names in lower case, with unfolded values. The parts of a report are its texts. */
export type ParsedMail = {
  headers: [name: string, value: string][]
  /** The address of From. */
  from: string | null
  subject: string
  text: string
  html: string | null
  attachments: { name: string | null; mime_type: string; size: number }[]
  /** `message/delivery-status` (RFC 3464). */
  delivery_status: string | null
  /** `message/feedback-report` (RFC 5965). */
  feedback_report: string | null
  /** The headers of the returned message. */
  returned: string | null
}

/**
 * One recipient of a report. `recipients`: as stated, in their normal form. `class` of `delayed`: the server keeps
 * trying.
 */
export type Failure = {
  recipients: string[]
  status: string | null
  diagnostic: string | null
  class: BounceClass | 'delayed'
}

/**
 * `ids`: of the messages that it names, the most reliable first: Message-IDs without angle brackets, or row ids.
 * `own_id`: the mail's own Message-ID.
 */
export type Inbound = { ids: string[]; own_id: string | null } & (
  | { kind: 'reply' | 'auto_reply' | 'complaint' }
  | { kind: 'bounce'; failures: Failure[] }
)

/** A mail that names more messages is judged by the first ones. */
const idsMax = 50
const diagnosticMax = 500

type Fields = [name: string, value: string][]

/** The fields of a header section, or of a block of a report, with unfolded values. */
function fieldsOf(section: string): Fields {
  const fields: Fields = []
  for (const line of section.split(/\r?\n/)) {
    const last = fields.at(-1)
    if (/^[ \t]/.test(line)) {
      if (last) last[1] += ` ${line.trim()}`
      continue
    }
    const colon = line.indexOf(':')
    if (colon > 0) fields.push([line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()])
  }
  return fields
}

/** The blocks of a report are separated by blank lines (RFC 3464, 2.1). */
const blocksOf = (report: string): Fields[] =>
  report
    .split(/\r?\n[ \t]*\r?\n/)
    .map(fieldsOf)
    .filter((fields) => fields.length > 0)

const fieldOf = (fields: Fields, name: string): string | undefined => fields.find(([field]) => field === name)?.[1]

/** The Message-IDs of a header's value; a value without angle brackets is one. */
function messageIds(value: string | undefined): string[] {
  if (!value) return []
  const ids = [...value.matchAll(/<([^<>\s]{1,250})>/g)].map(([, id]) => id as string)
  const bare = value.trim()
  return ids.length > 0 ? ids : /^[^<>\s]{1,250}$/.test(bare) ? [bare] : []
}

/** Text in which `+` and two hexadecimal digits stand for a character (RFC 3461, 4). */
const fromXtext = (text: string): string =>
  text.replaceAll(/\+([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** Decodes an address in UTF-8, where `\\x{HEX}` is a character (RFC 6533, 3). */
const fromUtf8Address = (text: string): string =>
  text.replaceAll(/\\x\{([0-9A-F]{1,6})\}/gi, (whole, code: string) =>
    Number.parseInt(code, 16) <= 0x10ffff ? String.fromCodePoint(Number.parseInt(code, 16)) : whole,
  )

/** `rfc822; <Ann@Example.com>` → `ann@example.com`. */
function recipientOf(value: string): string {
  const address = value.slice(value.indexOf(';') + 1).replaceAll(/[<>]/g, '')
  return emailForm(/^\s*utf-8\s*;/i.test(value) ? fromUtf8Address(address) : address).toLowerCase()
}

/** What names our message in the headers of a returned copy. */
const returnedIds = (fields: Fields): string[] => [
  ...messageIds(fieldOf(fields, 'x-campaign-message')),
  ...messageIds(fieldOf(fields, 'message-id')),
]

/** In-Reply-To names the message that is answered, References the thread, the latest last (RFC 5322, 3.6.4). */
const threadIds = (headers: Fields): string[] => [
  ...messageIds(fieldOf(headers, 'in-reply-to')),
  ...messageIds(fieldOf(headers, 'references')).reverse(),
]

const distinct = (ids: readonly string[]): string[] => [...new Set(ids)].slice(0, idsMax)

/**
 * A report gives the code of the class in `Status`; 5.0.0 says nothing, where the server's own reply often has a code.
 */
function statusOf(fields: Fields, diagnostic: string): string | null {
  const stated = statusIn(fieldOf(fields, 'status') ?? '')
  return stated === null || stated.endsWith('.0.0') ? (statusIn(diagnostic) ?? stated) : stated
}

/** The code of a reply counts where no other one says more. */
function classOf(status: string | null, diagnostic: string): BounceClass {
  const code = status === null || status.endsWith('.0.0') ? codeIn(diagnostic) : null
  return bounceClassOf[refusalClassOf({ stage: null, code, status, text: diagnostic })]
}

function failureOf(fields: Fields): Failure | undefined {
  const action = (fieldOf(fields, 'action') ?? '').toLowerCase()
  if (action !== 'failed' && action !== 'delayed') return undefined
  const [original, final] = [fieldOf(fields, 'original-recipient'), fieldOf(fields, 'final-recipient')]
  const recipients = [original && fromXtext(original), original, final].filter(
    (one) => one !== undefined && one !== '',
  ) as string[]
  const diagnostic = fieldOf(fields, 'diagnostic-code') ?? ''
  const status = statusOf(fields, diagnostic)
  const kind = action === 'delayed' ? 'delayed' : classOf(status, diagnostic)
  return {
    recipients: [...new Set(recipients.map(recipientOf))],
    status,
    diagnostic: cut(diagnostic, diagnosticMax) || null,
    class: kind,
  }
}

/** A report about delivery. Undefined: it reports no failure. */
function bounceOf({ headers, delivery_status, returned }: ParsedMail, own_id: string | null): Inbound | undefined {
  const blocks = blocksOf(delivery_status ?? '')
  const failures = blocks.map(failureOf).filter((failure) => failure !== undefined)
  if (failures.length === 0) return undefined
  const envelopes = blocks.flatMap((fields) => messageIds(fromXtext(fieldOf(fields, 'original-envelope-id') ?? '')))
  const ids = distinct([...envelopes, ...returnedIds(fieldsOf(returned ?? '')), ...threadIds(headers)])
  return { kind: 'bounce', ids, own_id, failures }
}

const bouncers = /^(mailer-daemon|postmaster)@/i
/**
 * What a mail without a report says after the code of an SMTP reply; without an enhanced status code only where a
 * header names the recipients.
 */
const refusal = /\b5\d\d[ -]5\.\d{1,3}\.\d{1,3}\b[^\r\n]{0,300}/
const bareRefusal = /(?:^[ \t]*|: )(5\d\d[ -][^\r\n]{1,300})/m

/**
 * A report of an older server, which is only text (Exim's X-Failed-Recipients, qmail's QSBMF): the copy of the message
 * names it.
 */
function plainBounceOf({ headers, from, text, returned }: ParsedMail, own_id: string | null): Inbound | undefined {
  const failed = fieldOf(headers, 'x-failed-recipients')
  if (failed === undefined && !bouncers.test(from ?? '')) return undefined
  // A section of headers in the text: blank lines and other text are no fields.
  const copied = fieldsOf(text).filter(([name]) => name === 'x-campaign-message' || name === 'message-id')
  const diagnostic = refusal.exec(text)?.[0] ?? (failed === undefined ? '' : (bareRefusal.exec(text)?.[1] ?? ''))
  if (failed === undefined && diagnostic === '') return undefined
  const stated =
    failed?.split(',') ?? [...text.matchAll(/^<([^<>\s]{3,254})>:[ \t]*$/gm)].map(([, address]) => address as string)
  const status = statusIn(diagnostic)
  const failure: Failure = {
    recipients: stated.map(recipientOf),
    status,
    diagnostic: cut(diagnostic, diagnosticMax) || null,
    class: classOf(status, diagnostic),
  }
  const ids = distinct([...returnedIds(fieldsOf(returned ?? '')), ...returnedIds(copied), ...threadIds(headers)])
  return { kind: 'bounce', ids, own_id, failures: [failure] }
}

/** Reports of type `not-spam` and `auth-failure` are no complaints (RFC 5965, 7.3; RFC 6591). */
const complaints = new Set(['abuse', 'fraud', 'opt-out', 'other', 'virus'])

function complaintOf({ headers, feedback_report, returned }: ParsedMail, own_id: string | null): Inbound | undefined {
  const fields = fieldsOf(feedback_report ?? '')
  if (!complaints.has((fieldOf(fields, 'feedback-type') ?? '').toLowerCase())) return undefined
  const envelope = messageIds(fromXtext(fieldOf(fields, 'original-envelope-id') ?? ''))
  return {
    kind: 'complaint',
    ids: distinct([...envelope, ...returnedIds(fieldsOf(returned ?? '')), ...threadIds(headers)]),
    own_id,
  }
}

/** Reports of a type that says nothing about delivery, such as a read receipt (RFC 8098). */
const isReport = (headers: Fields): boolean => /^multipart\/report\b/i.test(fieldOf(headers, 'content-type') ?? '')

/** `own`: the addresses of the mailbox. Null: it is about no message, or a copy of our own mail. */
export function inboundOf(mail: ParsedMail, own: readonly string[]): Inbound | null {
  const { headers, subject, from } = mail
  // Our own message, in a folder of sent mail or as a blind copy. Reports have this header in the returned message
  // only.
  if (fieldOf(headers, 'x-campaign-message') !== undefined) return null
  const own_id = messageIds(fieldOf(headers, 'message-id'))[0] ?? null
  const report = complaintOf(mail, own_id) ?? bounceOf(mail, own_id)
  if (report) return report.ids.length > 0 ? report : null
  if (mail.delivery_status !== null || mail.feedback_report !== null) return null
  const plain = plainBounceOf(mail, own_id)
  if (plain) return plain.ids.length > 0 ? plain : null
  if (isReport(headers) || own.includes(emailForm(from ?? ''))) return null
  const ids = distinct(threadIds(headers))
  return ids.length > 0 ? { kind: isAutomatic(headers, subject) ? 'auto_reply' : 'reply', ids, own_id } : null
}

/**
 * What a report says of the message to `address`; undefined if it states other recipients only. One that states none is
 * about the message that it names.
 */
export const failureFor = (failures: readonly Failure[], address: string): Failure | undefined =>
  failures.find(({ recipients }) => recipients.includes(address)) ??
  failures.find(({ recipients }) => recipients.length === 0)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?=@|$)/i

/** The row id that a Message-ID of ours begins with; null for another id. */
export const rowIdIn = (id: string): string | null => uuid.exec(id)?.[0].toLowerCase() ?? null

/**
 * Queue ids of servers are shorter and can be guessed: a mail that names one would be taken for a reply to another
 * recipient's message.
 */
const UNGUESSABLE = 20

/**
 * The names by which a server may know the message of this id: some say only the local part of the Message-ID that they
 * write (Amazon SES).
 */
export function providerIdsOf(id: string): string[] {
  const local = id.split('@')[0] as string
  return local.length < UNGUESSABLE ? [] : [...new Set([id, local])]
}
