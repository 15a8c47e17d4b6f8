// Replies of operators and test messages: written once by the caller's id, and sent by a workflow of their own.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { ATTACHMENTS_BYTES_MAX } from '../../rules/campaigns/campaigns.ts'
import { cut } from '../../rules/excerpts.ts'
import { htmlOf, replySubject } from '../../rules/inbox/replies.ts'
import type { RefundOutcome } from '../../rules/payments/payments.ts'
import { conflict, invalidInput, notFound } from '../../rules/refusal.ts'
import { type Decision, needsAttention, resolved } from '../../rules/resolutions.ts'
import { saidOn } from '../../rules/spelling.ts'
import { Campaign } from '../campaigns/campaign.ts'
import { Enrollment } from '../campaigns/enrollment.ts'
import { mailboxFaults, startDispatch, storeFaults } from '../campaigns/launch.ts'
import { Media } from '../content/media.ts'
// Backwards: the reply of an operator ends the sequence of its recipient.
import { endSequences } from '../inbox/unsubscribes.ts'
import { insertion } from '../kit/database/insert.ts'
import { json, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { lockForChange } from '../kit/locked-row.ts'
import { start } from '../kit/outbox.ts'
import { keepReplaced } from '../kit/replaced.ts'
import { concludeAgain } from '../kit/resolution.ts'
import { takeSlot } from '../platform/task-slots.ts'
import { type Attachment, CampaignMessage } from './campaign-message.ts'
import { campaignMessageEffect, placeOf } from './campaign-messages.ts'
import { messagesSettled } from './completion.ts'
import { type Content, packContent } from './content.ts'

type NewMessage = Pick<CampaignMessage, 'campaign_id' | 'kind' | 'mailbox_id' | 'address' | 'subject'> & {
  enrollment_id: string | null
  step: number | null
  template_id: string | null
  variables: string | null
  attachments: Attachment[]
  message_id: string
  fingerprint: string
  content: Content
}

/**
 * Writes a message. Null if the store has used the `message_id`: of two concurrent requests the second one waits for
 * the first.
 */
async function writeMessage(
  em: EntityManager,
  tenantId: string,
  { content, ...message }: NewMessage,
  now: number,
): Promise<CampaignMessage | null> {
  const id = newId()
  const row = {
    ...message,
    id,
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    try: 1,
    status: 'requested' as const,
    attempt: 0,
  }
  const written: unknown[] = await em.execute(sql`
    ${insertion(em, CampaignMessage, { ...row, content: packContent(content, null) })}
    on conflict (tenant_id, message_id) where message_id is not null do nothing
    returning id
  `)
  if (written.length === 0) return null
  // The mail server of a store that does not answer holds slots of its store, not those of others.
  if (await takeSlot(em, placeOf(tenantId, id), { id, worker: null }))
    await start(em, 'campaign_message', id, { tenant_id: tenantId, awaited: true, signal: false })
  return em.findOneOrFail(CampaignMessage, { id })
}

/** The files, as they are now. 422 for unknown ones, and for more than 10 MiB. */
async function attachmentsOf(em: EntityManager, mediaIds: readonly string[]): Promise<Attachment[]> {
  if (mediaIds.length === 0) return []
  const found = new Map(
    (await em.find(Media, { id: { $in: [...mediaIds] }, status: 'ready' })).map((media) => [media.id, media]),
  )
  const missing = mediaIds.flatMap((id, n) =>
    found.has(id)
      ? []
      : [
          {
            pointer: `/attachments/${n}/media_id`,
            code: 'file_unknown',
            detail: 'The {store} has no such file that is ready.',
          },
        ],
  )
  if (missing.length > 0) throw invalidInput(missing)
  const attachments = mediaIds.map((id) => {
    const { name, mime_type, size, digest } = found.get(id) as Media
    return { media_id: id, name, mime_type, size, digest }
  })
  if (attachments.reduce((sum, { size }) => sum + size, 0) > ATTACHMENTS_BYTES_MAX)
    throw invalidInput([{ pointer: '/attachments', code: 'too_big', detail: 'Expected at most 10 MiB of files.' }])
  return attachments
}

/** The subject of the latest message of the thread, of either side. */
async function threadSubject(em: EntityManager, tenantId: string, enrollmentId: string): Promise<string | null> {
  const [latest]: { subject: string }[] = await em.execute(sql`
    select subject
    from (
      select subject, created_at
      from inbound_mails
      where tenant_id = ${tenantId} and enrollment_id = ${enrollmentId} and kind = 'reply'
      union all
      select subject, created_at
      from campaign_messages
      where tenant_id = ${tenantId} and enrollment_id = ${enrollmentId} and subject is not null
    ) subjects
    order by created_at desc
    limit 1
  `)
  return latest?.subject ?? null
}

export type Reply = {
  message_id: string
  subject?: string | undefined
  body: string
  html?: string | undefined
  attachments: readonly { media_id: string }[]
}

/** Locks the campaign and the enrollment. 404. */
export async function lockEnrollment(em: EntityManager, tenantId: string, id: string): Promise<Enrollment> {
  // Campaigns are locked before enrollments: the reply may end the campaign.
  await em.execute(sql`
    select c.id
    from campaigns c
    join enrollments n on n.campaign_id = c.id and n.tenant_id = c.tenant_id
    where n.tenant_id = ${tenantId} and n.id = ${id}
    for no key update of c
  `)
  const enrollment = await em.findOne(Enrollment, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!enrollment) throw notFound('enrollment')
  return enrollment
}

/**
 * Writes a reply to the recipient, and ends an active enrollment as `replied`. Null if the store has used the
 * `message_id`. 422 for its attachments. `now` in Unix seconds.
 */
export async function requestReply(
  em: EntityManager,
  { id, tenant_id, campaign_id, address, mailbox_id }: Enrollment,
  reply: Reply & { fingerprint: string },
  now: number,
): Promise<CampaignMessage | null> {
  const campaign = await em.findOneOrFail(Campaign, { id: campaign_id })
  const attachments = await attachmentsOf(
    em,
    reply.attachments.map(({ media_id }) => media_id),
  )
  const message = await writeMessage(
    em,
    tenant_id,
    {
      ...{
        campaign_id,
        enrollment_id: id,
        kind: 'reply',
        step: null,
        template_id: null,
        variables: null,
        address,
        attachments,
      },
      ...{
        message_id: reply.message_id,
        fingerprint: reply.fingerprint,
        mailbox_id: mailbox_id ?? (campaign.mailbox_ids[0] as string),
      },
      subject: reply.subject ?? replySubject((await threadSubject(em, tenant_id, id)) ?? campaign.name),
      content: { html: reply.html ?? htmlOf(reply.body), text: reply.body },
    },
    now,
  )
  if (message) await endSequences(em, tenant_id, [id], { from: ['active'], to: 'replied' }, now)
  return message
}

/**
 * Requests a test message. Null if the store has used the `message_id`. `rendered`: the step with the variables of an
 * enrollment or of the campaign. `now` in Unix seconds.
 */
export const requestTest = (
  em: EntityManager,
  campaign: Campaign,
  test: {
    message_id: string
    fingerprint: string
    step: number
    to: string
    mailbox_id: string
    template_id: string
    variables: Record<string, unknown>
  },
  rendered: Content & { subject: string },
  now: number,
): Promise<CampaignMessage | null> => {
  const { message_id, fingerprint, step, to: address, mailbox_id, template_id } = test
  const same = {
    campaign_id: campaign.id,
    enrollment_id: null,
    kind: 'test' as const,
    attachments: [],
    variables: JSON.stringify(test.variables),
  }
  const { subject, html, text } = rendered
  const marked = cut(`[Test] ${subject}`, 500)
  return writeMessage(
    em,
    campaign.tenant_id,
    {
      ...same,
      message_id,
      fingerprint,
      step,
      address,
      mailbox_id,
      template_id,
      subject: marked,
      content: { html, text },
    },
    now,
  )
}

/**
 * Records what an owner found out about an unknown message, or corrects it. After `succeeded` its sequence continues,
 * also in a campaign that was completed meanwhile; after `rejected` the enrollment has failed, unless its next step was
 * written. Returned as it is if it has this outcome already. 404; 409 message_not_unknown, contradicts_evidence,
 * resolved_otherwise, resolved_too_often. `now` in Unix seconds.
 */
export async function resolveMessage(
  em: EntityManager,
  id: string,
  decision: Decision<RefundOutcome>,
  now: number,
): Promise<CampaignMessage> {
  const row = await em.findOne(CampaignMessage, { id })
  if (!row) throw notFound('message')
  const campaign = await lockForChange(em, Campaign, row.campaign_id, 'campaign')
  if (row.enrollment_id)
    await em.findOneOrFail(Enrollment, { id: row.enrollment_id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  const message = await em.findOneOrFail(
    CampaignMessage,
    { id },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  )
  const { status, resolution, evidence, late_evidence } = message
  if (resolution?.outcome === decision.outcome && status === decision.outcome && !needsAttention(message))
    return message
  const before =
    status === 'unknown' || (resolution && (status === 'succeeded' || status === 'rejected')) ? status : null
  if (!before)
    throw conflict('message_not_unknown', `The message is ${status}. Only an unknown message can be resolved.`)
  const outcome = resolved(decision, [evidence, late_evidence], resolution, now)
  await keepReplaced(em, campaignMessageEffect.table, id)
  em.assign(message, {
    status: decision.outcome,
    resolution: outcome,
    settled_at: new Date(now * 1000),
    updated_at: now,
  })
  await em.flush()
  if (before !== decision.outcome) await messagesSettled(em, [id], before)
  await resumeCompleted(em, campaign, now)
  await concludeAgain(em, campaignMessageEffect, id)
  return em.refreshOrFail(message)
}

/**
 * A completed campaign that has an active enrollment again continues. It is paused if its store or one of its mailboxes
 * was archived or deleted meanwhile.
 */
async function resumeCompleted(em: EntityManager, campaign: Campaign, now: number): Promise<void> {
  const wasCompleted = campaign.status === 'completed'
  const [fault] = wasCompleted ? [...(await storeFaults(em, campaign)), ...(await mailboxFaults(em, campaign))] : []
  const reason = fault ? { code: fault.code, message: saidOn('store', fault.detail) } : null
  const [active]: unknown[] = await em.execute(sql`
    update campaigns c
    set status = case when c.status = 'completed' then ${reason ? 'paused' : 'running'} else c.status end,
      paused_reason = case when c.status = 'completed' then ${json(reason)} else c.paused_reason end,
      ended_at = case when c.status = 'completed' then null else c.ended_at end, updated_at = ${now}
    where c.tenant_id = ${campaign.tenant_id}
      and c.id = ${campaign.id}
      and c.status in ('completed', 'running')
      and exists (select 1 from enrollments n where n.campaign_id = c.id and n.status = 'active')
    returning c.id
  `)
  if (active && !reason) await startDispatch(em, campaign)
}
