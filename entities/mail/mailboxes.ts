// Passwords of a mailbox are sent only to the host that they were entered for, and a mailbox that campaigns use is
// neither archived nor deleted.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { exceptions } from '../../rules/input/ip-addresses.ts'
import type { Imap, MailboxLimits, Smtp } from '../../rules/mail/mailboxes.ts'
import { conflict, invalid, notFound } from '../../rules/refusal.ts'
import type { ArchivableStatus } from '../../rules/shapes.ts'
import { startInbox } from '../inbox/inbox.ts'
import { sql } from '../kit/database/sql.ts'
import { arrayOf, newId } from '../kit/ids.ts'
import { flushKeyed } from '../kit/keys.ts'
import { lockForChange } from '../kit/locked-row.ts'
import { start } from '../kit/outbox.ts'
import { Mailbox } from './mailbox.ts'

type Fields = {
  key: string
  email: string
  name?: string | null | undefined
  reply_to?: string | null | undefined
  status?: ArchivableStatus | undefined
  limits?: { [Name in keyof MailboxLimits]?: MailboxLimits[Name] | undefined } | undefined
}
export type MailboxInput = Fields & { smtp: Smtp; imap?: Imap | null | undefined }
export type InboundSecret = { inbound_secret: string; inbound_digest: string }

/** Refuses a password without TLS. 422 password_unencrypted. */
function refuseUnencrypted(pointer: string, { host, security }: Pick<Imap, 'host' | 'security'>): void {
  const { host: named, address } = exceptions(config.egressAllow)
  if (security === 'none' && !named(host) && !address(host))
    throw invalid(
      pointer,
      'password_unencrypted',
      'A password is sent over an encrypted connection only, unless EGRESS_ALLOW names the host.',
    )
}

const passwordRequired = (pointer: string) => invalid(pointer, 'required', 'Required with a new host or username.')

/**
 * The columns of an SMTP account. A password that was left out is kept if host and username stay the same. 422
 * password_unencrypted, required.
 */
function smtpColumns({ host, port, security, username = null, password }: Smtp, before?: Mailbox) {
  if (username !== null) refuseUnencrypted('/smtp/security', { host, security })
  const stored = before && before.smtp_host === host && before.smtp_username === username ? before.smtp_password : null
  const secret = username === null ? null : (password ?? stored)
  if (username !== null && !secret) throw passwordRequired('/smtp/password')
  return {
    smtp_host: host,
    smtp_port: port,
    smtp_security: security,
    smtp_username: username,
    smtp_password: secret ?? null,
  }
}

/**
 * The columns of an IMAP account; null removes it. Another account or folder is read from its newest message on. 422
 * password_unencrypted, required.
 */
function imapColumns(imap: Imap | null, before?: Mailbox) {
  const nowhere = {
    imap_uid_validity: null,
    imap_uid: null,
    imap_checked_at: null,
    imap_read_at: null,
    imap_error: null,
  }
  const none = {
    imap_host: null,
    imap_port: null,
    imap_security: null,
    imap_username: null,
    imap_password: null,
    imap_folder: null,
  }
  if (imap === null) return { ...none, ...nowhere }
  const { host, port, security, username, password, folder } = imap
  refuseUnencrypted('/imap/security', imap)
  const same = before?.imap_host === host && before.imap_username === username
  const secret = password ?? (same ? before.imap_password : null)
  if (!secret) throw passwordRequired('/imap/password')
  const columns = {
    imap_host: host,
    imap_port: port,
    imap_security: security,
    imap_username: username,
    imap_password: secret,
    imap_folder: folder,
  }
  return same && before.imap_folder === folder ? { ...columns, imap_error: null } : { ...columns, ...nowhere }
}

/**
 * Refuses a change of a mailbox in use. 409 mailbox_in_use if campaigns in one of these states send over it. The
 * mailbox is locked: none is launched meanwhile.
 */
