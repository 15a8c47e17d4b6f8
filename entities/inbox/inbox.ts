// How far the inbox of a mailbox is read, and what came in between.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { z } from 'zod'
import { INBOX_IDLE_S } from '../../rules/inbox/inbox-reads.ts'
import type { ServerSecurity } from '../../rules/mail/mailboxes.ts'
import { json, sql, text } from '../kit/database/sql.ts'
import type { EffectError } from '../kit/effect-columns.ts'
import { decrypt } from '../kit/encrypted.ts'
import { lateRows } from '../kit/late-rows.ts'
import { start } from '../kit/outbox.ts'
import { accountOf } from '../stores/tenant-owner.ts'
import type { InboundBox } from './inbound-box.ts'

/**
 * Starts reading the inbox of a mailbox, or reads it now, with its present settings. To be called by each change of
 * them.
 */
export const startInbox = (em: EntityManager, { id, tenant_id }: { id: string; tenant_id: string }): Promise<void> =>
  start(em, 'inbox', id, { tenant_id })

type Security = z.infer<typeof ServerSecurity>

/** `awaits_mail`: it sent a campaign message within two days. `read_at`: when everything was read, in Unix seconds. */
export type Inbox = InboundBox & {
  imap: { host: string; port: number; security: Security; username: string; password: string; folder: string }
  uid_validity: number | null
  uid: number | null
  read_at: number | null
  awaits_mail: boolean
  /** Reads in a row that its server took long for. */
  slow: number
}

type Row = InboundBox & {
  imap_host: string
  imap_port: number
  imap_security: Inbox['imap']['security']
  imap_username: string
  imap_password: string
  imap_folder: string | null
  uid_validity: string | null
  uid: string | null
  read_at: string | null
  awaits_mail: boolean
  slow: number
}

/** Whether the mailbox `m` has an inbox, and its store is not archived. */
const inboxOf = (m: string) =>
  text(`${m}.imap_host is not null and ${m}.imap_username is not null and ${m}.imap_password is not null
  and exists (select 1 from tenants t where t.id = ${m}.tenant_id and t.status <> 'ARCHIVED')`)

/** After the last campaign message of a mailbox, its inbox is read often for so many seconds. */
export const AWAITS_MAIL_S = 2 * 86_400

/** Reads the settings of an inbox. Null: the mailbox is deleted, or has no inbox. */
export async function readInboxSettings(em: EntityManager, mailboxId: string, now: number): Promise<Inbox | null> {
  const [row]: Row[] = await em.execute(sql`
    select id, tenant_id, ${accountOf(sql`m.tenant_id`)} as account_id, email, reply_to, imap_slow as slow, imap_host,
      imap_port, imap_security, imap_username, imap_password, imap_folder, imap_uid_validity as uid_validity,
      imap_uid as uid, imap_read_at as read_at, coalesce(sent_at > ${now - AWAITS_MAIL_S}, false) as awaits_mail
    from mailboxes m
    where id = ${mailboxId} and ${inboxOf('m')}
  `)
  if (!row) return null
  const { id, tenant_id, account_id, email, reply_to, uid_validity, uid, read_at, awaits_mail, slow } = row
  const imap = {
    ...{ host: row.imap_host, port: row.imap_port, security: row.imap_security, folder: row.imap_folder ?? 'INBOX' },
    ...{ username: row.imap_username, password: decrypt(row.imap_password) },
  }
  const number = (value: string | null) => (value === null ? null : Number(value))
  return {
    id,
    tenant_id,
    account_id,
    email,
    reply_to,
    slow,
    imap,
    uid_validity: number(uid_validity),
    uid: number(uid),
    read_at: number(read_at),
    awaits_mail,
  }
}

/**
 * The inbox was read: `uid` is the last message that needs no second look, and `whole` that nothing is left. Nothing is
 * written if the settings changed meanwhile, which ended the UIDs.
 */
export const noteRead = (
  em: EntityManager,
  { id, tenant_id, uid_validity: before, imap }: Inbox,
  at: { uid_validity: number; uid: number; whole: boolean },
  now: number,
) =>
  em.execute(sql`
    update mailboxes
    set imap_uid_validity = ${at.uid_validity}, imap_uid = ${at.uid}, imap_checked_at = ${now}, imap_error = null,
      imap_read_at = case when ${at.whole} then ${now}::bigint else imap_read_at end
    where id = ${id}
      and tenant_id = ${tenant_id}
      and imap_host = ${imap.host}
      and imap_username = ${imap.username}
      and coalesce(imap_folder, 'INBOX') = ${imap.folder}
      and imap_uid_validity is not distinct from ${before}
  `)

export const noteInboxError = (em: EntityManager, { id, tenant_id, imap }: Inbox, error: EffectError, now: number) =>
  em.execute(sql`
    update mailboxes
    set imap_error = ${json(error)}, imap_checked_at = ${now}
    where id = ${id} and tenant_id = ${tenant_id} and imap_host = ${imap.host}
  `)

/** The mailboxes whose inbox was not read for twice the longest interval: their workflow is lost. */
export const lateInboxes = lateRows({
  from: sql`mailboxes x`,
  at: 'x.imap_checked_at',
  type: 'bigint',
  where: ({ now }) => sql`${inboxOf('x')} and x.imap_checked_at < ${now - 2 * INBOX_IDLE_S}`,
})

/** Those that were never read. */
export const unreadInboxes = lateRows({
  from: sql`mailboxes x`,
  at: 'x.id',
  type: 'uuid',
  where: ({ now }) => sql`${inboxOf('x')} and x.imap_checked_at is null and x.updated_at < ${now - 2 * INBOX_IDLE_S}`,
})

/** Counts the reads in a row that the server took long for; a read that was not slow sets it to 0. */
export const noteSlowness = (em: EntityManager, { id, tenant_id }: Inbox, slow: number) =>
  em.execute(sql`update mailboxes set imap_slow = ${slow} where id = ${id} and tenant_id = ${tenant_id}`)
