// One read of the inbox of a mailbox: stores and applies the mail that is about its campaign messages.
import { createHash } from 'node:crypto'
import { Context } from '@temporalio/activity'
import { unixNow } from '../../adapters/clock.ts'
import { log } from '../../adapters/log.ts'
import { MailUnreadable, parseMail } from '../../adapters/mail-parser.ts'
import { receiveMail } from '../../entities/inbox/inbound.ts'
import { type Inbox, noteInboxError, noteRead, noteSlowness, readInboxSettings } from '../../entities/inbox/inbox.ts'
import { INBOX_IDLE_S, pauseMs, readLimitMs, slowReads } from '../../rules/inbox/inbox-reads.ts'
import { statement, transaction } from '../kit/database.ts'
import { draining } from '../kit/once.ts'
import { EgressError } from '../providers/egress-guard.ts'
import { type Folder, ImapError, inFolder } from '../providers/imap.ts'
import { newPermits } from '../providers/smtp-pool.ts'

/**
 * The bytes that are read of a longer message, which have its headers and first parts: the memory of a worker for each
 * inbox is bounded. Bytes.
 */
const beginning = 1_048_576
const messagesMax = 100
/**
 * Inboxes that a process reads at once, half of them of one account, in turns of the accounts and their stores: servers
 * that hang do not keep others waiting.
 */
const permits = newPermits(16, 8)

/** Stores and applies one message. One that cannot be read is skipped. */
async function take(inbox: Inbox, folder: Folder, uid: number): Promise<void> {
  const read = await folder.read(uid, beginning)
  if (!read) return
  const about = { mailbox: inbox.id, tenant: inbox.tenant_id, uid }
  if (read.length === beginning) log.info(about, 'only the beginning of an inbound mail was read')
  try {
    const mail = await parseMail(read, { account: inbox.account_id, tenant: inbox.tenant_id })
    const digest = createHash('sha256').update(read).digest('hex')
    const kind = await transaction((em) => receiveMail(em, inbox, { mail, digest }, unixNow()), inbox.tenant_id)
    if (kind) log.info({ ...about, kind }, 'inbound mail')
  } catch (error) {
    if (!(error instanceof MailUnreadable)) throw error
    log.warn({ ...about, err: { message: error.message } }, 'an inbound mail was skipped')
  }
}

/** Messages that a read has taken. */
type Counted = { messages: number }

/**
 * Takes these messages, in their order, from the position `uid` on, and notes how far. False: the worker is stopping
 * before the last one.
 */
async function takeAll(
  inbox: Inbox,
  folder: Folder,
  uids: readonly number[],
  { uid, end, more }: { uid: number; end: number; more: boolean },
  counted: Counted,
): Promise<boolean> {
  let at = uid
  let isDone = false
  try {
    for (const next of uids) {
      if (draining.now) return false
      await take(inbox, folder, next)
      counted.messages++
      at = next
    }
    isDone = true
    at = Math.max(at, end)
  } finally {
    // A read that failed halfway is noted as well: mail that was stored is not read a second time.
    await statement((em) =>
      noteRead(em, inbox, { uid_validity: folder.uid_validity, uid: at, whole: isDone && !more }, unixNow()),
    )
  }
  return isDone
}

/** Servers keep the dates of messages in zones of their own. */
const dayS = 86_400
/**
 * What is read again where the last whole read is not known: of a mailbox that has had an error since before the
 * upgrade.
 */
const unknownReadS = 30 * dayS
const replaced = {
  code: 'imap_uid_validity',
  message: 'The server has replaced the folder. What came since the day before the last read is read again.',
}

/**
 * The server has moved or restored the folder: its UIDs say nothing about the old ones. Messages since the day before
 * the last read are looked at; what was taken before is not stored twice. A server that replaces the folder with each
 * session is read in this way each time.
 */
async function readReplaced(inbox: Inbox, folder: Folder, counted: Counted): Promise<boolean> {
  const now = unixNow()
  await statement((em) => noteInboxError(em, inbox, replaced, now))
  const uids = await folder.since(new Date(((inbox.read_at ?? now - unknownReadS) - dayS) * 1_000))
  const end = folder.uid_next - 1
  return !(await takeAll(inbox, folder, uids, { uid: (uids[0] ?? folder.uid_next) - 1, end, more: false }, counted))
}

/** Reads what is new. True: more is left. */
async function readNew(inbox: Inbox, folder: Folder, counted: Counted): Promise<boolean> {
  const { uid_validity, uid_next } = folder
  // The first read begins at now.
  if (inbox.uid === null)
    return !(await takeAll(inbox, folder, [], { uid: uid_next - 1, end: uid_next - 1, more: false }, counted))
  if (inbox.uid_validity !== uid_validity) return readReplaced(inbox, folder, counted)
  const { uids, more, until } = await folder.after(inbox.uid, messagesMax)
  const isDone = await takeAll(
    inbox,
    folder,
    uids,
    { uid: inbox.uid, end: uids.length === 0 ? until : 0, more },
    counted,
  )
  return more || !isDone
}

/** Milliseconds until the next read; null: the mailbox has no inbox any more. */
async function poll(mailboxId: string): Promise<number | null> {
  const inbox = await statement((em) => readInboxSettings(em, mailboxId, unixNow()))
  if (!inbox) return null
  const release = await permits.acquire({ account: inbox.account_id, tenant: inbox.tenant_id })
  const since = performance.now()
  const counted = { messages: 0 }
  const slowness = async (): Promise<number> => {
    const slow = slowReads(inbox.slow, performance.now() - since, counted.messages)
    if (slow !== inbox.slow) await statement((em) => noteSlowness(em, inbox, slow))
    return slow
  }
  try {
    const endBy = since + readLimitMs(inbox.slow, permits.isScarce())
    const mailLeft = await inFolder(inbox.imap, endBy, (folder) => readNew(inbox, folder, counted))
    return pauseMs(inbox.awaits_mail, await slowness(), mailLeft)
  } catch (error) {
    if (!(error instanceof ImapError || error instanceof EgressError)) throw error
    const { code, message } = error
    await statement((em) => noteInboxError(em, inbox, { code, message }, unixNow()))
    // Servers lock accounts after some failed attempts.
    return code === 'imap_sign_in' ? INBOX_IDLE_S * 1_000 : pauseMs(inbox.awaits_mail, await slowness())
  } finally {
    release()
  }
}

/** Reads the inbox of a mailbox once. `wait_ms`: until the next read; null: there is no inbox to read. */
export async function pollInbox(mailboxId: string): Promise<{ wait_ms: number | null }> {
  const beat = setInterval(() => Context.current().heartbeat(), 1_000)
  Context.current().cancelled.catch(() => {})
  try {
    return { wait_ms: await poll(mailboxId) }
  } finally {
    clearInterval(beat)
  }
}
