// Mail that came into a mailbox: what is about one of its campaign messages is stored and applied once, in one
// transaction. Other mail is not stored.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { InboundKind } from '../../rules/campaigns/campaigns.ts'
import {
  type Failure,
  failureFor,
  inboundOf,
  type ParsedMail,
  providerIdsOf,
  rowIdIn,
} from '../../rules/inbox/inbound.ts'
import { storable } from '../../rules/input/storable.ts'
import { insertion } from '../kit/database/insert.ts'
import { json, type Sql, sql } from '../kit/database/sql.ts'
import { newId, uuids } from '../kit/ids.ts'
import { accountOf } from '../stores/tenant-owner.ts'
import { applyBounces, applyComplaint, counted, endEnrollments, lateEvidence, lockCampaigns } from './bounces.ts'
import type { InboundBox } from './inbound-box.ts'
import { InboundMail } from './inbound-mail.ts'

/** `digest`: SHA-256 of the mail as it came, in hexadecimal. */
export type Received = { mail: ParsedMail; digest: string }

type Found = { id: string; enrollment_id: string | null; address: string; provider_message_id: string | null }

/** The mailbox with the address that its mail is posted to; null: there is none, or its store is archived. */
export async function mailboxOfSecret(em: EntityManager, secretDigest: string): Promise<InboundBox | null> {
  const [box]: InboundBox[] = await em.execute(sql`
    select m.id, m.tenant_id, ${accountOf(sql`m.tenant_id`)} as account_id, m.email, m.reply_to
    from mailboxes m
    join tenants t on t.id = m.tenant_id
    where m.inbound_digest = ${secretDigest} and t.status <> 'ARCHIVED'
  `)
  return box ?? null
}

/**
 * The messages with these ids: those of the store by their own id, as the replies of all mailboxes may come in over
 * one; by the id of a provider, which need not be unique, those of the mailbox. Two index searches.
 */
function findMessages(em: EntityManager, { id, tenant_id }: InboundBox, ids: readonly string[]): Promise<Found[]> {
  const rows = ids.map(rowIdIn).filter((row) => row !== null)
  const texts = ids.flatMap(providerIdsOf)
  const where = (condition: Sql) => sql`
    select m.id, m.enrollment_id, m.address, m.provider_message_id
    from campaign_messages m
    where m.tenant_id = ${tenant_id} and ${condition}
  `
  const byProvider = sql`
    m.mailbox_id = ${id} and m.provider_message_id in (select jsonb_array_elements_text(${json(texts)}))
  `
  return em.execute(sql`${where(sql`m.id = any (${uuids(rows)})`)} union ${where(byProvider)}`)
}

/** The message that an id names. An id of a provider that names several names none. */
function named(found: readonly Found[], id: string): Found | undefined {
  const row = rowIdIn(id)
  const own = found.find((one) => one.id === row)
  if (own) return own
  const names = providerIdsOf(id)
  const others = found.filter(({ provider_message_id: known }) => known !== null && names.includes(known))
  return others.length === 1 ? others[0] : undefined
}

/** Mails of an enrollment whose content is kept: who has the id of a message could fill the database. */
const CONTENTS_MAX = 100

/** Whether the content of another mail of the enrollment is kept, or to a test message. */
async function hasRoom(em: EntityManager, tenantId: string, { id, enrollment_id }: Found): Promise<boolean> {
  const same = enrollment_id === null ? sql`campaign_message_id = ${id}` : sql`enrollment_id = ${enrollment_id}`
  const [found]: { count: number }[] = await em.execute(sql`
    select count(*)::int as count
    from (select 1 from inbound_mails where tenant_id = ${tenantId} and ${same} limit ${CONTENTS_MAX}) i
  `)
  return (found?.count ?? 0) < CONTENTS_MAX
}

