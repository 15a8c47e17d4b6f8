// A transactional mail is a row first: it is sent if and only if its transaction commits.
import { createHash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import { type Place, takeSlot } from '../platform/task-slots.ts'
import { Mail } from './mail.ts'

/** Stored in the row as JSON and sent unchanged. */
export type Message = { to: string; subject: string; text: string; html: string }

export type QueuedMail = Message & {
  kind: string
  tenant_id: string | null
  /** Unix seconds after which it must not be sent. */
  not_after: number | null
}

export async function queueMail(
  em: EntityManager,
  { kind, tenant_id, not_after, to, subject, text, html }: QueuedMail,
  now: number,
): Promise<string> {
  const request = JSON.stringify({ to, subject, text, html } satisfies Message)
  const fingerprint = createHash('sha256').update(request).digest('hex')
  const { id } = em.create(Mail, {
    id: newId(),
    created_at: now,
    updated_at: now,
    tenant_id,
    kind,
    not_after,
    fingerprint,
    request,
  })
  await start(em, 'mail', id, { tenant_id, signal: false })
  return id
}

/** What a mail of a store's template is rendered from when it is sent. Stored encrypted. */
export type TemplateMail = { to: string; variables: Record<string, unknown> }

type QueuedTemplateMail = Omit<QueuedMail, keyof Message> &
  TemplateMail & {
    tenant_id: string
    template_id: string
    mailbox_id: string
  }

const placeOf = (tenant_id: string, id: string): Place => ({ tenant_id, queue: 'mail', kind: 'mail', row_id: id })

/** Where a mail through a mailbox takes its slot, if it is to be sent and holds none; undefined for others. */
export async function unslotted(em: EntityManager, id: string): Promise<Place | undefined> {
  const [found]: { tenant_id: string }[] = await em.execute(sql`
    select tenant_id
    from mails e
    where id = ${id}
      and mailbox_id is not null
      and status = 'requested'
      and coalesce(due_at, clock_timestamp()) <= clock_timestamp()
      and not exists (select 1 from task_slots s where s.id = e.id and s.tenant_id = e.tenant_id and s.granted)
  `)
  return found && placeOf(found.tenant_id, id)
}

/**
 * Queues an e-mail that is rendered from a template of the store when it is sent, through a mailbox of the store, and
 * then frozen; it may wait for a slot of its store. `now` in Unix seconds.
 */
export async function queueTemplateMail(
  em: EntityManager,
  { to, variables, ...mail }: QueuedTemplateMail,
  now: number,
): Promise<string> {
  const params = JSON.stringify({ to, variables } satisfies TemplateMail)
  const fingerprint = createHash('sha256').update(params).digest('hex')
  const { id } = em.create(Mail, {
    id: newId(),
    created_at: now,
    updated_at: now,
    ...mail,
    fingerprint,
    variables: params,
  })
  // The mail server of a store that does not answer holds slots of its store, not those of sign-in codes and other
  // stores.
  if (await takeSlot(em, placeOf(mail.tenant_id, id), { id, worker: null }))
    await start(em, 'mail', id, { tenant_id: mail.tenant_id, signal: false })
  return id
}
