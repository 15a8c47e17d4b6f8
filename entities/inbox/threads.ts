// What was written to a recipient and what came back, in order of time.
import type { EntityManager } from '@mikro-orm/postgresql'
import { CampaignStep } from '../campaigns/campaign-step.ts'
import { sql } from '../kit/database/sql.ts'
import { CampaignMessage } from '../sending/campaign-message.ts'
import { type Content, unpackContent } from '../sending/content.ts'
import { InboundMail } from './inbound-mail.ts'

/**
 * Reads the contents of messages, which are unpacked one by one; null of one that could not be rendered. At most two
 * statements.
 */
export async function contentsOf(
  em: EntityManager,
  rows: CampaignMessage[],
): Promise<(row: CampaignMessage) => Content | null> {
  await em.populate(rows, ['content'])
  const campaigns = [
    ...new Set(rows.filter(({ kind }) => kind === 'step').map(({ campaign_id }) => String(campaign_id))),
  ]
  const steps =
    campaigns.length === 0
      ? []
      : await em.find(
          CampaignStep,
          { campaign_id: { $in: campaigns } },
          { fields: ['campaign_id', 'position', 'dictionary'] },
        )
  const dictionaries = new Map(
    steps.map(({ campaign_id, position, dictionary }) => [`${campaign_id} ${position}`, dictionary ?? null]),
  )
  return ({ kind, campaign_id, step, content }) =>
    content
      ? unpackContent(content, kind === 'step' ? (dictionaries.get(`${campaign_id} ${step}`) ?? null) : null)
      : null
}

export type ThreadRow =
  | { at: number; message: CampaignMessage; content: Content | null; mail?: undefined }
  | { at: number; mail: InboundMail; message?: undefined }

/** The size of a thread that is returned, in characters of HTML and text. */
const threadBytes = 4 * 1_048_576

/**
 * The newest `limit` messages and mails of an enrollment, and of these those that fit into 4 MiB, oldest first. `at`:
 * when it was sent, or else made; when it came; Unix seconds. At most six statements.
 */
export async function readThread(
  em: EntityManager,
  tenantId: string,
  enrollmentId: string,
  limit: number,
): Promise<ThreadRow[]> {
  const found: { id: string; at: number; is_mail: boolean }[] = await em.execute(sql`
    select id, at::float8 as at, is_mail
    from (
      select thread_messages.*, sum(bytes) over (order by at desc, id desc) - bytes as newer
      from (
        select m.id, coalesce(floor(extract(epoch from m.sent_at))::bigint, m.created_at) as at, false as is_mail,
          coalesce(octet_length(m.content), 0) as bytes
        from campaign_messages m
        where m.tenant_id = ${tenantId} and m.enrollment_id = ${enrollmentId} and m.kind <> 'test'
        union all
        select i.id, i.received_at, true, octet_length(i.content)
        from inbound_mails i
        where i.tenant_id = ${tenantId} and i.enrollment_id = ${enrollmentId}
      ) thread_messages
      order by at desc, id desc
      limit ${limit}
    ) newest_messages
    where newer < ${threadBytes}
    order by at desc, id desc
  `)
  const idsOf = (isMail: boolean) => found.filter(({ is_mail }) => is_mail === isMail).map(({ id }) => id)
  const messages = await em.find(CampaignMessage, { id: { $in: idsOf(false) } })
  const mails = new Map((await em.find(InboundMail, { id: { $in: idsOf(true) } })).map((mail) => [mail.id, mail]))
  const byId = new Map(messages.map((message) => [message.id, message]))
  const contentOf = await contentsOf(em, messages)
  const rows: ThreadRow[] = []
  let room = threadBytes
  for (const { id, at, is_mail } of found) {
    const [mail, message] = is_mail ? [mails.get(id)] : [undefined, byId.get(id)]
    if (!mail && !message) continue
    const content = message ? contentOf(message) : null
    room -= mail ? mail.content.length : (content?.html.length ?? 0) + (content?.text.length ?? 0)
    if (room < 0 && rows.length > 0) break
    rows.unshift(mail ? { at, mail } : { at, message: message as CampaignMessage, content })
  }
  return rows
}
