// A lab with a mail sink, an API and one worker for campaigns, and helpers that read what became of a campaign.
import type { Process } from '../../../dev/parts.ts'
import { until } from '../codes.ts'
import { database, newShop, type Shop } from '../shop.ts'
import { type Lab, startLab } from '../stack/lab.ts'
import { enroll, launch, newCampaign, newMailbox } from './campaigns.ts'
import { type MailSink, startMailSink } from './mail-sink.ts'

type Body = Record<string, unknown>

export const smtpOf = ({ port }: Pick<MailSink, 'port'>) => ({ host: '127.0.0.1', port, security: 'none' })

export async function startSendingLab(name: string, settings: Record<string, string>) {
  const lab: Lab = await startLab(name, settings, { queues: ['campaigns'] })
  const [sink, worker]: [MailSink, Process, unknown] = await Promise.all([
    startMailSink(),
    lab.startWorker(),
    lab.stack.startApi(settings),
  ])
  return {
    ...{ lab, sink, worker },
    shop: await newShop(),
    async stop() {
      await database().end()
      await sink.stop()
      await lab.stop()
    },
  }
}
export type SendingLab = Awaited<ReturnType<typeof startSendingLab>>

/** Stores limits of a mailbox, also those that the API refuses. */
export const mailboxAt = async (shop: Shop, sink: Pick<MailSink, 'port'>, limits: Body = {}) => {
  const mailbox = await newMailbox(shop, { smtp: smtpOf(sink) })
  await database().query('update mailboxes set limits = $2 where id = $1', [mailbox.id, JSON.stringify(limits)])
  return mailbox
}

/** A draft with enrollments. Their addresses are `<name>-<n>@<domain>`. */
export async function drafted(shop: Shop, count: number, more: Body, domain = 'tillwright.test') {
  const campaign = await newCampaign(shop, more)
  await enroll(shop, campaign.id, count)
  await database().query(
    `update enrollments e set address = 'c' || x.n || '-' || right($1::text, 12) || '@' || $2::text from (select id, row_number() over (order by id) as n from enrollments where campaign_id = $1) x where e.id = x.id`,
    [campaign.id, domain],
  )
  return campaign
}

/** A launched one. */
export async function sentTo(shop: Shop, count: number, more: Body) {
  const campaign = await drafted(shop, count, more)
  const { status, body } = await launch(shop, campaign.id)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return campaign
}

export type Counts = Record<string, number>

const countsOf = async (table: 'campaign_messages' | 'enrollments', campaignId: string): Promise<Counts> => {
  const { rows } = await database().query(
    `select status, count(*)::int as n from ${table} where campaign_id = $1 group by status`,
    [campaignId],
  )
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]))
}
export const messagesOf = (campaignId: string): Promise<Counts> => countsOf('campaign_messages', campaignId)
export const enrollmentsOf = (campaignId: string): Promise<Counts> => countsOf('enrollments', campaignId)

/** The counters that are not zero. */
export async function statsOf(campaignId: string): Promise<Counts> {
  const { rows } = await database().query(
    `select sum(requested)::int as requested, sum(succeeded)::int as succeeded, sum(rejected)::int as rejected, sum(failed)::int as failed, sum(unknown)::int as unknown, sum(bounced)::int as bounced
     from campaign_stats where campaign_id = $1`,
    [campaignId],
  )
  return Object.fromEntries(Object.entries(rows[0] as Counts).filter(([, n]) => n > 0))
}

export const campaignOf = async (id: string): Promise<{ status: string; paused_reason: { code: string } | null }> =>
  (await database().query('select status, paused_reason from campaigns where id = $1', [id])).rows[0]

export const untilStatus = (id: string, status: string, ms = 30_000) =>
  until(async () => (await campaignOf(id)).status === status, ms)

/** The copies that addresses of this campaign got. */
export const copiesOf = (sink: MailSink, campaignId: string): Map<string, number> =>
  new Map([...sink.copies()].filter(([to]) => to.includes(`-${campaignId.slice(-12)}@`)))
