// Sends one campaign message: a reply or a test, each at most once. Messages of steps are sent by the drain of their
// mailbox (dispatch.ts).
import { createHash } from 'node:crypto'
import { unixNow } from '../../adapters/clock.ts'
import { bucket } from '../../adapters/object-storage/object-storage.ts'
import { config } from '../../config.ts'
import { Campaign } from '../../entities/campaigns/campaign.ts'
import { Enrollment } from '../../entities/campaigns/enrollment.ts'
import { servedMedia } from '../../entities/content/media-rows.ts'
import { applyBounces } from '../../entities/inbox/bounces.ts'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { type Attachment, CampaignMessage } from '../../entities/sending/campaign-message.ts'
import { campaignMessageEffect, unslottedMessage } from '../../entities/sending/campaign-messages.ts'
import { unpackContent } from '../../entities/sending/content.ts'
import { readThreads } from '../../entities/sending/recipients.ts'
import { NoSuchFile } from '../../rules/content/storage-errors.ts'
import type { EffectStatus } from '../../rules/effects.ts'
import { bounceClassOf } from '../../rules/inbox/bounces.ts'
import { refusalClassOf, statusIn } from '../../rules/mail/refusals.ts'
import { headersOf } from '../../rules/sending/headers.ts'
import { manageUrl } from '../../rules/sending/variables.ts'
import { readMailbox, senderOf } from '../automation/send-email.ts'
import { database, statement, transaction } from '../kit/database.ts'
import { NeverSent, once } from '../kit/once.ts'
import { slotted } from '../kit/slotted.ts'
import { type StoreEmail, sendComposed } from '../providers/mail.ts'
import { type AttachedFile, composeWithFiles, type Message, withUnsubscribeUrl } from './mime.ts'

/** Frozen in the row. `date`: Unix milliseconds, the same in every attempt. */
type Request = {
  tenant_id: string
  message: Message
  date: number
  smtp: StoreEmail['smtp']
  attachments: Attachment[]
}

async function prepare(id: string): Promise<Request> {
  const em = unitOf(await database(), null)
  const row = await em.findOneOrFail(CampaignMessage, { id }, { ...anyTenant, populate: ['content'] })
  const { tenant_id, kind, subject, content } = row
  // It waits (unslottedMessage).
  if (kind === 'step') throw new Error('the message is sent by the drain of its mailbox')
  if (subject === null || subject === undefined || !content)
    throw new NeverSent({ code: 'no_message', message: 'the message was not rendered' })
  const campaign = await em.findOneOrFail(Campaign, { id: row.campaign_id, tenant_id }, anyTenant)
  const enrollment = row.enrollment_id
    ? await em.findOneOrFail(Enrollment, { id: row.enrollment_id, tenant_id }, anyTenant)
    : null
  const { from, reply_to, smtp } = await senderOf(await readMailbox(em, tenant_id, row.mailbox_id))
  const headers = headersOf({
    ...{
      id,
      kind,
      campaign_id: campaign.id,
      audience_id: enrollment?.audience_id ?? null,
      step: row.step ?? null,
      mailbox_id: row.mailbox_id,
    },
    ...{ sender: from.address, unsubscribe_url: null },
    thread:
      enrollment && kind === 'reply'
        ? ((await readThreads(em, tenant_id, [enrollment.id])).get(enrollment.id) ?? [])
        : [],
  })
  // The link of a test changes nothing.
  const linked = withUnsubscribeUrl(unpackContent(content, null), manageUrl(config.publicUrl, 'test'))
  const message = { ...linked, id, from, to: row.address, reply_to: campaign.reply_to ?? reply_to, subject, headers }
  return { tenant_id, message, date: Date.now(), smtp, attachments: row.attachments }
}

const lost = (name: string) =>
  new NeverSent({ code: 'attachment_missing', message: `the file ${name} was deleted or replaced` })

/** The file as it was when the message was written. Throws NeverSent attachment_missing. */
async function readFile(
  tenantId: string,
  { media_id, name, mime_type, size, digest }: Attachment,
): Promise<AttachedFile> {
  const media = await statement((em) => servedMedia(em, media_id))
  if (media?.tenant_id !== tenantId || media.variants.original?.digest !== digest) throw lost(name)
  const stream = await bucket().open({ tenant_id: tenantId, id: media_id }, 'original', size)
  const bytes = Buffer.concat(await stream.toArray())
  if (createHash('sha256').update(bytes).digest('hex') !== digest) throw lost(name)
  return { name, mime_type, bytes }
}

const sender = once({
  row: campaignMessageEffect,
  prepare,
  async send({ tenant_id, message, date, smtp, attachments }: Request, sending) {
    const files: AttachedFile[] = []
    try {
      for (const attachment of attachments) files.push(await readFile(tenant_id, attachment))
    } catch (error) {
      if (error instanceof NoSuchFile) return { kind: 'not_sent', error: lost('of an attachment').reason, final: true }
      if (error instanceof NeverSent) return { kind: 'not_sent', error: error.reason, final: true }
      return {
        kind: 'not_sent',
        error: { code: 'attachment_unavailable', message: 'an attached file could not be read' },
      }
    }
    return sendComposed(
      smtp,
      { from: message.from.address, to: message.to },
      () => composeWithFiles(message, files, new Date(date)),
      sending,
    )
  },
  laterS: () => config.mailRetryS,
})

/** A refusal while sending counts as a report that comes back does. */
async function countRefusal(id: string, status: EffectStatus): Promise<void> {
  if (status !== 'rejected') return
  const row = await unitOf(await database(), null).findOne(CampaignMessage, { id }, anyTenant)
  if (!row) return
  const { tenant_id, error, evidence } = row
  const text = error?.message ?? ''
  const code = Number(evidence?.status)
  if (row.status !== 'rejected' || !(code >= 500)) return
  const kind =
    bounceClassOf[
      refusalClassOf({ stage: evidence?.command === 'RCPT' ? 'rcpt' : 'dot', code, status: statusIn(text), text })
    ]
  await transaction((em) =>
    applyBounces(em, tenant_id, [{ id, status: statusIn(text), diagnostic: text, class: kind }], unixNow()),
  )
}

/** A message that the server deferred takes a slot of its store again. Throws as `once` does. */
export const sendCampaignMessage = slotted({ ...sender, follow: countRefusal }, unslottedMessage)
