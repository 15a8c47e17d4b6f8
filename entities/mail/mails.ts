// A transactional mail is a row first: it is sent if and only if its transaction commits.
import { createHash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { newId } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import { takeSlot } from '../platform/task-slots.ts'
import { Mail } from './mail.ts'

/** Stored in the row as JSON and sent unchanged. */
export type Message = { to: string; subject: string; text: string; html: string }

export type QueuedMail = Message & {
  kind: string
  tenant_id: string | null
  /** Unix seconds after which it must not be sent. */
  not_after: number | null
}

export async function queueMail(em: EntityManager, { kind, tenant_id, not_after, to, subject, text, html }: QueuedMail, now: number): Promise<string> {
  const request = JSON.stringify({ to, subject, text, html } satisfies Message)
  const fingerprint = createHash('sha256').update(request).digest('hex')
  const { id } = em.create(Mail, { id: newId(), created_at: now, updated_at: now, tenant_id, kind, not_after, fingerprint, request })
  await start(em, 'mail', id, { tenant_id })
  return id
}

/** What a mail of a store's template is rendered from when it is sent. Stored encrypted. */
export type TemplateMail = { to: string; variables: Record<string, unknown> }

type QueuedTemplateMail = Omit<QueuedMail, keyof Message> &
  TemplateMail & {
    tenant_id: string
    template_id: string
    /** Null: the installation's own sender. */
    mailbox_id: string | null
  }

/** Queues an e-mail that is rendered from a template of the store when it is sent, and then frozen; through a mailbox, it may wait for a slot of its store. `now` in Unix seconds. */
export async function queueTemplateMail(em: EntityManager, { to, variables, ...mail }: QueuedTemplateMail, now: number): Promise<string> {
  const params = JSON.stringify({ to, variables } satisfies TemplateMail)
  const fingerprint = createHash('sha256').update(params).digest('hex')
  const { id } = em.create(Mail, { id: newId(), created_at: now, updated_at: now, ...mail, fingerprint, variables: params })
  // The mail server of a store that does not answer holds slots of its store, not those of sign-in codes and other stores.
  const place = { tenant_id: mail.tenant_id, queue: 'mail', kind: 'mail', row_id: id } as const
  if (mail.mailbox_id === null || (await takeSlot(em, place, { id, worker: null }))) await start(em, 'mail', id, { tenant_id: mail.tenant_id })
  return id
}
