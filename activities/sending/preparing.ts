// Writes the messages of one mailbox ahead of their sending: leases what is due, renders it, and inserts it; reads what earlier drains have written.
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { unixNow } from '../../adapters/clock.ts'
import { log } from '../../adapters/log.ts'
import { EmailError } from '../../adapters/mail-renderer.ts'
import { unsubscribeTokens } from '../../entities/audiences/member-tokens.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import { encrypt } from '../../entities/kit/encrypted.ts'
import { newId } from '../../entities/kit/ids.ts'
import { bytesOf, packBytes } from '../../entities/sending/content.ts'
import type { Attended, OpenCampaign } from '../../entities/sending/dispatching.ts'
import * as rows from '../../entities/sending/leasing.ts'
import { readRecipients } from '../../entities/sending/recipients.ts'
import { dayLeft } from '../../entities/sending/sending.ts'
import { pauseCampaigns } from '../../entities/sending/stopping.ts'
import { RENDERED_FIRST, reasons } from '../../rules/sending/breakers.ts'
import type { SendQueue } from '../../rules/sending/send-queue.ts'
import { AHEAD_MAX, AHEAD_S, CONTENT_BYTES_MAX, domainOf, LEASE_MAX } from '../../rules/sending/sending.ts'
import { messageVariables } from '../../rules/sending/variables.ts'
import { statement, transaction } from '../kit/database.ts'
import { untilWritten } from '../kit/once.ts'
import { renderMessages } from './rendering.ts'

/** `bytes`: of the content in memory, or of what has to be read. */
export type Ahead = {
  id: string
  domain: string
  bytes: number
  campaign_id: string
  enrollment_id: string
  audience_id: string | null
  step: number
  try: number
  address: string
  /** As it is packed (entities/sending/content.ts). Null: it is read with the claim. */
  content: Buffer | null
}

/** E-mails of one task of the renderer. */
const renderedAtOnce = 50
const backlogMs = 2_000
/** After a look at which nothing was due. */
const restMs = { first: 100, most: 1_000 }

type Work = {
  enrollment_id: string
  campaign_id: string
  step: number
  address: string
  audience_id: string | null
  message_id: string | null
  try: number
}
/** `bytes`: the content as it is packed, outside of the heap: strings that wait to be sent would be collected again and again. */
type Result = { subject: string; bytes: Buffer } | { error: { code: string; message: string } }
type Rendered = Work & { variables: string; result: Result }

const bytesIn = (results: Awaited<ReturnType<typeof renderMessages>>): Result[] =>
  results.map((one) => ('error' in one ? one : { subject: one.subject, bytes: bytesOf(one) }))

const chunks = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))