async function refuseWhileUsed(
  em: EntityManager,
  { id, tenant_id }: Pick<Mailbox, 'id' | 'tenant_id'>,
  states: readonly string[],
  advice: string,
): Promise<void> {
  const rows: { id: string }[] = await em.execute(sql`
    select id
    from campaigns
    where tenant_id = ${tenant_id} and status = any (${arrayOf(states)}::text[]) and jsonb_exists(mailbox_ids, ${id})
    order by id
    limit 100
  `)
  if (rows.length === 0) return
  throw conflict('mailbox_in_use', `Campaigns send over the mailbox. ${advice}`, {
    members: { campaigns: rows.map((row) => row.id) },
  })
}

/** Creates a mailbox. 409 key_taken; 422 password_unencrypted, required. `now` in Unix seconds. */
export async function createMailbox(
  em: EntityManager,
  tenantId: string,
  input: MailboxInput,
  secret: InboundSecret,
  now: number,
): Promise<Mailbox> {
  const { smtp, imap = null, limits = {}, ...given } = input
  const row = { id: newId(), tenant_id: tenantId, created_at: now, updated_at: now }
  const columns = { ...given, limits, ...secret, ...smtpColumns(smtp), ...imapColumns(imap) }
  const mailbox = em.create(Mailbox, { ...row, ...columns }) as Mailbox
  await flushKeyed(em, 'mailbox')
  if (imap) await startInbox(em, mailbox)
  return mailbox
}

/** What its server refused is forgotten with another account: the next attempt is due at once. */
export const untroubled = {
  sending_error: null,
  sending_failed_since: null,
  sending_failures: 0,
  sending_again_at: null,
}

/**
 * Updates a mailbox. Fields that are left out stay. 404; 409 key_taken, mailbox_in_use; 422 password_unencrypted,
 * required. `now` in Unix seconds.
 */
export async function updateMailbox(
  em: EntityManager,
  id: string,
  { smtp, imap, ...given }: Partial<MailboxInput>,
  now: number,
): Promise<Mailbox> {
  const mailbox = await lockForChange(em, Mailbox, id, 'mailbox')
  if (given.status === 'archived' && mailbox.status !== 'archived')
    await refuseWhileUsed(em, mailbox, ['scheduled', 'running'], 'Pause or cancel them first.')
  // Another account is tried at once; so is what rests because its day was used up, if the limits are others.
  const rests = given.limits !== undefined && mailbox.sending_error === null && mailbox.sending_again_at !== null
  const waits = (smtp && mailbox.sending_error) || rests
  // The workflow also starts for an inbox that is removed: its process ends.
  const hasInbox = imap !== undefined && (imap !== null || mailbox.imap_host)
  const columns = {
    ...(smtp ? { ...smtpColumns(smtp, mailbox), ...untroubled } : {}),
    ...(rests ? { sending_again_at: null } : {}),
    ...(imap === undefined ? {} : imapColumns(imap, mailbox)),
  }
  em.assign(mailbox, { ...given, ...columns, updated_at: now })
  await flushKeyed(em, 'mailbox')
  if (hasInbox) await startInbox(em, mailbox)
  if (waits) await start(em, 'dispatch', id, { tenant_id: mailbox.tenant_id })
  return mailbox
}

/** Replaces the secret of the address for received mail; the former address stops working. 404. */
export async function replaceInboundSecret(
  em: EntityManager,
  id: string,
  secret: InboundSecret,
  now: number,
): Promise<Mailbox> {
  // The former secret is not read: it may be one that no key decrypts.
  if ((await em.nativeUpdate(Mailbox, { id }, { ...secret, updated_at: now })) === 0) throw notFound('mailbox')
  return em.findOneOrFail(Mailbox, { id })
}

/** Deletes a mailbox with its passwords. 404; 409 mailbox_in_use. */
export async function removeMailbox(em: EntityManager, tenantId: string, id: string): Promise<void> {
  // Campaigns that begin to use the mailbox lock it `for share`: they wait, and find none.
  await em.execute(sql`select 1 from mailboxes where tenant_id = ${tenantId} and id = ${id} for update`)
  await refuseWhileUsed(em, { id, tenant_id: tenantId }, ['scheduled', 'running', 'paused'], 'Cancel them first.')
  if ((await em.nativeDelete(Mailbox, { id })) === 0) throw notFound('mailbox')
}