/** Writes the mail. False: it is stored already; a concurrent transaction that stores the same one is waited for. */
async function store(
  em: EntityManager,
  box: InboundBox,
  { mail, digest }: Received,
  kind: InboundKind,
  about: Found,
  messageId: string | null,
  now: number,
): Promise<boolean> {
  const { text, html, attachments } = (await hasRoom(em, box.tenant_id, about))
    ? mail
    : { text: null, html: null, attachments: [] }
  const row = {
    ...{ id: newId(), tenant_id: box.tenant_id, created_at: now, updated_at: now, mailbox_id: box.id, digest, kind },
    ...{ enrollment_id: about.enrollment_id, campaign_message_id: about.id, received_at: now },
    ...(storable({ from: mail.from, subject: mail.subject, message_id: messageId }) as {
      from: string | null
      subject: string
      message_id: string | null
    }),
    content: JSON.stringify({ text, html, attachments }),
  }
  const rows: unknown[] = await em.execute(sql`
    ${insertion(em, InboundMail, row)}
    on conflict (mailbox_id, digest) do nothing
    returning tenant_id
  `)
  return rows.length > 0
}

/**
 * The first reply to a message is counted. `stop_on_reply` of the campaign ends the enrollment, also one whose message
 * is unknown: it continues no more when that is resolved.
 */
async function applyReply(em: EntityManager, tenantId: string, { id }: Found, now: number): Promise<void> {
  const [campaign]: { stop_on_reply: boolean }[] = await lockCampaigns(em, tenantId, [id])
  if (campaign?.stop_on_reply)
    await endEnrollments(em, tenantId, [id], { from: ['active', 'unknown'], to: 'replied' }, now)
  await em.execute(sql`
    with marked_messages as (
      update campaign_messages m
      set updated_at = ${now}, ${lateEvidence('reply', now)}
      where m.tenant_id = ${tenantId} and m.id = ${id}
      returning m.campaign_id, m.step, m.mailbox_id,
        case
          when (select count(*) from inbound_mails i where i.campaign_message_id = m.id and i.kind = 'reply') > 1
            then 'again'
          else m.kind
        end as kind
    )
    ${counted('replied')}
  `)
}

/**
 * What a server that keeps trying said; an automatic reply proves as much as a bounce that the message was accepted.
 */
const note = (
  em: EntityManager,
  tenantId: string,
  { id }: Found,
  came: 'bounce' | 'auto_reply',
  failure: Failure | null,
  now: number,
) =>
  em.execute(sql`
    update campaign_messages m
    set ${lateEvidence(came, now)},
      bounce = case
        when m.bounced_at is null then coalesce(${json(failure && bounceOf(failure))}, m.bounce)
        else m.bounce
      end,
      updated_at = ${now}
    where m.tenant_id = ${tenantId} and m.id = ${id}
  `)

const bounceOf = ({ status, diagnostic, class: kind }: Failure) => ({ status, diagnostic, class: kind })

/**
 * Stores and applies a mail that is about a message of the mailbox's store. Returns what it is, or null: it is about
 * none, a copy of our own, states another recipient than the message's, or was stored before. A mail that names no
 * message needs no statement. `now` in Unix seconds.
 */
export async function receiveMail(
  em: EntityManager,
  box: InboundBox,
  received: Received,
  now: number,
): Promise<InboundKind | null> {
  const inbound = inboundOf(
    received.mail,
    [box.email, box.reply_to].flatMap((address) => address ?? []),
  )
  if (!inbound) return null
  const { ids, own_id, kind } = inbound
  const found = await findMessages(em, box, own_id === null ? ids : [...ids, own_id])
  if (own_id !== null && named(found, own_id)) return null
  const about = ids.map((id) => named(found, id)).find((message) => message !== undefined)
  if (!about) return null
  const failure = kind === 'bounce' ? failureFor(inbound.failures, about.address) : null
  if (failure === undefined) return null
  if (!(await store(em, box, received, kind, about, own_id, now))) return null
  const { tenant_id } = box
  if (kind === 'reply') await applyReply(em, tenant_id, about, now)
  else if (kind === 'complaint') await applyComplaint(em, tenant_id, about.id, now)
  else if (failure === null || failure.class === 'delayed')
    await note(em, tenant_id, about, failure ? 'bounce' : 'auto_reply', failure, now)
  else
    await applyBounces(
      em,
      tenant_id,
      [{ id: about.id, status: failure.status, diagnostic: failure.diagnostic, class: failure.class }],
      now,
    )
  return kind
}