/** `mailbox`: as it was attended to last. `woken` is called when messages can be sent. */
export function newPreparing(mailbox: () => Attended, queue: SendQueue<Ahead>, woken: () => void) {
  const steps = new Map<string, rows.Step>()
  const tokens = new Map<string, string>()
  /** Messages of each step that failed to render, until one did not. */
  const failing = new Map<string, number>()
  /** Campaigns that this drain has paused, until they are attended to without it. */
  const stopped = new Set<string>()
  let running: Promise<void> | undefined
  let isWorking = false
  let isEnding = false
  let backlogAt = 0
  let looksAt = 0
  let restsMs = restMs.first
  let isDayOver = false
  const open = () => mailbox().campaigns.filter(({ id }) => !stopped.has(id))

  async function stepsOf(campaignIds: Iterable<string>): Promise<void> {
    const missing = [...new Set(campaignIds)].filter((id) => !steps.has(`${id}/0`))
    if (missing.length === 0) return
    for (const step of await statement((em) => rows.readSteps(em, mailbox().tenant_id, missing)))
      steps.set(`${step.campaign_id}/${step.position}`, step)
  }
  const stepOf = ({ campaign_id, step }: { campaign_id: string; step: number }): rows.Step =>
    steps.get(`${campaign_id}/${step}`) as rows.Step

  async function tokensFor(enrollmentIds: readonly string[]): Promise<void> {
    const missing = enrollmentIds.filter((id) => !tokens.has(id))
    if (missing.length === 0) return
    for (const [id, token] of await statement((em) => unsubscribeTokens(em, mailbox().tenant_id, missing, unixNow())))
      tokens.set(id, token)
  }

  /** Renders them again where the renderer is busy. */
  async function render(work: readonly Work[], step: rows.Step, campaign: OpenCampaign): Promise<Rendered[]> {
    const { tenant_id, store } = mailbox()
    const ids = work.map(({ enrollment_id }) => enrollment_id)
    const recipients = await statement((em) => readRecipients(em, tenant_id, ids))
    const given = work.flatMap((one) => {
      const recipient = recipients.get(one.enrollment_id)
      return recipient ? [{ ...one, variables: messageVariables({ store, campaign, step }, recipient) }] : []
    })
    const rendered = await Promise.all(
      chunks(given, renderedAtOnce).map(async (part) => {
        for (let tries = 1; ; tries++) {
          try {
            const variables = part.map(({ variables }) => variables)
            return bytesIn(await renderMessages(step, variables, { account: mailbox().account_id, tenant: tenant_id }))
          } catch (error) {
            if (!(error instanceof EmailError) || tries === 20 || isEnding) throw error
            await pause(500)
          }
        }
      }),
    )
    const results = rendered.flat()
    return given.map((one, n) => ({ ...one, variables: JSON.stringify(one.variables), result: results[n] as Result }))
  }

  /** The dictionary of a step is its first message. */
  async function pack(step: rows.Step, bytes: Buffer): Promise<Buffer> {
    step.dictionary ??= await statement((em) => rows.setDictionary(em, mailbox().tenant_id, step, bytes))
    return packBytes(bytes, step.dictionary)
  }

  function add(one: Work, id: string, content: Ahead['content']): void {
    const bytes = content?.length ?? 0
    const { campaign_id, enrollment_id, audience_id, step, address } = one
    queue.add({
      ...{ id, domain: domainOf(address), bytes, content },
      ...{ campaign_id, enrollment_id, audience_id, step, address, try: one.try },
    })
  }

  async function write(rendered: readonly Rendered[], step: rows.Step): Promise<void> {
    const fresh: rows.NewMessage[] = []
    const renewed: { id: string; variables: string; subject: string; content: Buffer }[] = []
    const contents = new Map<string, { one: Rendered; bytes: Buffer }>()
    for (const one of rendered) {
      const { enrollment_id, campaign_id, address, variables, result } = one
      const id = one.message_id ?? newId()
      const row = {
        ...{ id, enrollment_id, campaign_id, address, variables },
        step: one.step,
        template_id: step.template_id,
      }
      const fingerprint = createHash('sha256').update(`${enrollment_id}/${one.step}/${variables}`).digest('hex')
      if ('error' in result) {
        if (!one.message_id) fresh.push({ ...row, fingerprint, subject: null, content: null, error: result.error })
        continue
      }
      const content = await pack(step, result.bytes)
      contents.set(id, { one, bytes: result.bytes })
      if (one.message_id) renewed.push({ id, variables: encrypt(variables), subject: result.subject, content })
      else fresh.push({ ...row, fingerprint, subject: result.subject, content, error: null })
    }
    const written =
      fresh.length > 0
        ? await statement((em) => rows.insertMessages(em, mailbox(), fresh, unixNow()))
        : new Set<string>()
    if (renewed.length > 0) await statement((em) => rows.renewMessages(em, mailbox(), renewed, unixNow()))
    await tokensFor([...contents.values()].map(({ one }) => one.enrollment_id))
    for (const [id, { one, bytes }] of contents) if (one.message_id || written.has(id)) add(one, id, bytes)
    woken()
  }

  const release = (rest: readonly Work[]) =>
    statement((em) =>
      rows.releaseEnrollments(
        em,
        mailbox(),
        rest.filter(({ message_id }) => message_id === null),
      ),
    )

  /** Renders and writes the messages of one step. If the first ones of a step all fail, its campaign is paused, and the others wait. */
  async function prepareStep(work: readonly Work[]): Promise<void> {
    const [first] = work as [Work]
    const campaign = mailbox().campaigns.find(({ id }) => id === first.campaign_id)
    const step = stepOf(first)
    if (!campaign || !step) {
      if (campaign) log.warn({ campaign_id: campaign.id, step: first.step }, 'there is no such step')
      // Its campaign was paused since the lease. Once it is resumed, its recipients wait for the next look.
      looksAt = performance.now() + restMs.most
      return void (await release(work))
    }
    let rest = work
    while (rest.length > 0) {
      const failed = failing.get(step.id) ?? 0
      const part = failed >= 0 ? rest.slice(0, RENDERED_FIRST - failed) : rest
      rest = rest.slice(part.length)
      const rendered = await render(part, step, campaign)
      const isProved = failed < 0 || rendered.some(({ result }) => !('error' in result))
      const failures = failed + rendered.filter(({ message_id }) => message_id === null).length
      await write(rendered, step)
      // Counted once they are written: recipients of a write that failed are leased again.
      failing.set(step.id, isProved ? -1 : failures)
      // What was written before and cannot be rendered any more is sent as it is, if the recipient may still get it.
      const renewed = new Set(rendered.flatMap(({ message_id, result }) => ('error' in result ? [] : [message_id])))
      for (const one of part)
        if (one.message_id !== null && !renewed.has(one.message_id)) add(one, one.message_id, null)
      if (isProved || failures < RENDERED_FIRST) continue
      await transaction((em) =>
        pauseCampaigns(em, mailbox().tenant_id, sql`${campaign.id}::uuid`, reasons.rendering_failed),
      )
      failing.delete(step.id)
      stopped.add(campaign.id)
      return void (await release(rest))
    }
  }

  async function prepare(work: readonly Work[]): Promise<void> {
    isWorking = true
    await stepsOf(work.map(({ campaign_id }) => campaign_id))
    for (const same of Map.groupBy(work, ({ campaign_id, step }) => `${campaign_id}/${step}`).values())
      await prepareStep(same)
  }

  /** What earlier drains have written, and what is due again. */
  async function readBacklog(campaignIds: readonly string[]): Promise<void> {
    backlogAt = performance.now() + backlogMs
    const due = await statement((em) => rows.dueMessages(em, mailbox(), campaignIds, AHEAD_MAX))
    await stepsOf(due.map(({ campaign_id }) => campaign_id))
    const unknown = due.filter(({ id }) => !queue.has(id))
    await tokensFor(unknown.map(({ enrollment_id }) => enrollment_id))
    for (const one of unknown) if (!one.is_stale) add({ ...one, message_id: one.id }, one.id, null)
    if (unknown.length > 0) woken()
    for (const stale of chunks(
      unknown.filter(({ is_stale }) => is_stale),
      LEASE_MAX,
    ))
      await prepare(stale.map((one) => ({ ...one, message_id: one.id })))
  }

  /** How many more may be written ahead, without the limit of the day. What the mailbox cannot send soon is left to others. */
  function room(): number {
    if (queue.size() + LEASE_MAX > AHEAD_MAX || queue.bytes() >= CONTENT_BYTES_MAX) return 0
    const { per_second } = mailbox().limits
    if (per_second === null) return LEASE_MAX
    const most = Math.max(1, Math.ceil(per_second * AHEAD_S))
    // Several at a time.
    return queue.size() > most / 2 ? 0 : Math.min(LEASE_MAX, most - queue.size())
  }

  async function roomOfDay(): Promise<number> {
    const { per_day } = mailbox().limits
    const left =
      per_day === null
        ? LEASE_MAX
        : (await statement((em) => dayLeft(em, mailbox(), per_day, unixNow()))) - queue.size()
    isDayOver = left <= 0
    return left
  }

  async function round(): Promise<void> {
    if (performance.now() > backlogAt) await readBacklog(open().map(({ id }) => id))
    while (room() > 0 && performance.now() > looksAt) {
      const campaigns = open()
      if (campaigns.length === 0) return
      const most = Math.min(room(), await roomOfDay())
      if (isEnding) return
      const shares = campaigns.map(({ id, mailboxes }) => ({ id, mailboxes }))
      const leased = most <= 0 ? [] : await statement((em) => rows.leaseEnrollments(em, mailbox(), shares, most))
      if (leased.length === 0) {
        looksAt = performance.now() + restsMs
        restsMs = Math.min(restMs.most, 2 * restsMs)
        return
      }
      restsMs = restMs.first
      const work = leased.map(({ id, ...one }) => ({ ...one, enrollment_id: id, message_id: null, try: 1 }))
      try {
        await prepare(work)
      } catch (error) {
        await untilWritten(() => release(work))
        throw error
      }
    }
  }

  return {
    /** Prepares more, unless it does already. */
    more(): void {
      const all = mailbox().campaigns
      for (const id of stopped) if (!all.some((one) => one.id === id)) stopped.delete(id)
      // A round without a campaign would end at once and wake its caller, again and again.
      if (running || open().length === 0) return
      if (!(room() > 0 && performance.now() > looksAt) && performance.now() <= backlogAt) return
      running = round()
        .catch((error) => {
          log.warn({ mailbox_id: mailbox().id, err: error }, 'messages not prepared')
          looksAt = performance.now() + 1_000
        })
        .finally(() => {
          running = undefined
          isWorking = false
          woken()
        })
    },
    /** Messages were given back: they are due again soon. */
    lookAgain(): void {
      backlogAt = Math.min(backlogAt, performance.now() + 300)
    },
    /** The limit of the day leaves nothing. */
    isDayOver: () => isDayOver,
    /** Messages are being prepared, not only looked for. */
    isWorking: () => isWorking,
    /** Resolves when nothing is being prepared. What waits for the renderer is given back. */
    async ended(): Promise<void> {
      isEnding = true
      await running
    },
    stepOf,
    tokenOf: (enrollmentId: string): string => tokens.get(enrollmentId) as string,
    forget: (enrollmentId: string) => tokens.delete(enrollmentId),
  }
}
export type Preparing = ReturnType<typeof newPreparing>
