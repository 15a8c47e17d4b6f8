// Sends the campaign messages of one mailbox: each body is handed to its server once at most. Claimed and stamped for as many sessions as are open, settled in batches.
import { setTimeout as pause } from 'node:timers/promises'
import { unixNow } from '../../adapters/clock.ts'
import { log } from '../../adapters/log.ts'
import { config } from '../../config.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import type { EffectError } from '../../entities/kit/effect-columns.ts'
import { decide } from '../../entities/kit/effects.ts'
import { newId, uuids } from '../../entities/kit/ids.ts'
import { start } from '../../entities/kit/outbox.ts'
import { campaignMessageEffect } from '../../entities/sending/campaign-messages.ts'
import { completeCampaigns } from '../../entities/sending/completing.ts'
import { partsOf, unpackBytes } from '../../entities/sending/content.ts'
import * as mailboxes from '../../entities/sending/dispatching.ts'
import { readThreads } from '../../entities/sending/recipients.ts'
import * as rows from '../../entities/sending/sending.ts'
import { followsMore, type SentResult, settleMessages } from '../../entities/sending/settling.ts'
import {
  forgetFailures,
  isMostlyRefused,
  mailboxFailed,
  mailboxSent,
  pauseCampaigns,
} from '../../entities/sending/stopping.ts'
import { TRIES_MAX } from '../../rules/campaigns/campaigns.ts'
import { bounceClassOf } from '../../rules/inbox/bounces.ts'
import { type RefusalClass, statusIn } from '../../rules/mail/refusals.ts'
import { providerIdOf, type Reply, type Stage, textOf } from '../../rules/mail/smtp.ts'
import { DISTRUSTED_SESSIONS_MAX, type Reason, reasons, SENDER_REFUSALS_MAX } from '../../rules/sending/breakers.ts'
import { headersOf } from '../../rules/sending/headers.ts'
import { newSendQueue } from '../../rules/sending/send-queue.ts'
import {
  BODY_MS,
  ENVELOPE_MS,
  LAST_LOOK_MS,
  mailboxPauseMs,
  type Outcome,
  outcomeOf,
  refusalIn,
  SENDER_REFUSED,
  SESSIONS_MAX,
  sendSlotsAfter,
} from '../../rules/sending/sending.ts'
import { manageUrl, unsubscribeUrl } from '../../rules/sending/variables.ts'
import { statement, transaction } from '../kit/database.ts'
import { drains, newLedger, type Sending } from '../kit/drain.ts'
import { failpoint } from '../kit/failpoints.ts'
import { newLastLooks } from '../kit/last-looks.ts'
import { untilWritten } from '../kit/once.ts'
import { egress } from '../providers/http.ts'
import { readableError } from '../providers/mail.ts'
import { SmtpError, type SmtpSession } from '../providers/smtp.ts'
import { type Account, newPermits, newPool, refusesCredentials } from '../providers/smtp-pool.ts'
import { composeMessage, linked } from './mime.ts'
import { type Ahead, newPreparing } from './preparing.ts'

/** Of all mailboxes of this process. */
const permits = newPermits(SESSIONS_MAX)
/** Results of so long are written together. They are kept for a minute while the database restarts: without them, what was sent would be unknown. */
const ledgerOptions = { waitMs: 60, tries: 120 }

/** Between two looks for messages that a lost drain had stamped. */
const lostLookMs = 5_000

/** Of recipients that wait although their attempts are used up: their campaign is paused. */
const LAST_WAIT_MS = 3_600_000

/** Larger messages are composed in buffers of their own, so that idle sessions keep little. */
const ROOM_MAX = 131_072

/** Claimed, stamped, and on its session. Times by performance.now(). */
type Stamped = {
  ahead: Ahead
  claimed: rows.Claimed
  token: string
  session: SmtpSession
  before: number
  thread: readonly string[]
}

const accountOf = ({ tenant_id, account_id, smtp, limits }: mailboxes.Attended): Account => ({
  owner: { account: account_id, tenant: tenant_id },
  ...{ server: smtp, connections: limits.connections, messages_per_connection: limits.messages_per_connection },
  connect: () =>
    egress().connect({ protocol: 'smtp', host: smtp.host, port: smtp.port, plain: smtp.security === 'none' }),
})

type Handed = {
  outcome: Outcome
  reply: Reply | undefined
  error: EffectError | null
  stage: Stage | null
  about: RefusalClass | null
}
const commandOf = (stage: Stage | null): string =>
  stage === null ? 'none' : stage === 'dot' ? 'DATA' : stage.toUpperCase()
const isDistrust = (about: RefusalClass | null): boolean => about === 'reputation' || about === 'authentication'

function begin(first: mailboxes.Attended): Sending<mailboxes.Attended, Stamped> {
  let mailbox = first
  let slots = first.limits.connections
  let failedInARow = 0
  /** Whether its server accepted or refused a message, and the last error of a session that broke before. */
  let accepted = false
  let failure: EffectError | undefined
  /** Refusals of its address in a row. */
  let senderRefusals = first.error_code === 'EENVELOPE' ? first.failures : 0
  let refusal: EffectError | undefined
  let stopped: Promise<void> | undefined
  let hasProblem = first.failures > 0
  let isOver = false
  let limitedUntil = 0
  let unused = 0
  let sentAt = 0
  const begun = performance.now()
  let lostLookAt = 0
  let looksForLost: Promise<void> | undefined
  let wake = Promise.withResolvers<void>()
  const woken = () => wake.resolve()
  const rooms = new WeakMap<SmtpSession, Buffer>()
  const queue = newSendQueue<Ahead>()
  const preparing = newPreparing(() => mailbox, queue, woken)
  const pool = newPool(permits, accountOf(first), woken)
  const ledger = newLedger<SentResult>(async (batch) => {
    await (followsMore(batch) ? transaction : statement)((em) => settleMessages(em, mailbox, batch, unixNow()))
    if (batch.some(({ status }) => status === 'requested')) preparing.lookAgain()
    // Perhaps these were the last ones.
    else if (queue.size() === 0 && !preparing.isWorking())
      await statement((em) => completeCampaigns(em, uuids(mailbox.campaigns.map(({ id }) => id)))).catch(() => {})
  }, ledgerOptions)

  const stillWanted = newLastLooks((ids) => statement((em) => rows.stillWanted(em, mailbox, ids)))

  /** The reconciler settles these as well, half a minute later. */
  async function settleLost(): Promise<void> {
    lostLookAt = performance.now() + lostLookMs
    const campaignIds = mailbox.campaigns.map(({ id }) => id)
    for (const { id } of await statement((em) =>
      rows.lostMessages(em, mailbox, campaignIds, performance.now() - begun),
    ))
      await transaction(async (em) => {
        const { status } = await decide(em, campaignMessageEffect, id, null)
        // Its workflow fails: that is the operators' worklist.
        if (status === 'unknown') await start(em, 'campaign_message', id, { tenant_id: mailbox.tenant_id })
      })
  }

  /** The server cannot be used: what waits is sent after a pause. */
  function stop(error: EffectError, failures: number, final: Reason | null): void {
    isOver = true
    stopped ??= untilWritten(() => transaction((em) => mailboxFailed(em, mailbox, error, failures, final)))
  }

  /** The first success after failures, and once a minute when a message was sent. */
  async function works(): Promise<void> {
    const now = performance.now()
    if (hasProblem) {
      hasProblem = false
      await statement((em) => forgetFailures(em, { tenant_id: mailbox.tenant_id, mailbox_ids: [mailbox.id] }))
    }
    if (sentAt > 0 && now - sentAt < 60_000) return
    sentAt = now
    await transaction((em) => mailboxSent(em, mailbox, unixNow()))
  }

  /**
   * How many of `count` the limits of the mailbox allow now. What is `unused` is given back once, even if the answer is
   * lost.
   */
  async function reserved(count: number): Promise<number> {
    const { per_second, per_day } = mailbox.limits
    if (per_second === null && per_day === null) return count
    if (performance.now() < limitedUntil) return 0
    const givenBack = unused
    unused = 0
    const { granted, wait_ms, used_up } = await transaction((em) =>
      rows.reserve(em, mailbox, mailbox.limits, { count, unused: givenBack }, unixNow()),
    )
    if (granted > 0) return granted
    limitedUntil = performance.now() + wait_ms
    isOver ||= used_up
    return 0
  }

  async function claim(chosen: readonly Ahead[], token: string): Promise<rows.Claimed[]> {
    const ids = chosen.map(({ id }) => id)
    const unread = chosen.flatMap(({ id, content }) => (content ? [] : [id]))
    const campaignIds = [...new Set(chosen.map(({ campaign_id }) => campaign_id))].filter((id) =>
      mailbox.campaigns.some((campaign) => campaign.id === id),
    )
    try {
      const claimed = await statement((em) =>
        rows.claimMessages(em, mailbox, { ids, campaignIds, unread, token, limitMs: config.mailLimitMs }),
      )
      for (const id of config.failpoints ? ids : []) await failpoint('after_stamp', 'campaign_messages', id)
      return claimed
    } catch (error) {
      log.warn({ mailbox_id: mailbox.id, err: error }, 'stamps not acknowledged')
      // They may have been committed, so nothing may be sent.
      await untilWritten(() => transaction((em) => rows.giveBackClaim(em, mailbox, ids, token)))
      preparing.lookAgain()
      return []
    }
  }

  async function lease(free: number): Promise<Stamped[]> {
    const wanted = Math.min(free, queue.size())
    // Nothing is written ahead any more: the mailbox rests, and its campaigns say so.
    if (wanted === 0 && preparing.isDayOver()) {
      const granted = await reserved(1)
      unused += granted
      return []
    }
    const count = wanted === 0 ? 0 : await reserved(wanted)
    const chosen =
      count === 0 ? [] : queue.take(count, Math.max(1, Math.ceil(mailbox.limits.connections / 2)), performance.now())
    const sessions: SmtpSession[] = []
    while (sessions.length < chosen.length && pool.idle() > 0) sessions.push(pool.take())
    const giveUp = (ahead: Ahead) => queue.done(ahead, 'other', performance.now())
    for (const ahead of chosen.splice(sessions.length)) giveUp(ahead)
    const token = newId()
    const before = performance.now()
    const claimed = chosen.length === 0 ? [] : new Map((await claim(chosen, token)).map((one) => [one.id, one]))
    const stamped: Stamped[] = []
    for (const ahead of chosen) {
      const one = claimed instanceof Map ? claimed.get(ahead.id) : undefined
      if (one?.holds)
        stamped.push({ ahead, claimed: one, token, session: sessions.pop() as SmtpSession, before, thread: [] })
      else giveUp(ahead)
    }
    unused += mailbox.limits.per_second === null && mailbox.limits.per_day === null ? 0 : count - stamped.length
    for (const session of sessions) pool.giveBack(session, false)
    return withThreads(stamped)
  }

  /** The Message-IDs of earlier steps, of messages that are to be shown in one thread with them. */
  async function withThreads(stamped: Stamped[]): Promise<Stamped[]> {
    const threaded = stamped.filter(({ ahead }) => ahead.step > 0 && preparing.stepOf(ahead).in_thread)
    if (threaded.length === 0) return stamped
    const ids = threaded.map(({ ahead }) => ahead.enrollment_id)
    const threads = await statement((em) => readThreads(em, mailbox.tenant_id, ids)).catch(
      () => new Map<string, string[]>(),
    )
    return stamped.map((one) => ({ ...one, thread: threads.get(one.ahead.enrollment_id) ?? [] }))
  }

  /** For the one message of the session at a time: buffers of their own would be most of what is collected. */
  const roomOf = (session: SmtpSession) => (size: number) => {
    if (size > ROOM_MAX) return Buffer.allocUnsafeSlow(size)
    let room = rooms.get(session)
    if (!room || room.length < size) {
      room = Buffer.allocUnsafeSlow(Math.min(ROOM_MAX, 2 * size))
      rooms.set(session, room)
    }
    return room.subarray(0, size)
  }

  function compose({ ahead, claimed, thread, session }: Stamped): Buffer {
    const { id, campaign_id, audience_id, step, address } = ahead
    const campaign = mailbox.campaigns.find((one) => one.id === campaign_id)
    const token = preparing.tokenOf(ahead.enrollment_id)
    const content = partsOf(ahead.content ?? unpackBytes(claimed.content as Buffer, preparing.stepOf(ahead).dictionary))
    const page = Buffer.from(manageUrl(config.publicUrl, token))
    const parts = { html: linked(content.html, page), text: linked(content.text, page) }
    const headers = headersOf({
      ...{ id, kind: 'step', campaign_id, audience_id, step, mailbox_id: mailbox.id, sender: mailbox.email, thread },
      unsubscribe_url: unsubscribeUrl(config.publicUrl, token),
    })
    const from = { address: mailbox.email, name: mailbox.name }
    return composeMessage(
      {
        ...parts,
        id,
        from,
        to: address,
        reply_to: campaign?.reply_to ?? mailbox.reply_to,
        subject: claimed.subject ?? '',
        headers,
      },
      new Date(),
      roomOf(session),
    )
  }

  /** What the server replied, and where the session was. `about`: of a permanent refusal. */
  async function hand(stamped: Stamped): Promise<Handed> {
    const { ahead, before, session } = stamped
    let isWithdrawn = false
    const looked = async () => {
      const wanted = await stillWanted(ahead.id)
      isWithdrawn = !wanted
      return wanted
    }
    // Most servers are quicker: they cost no statement.
    const isWanted = () => (performance.now() - before < LAST_LOOK_MS ? true : looked())
    try {
      const times = { firstByteBy: before + ENVELOPE_MS, bodyBy: before + BODY_MS, endBy: before + config.mailLimitMs }
      const reply = await session.deliver({ from: mailbox.email, to: ahead.address }, compose(stamped), times, {
        envid: ahead.id,
        isDotted: true,
        isWanted,
      })
      return { outcome: 'succeeded', reply, error: null, stage: 'dot', about: null }
    } catch (error) {
      if (isWithdrawn) return { outcome: 'withdrawn', reply: undefined, error: null, stage: 'data', about: null }
      const why = readableError(error, mailbox.smtp)
      // It could not be composed: nothing was sent.
      if (!(error instanceof SmtpError))
        return { outcome: 'deferred', reply: undefined, error: why, stage: null, about: null }
      const { stage, reply } = error
      return { outcome: outcomeOf(stage, reply), reply, error: why, stage, about: refusalIn(stage, reply) }
    }
  }

  const again = (schedule: readonly number[], tries: number): number | null => {
    const seconds = schedule[tries - 1]
    return seconds === undefined ? null : seconds * 1000
  }

  /** After the last attempt that a refusal of the sender has: where nearly all are refused, the campaign is paused, and its recipients go on waiting. */
  async function lastWaitMs({ campaign_id }: Ahead, about: RefusalClass | null): Promise<number | null> {
    try {
      if (!(await statement((em) => isMostlyRefused(em, mailbox.tenant_id, campaign_id)))) return null
      const reason = isDistrust(about) ? reasons.sender_reputation : reasons.nearly_all_refused
      await transaction((em) => pauseCampaigns(em, mailbox.tenant_id, sql`${campaign_id}::uuid`, reason))
    } catch (err) {
      // The refusal is known without the database: it is judged again after the next attempt.
      log.warn({ mailbox_id: mailbox.id, campaign_id, err }, 'refusals not judged')
    }
    return LAST_WAIT_MS
  }

  /** Why no session can be opened any more, where the server says it. */
  function finalReason(error: Error): Reason | null {
    if (refusesCredentials(error)) return reasons.mailbox_refused
    const isDistrusted = error instanceof SmtpError && isDistrust(refusalIn(error.stage, error.reply))
    return isDistrusted && mailbox.failures + 1 >= DISTRUSTED_SESSIONS_MAX ? reasons.sender_reputation : null
  }

  async function attempt(stamped: Stamped): Promise<void> {
    const { ahead, claimed, token, session } = stamped
    const { outcome, reply, error, stage, about } = await hand(stamped)
    const command = commandOf(stage)
    await failpoint('after_send', 'campaign_messages', ahead.id)
    pool.giveBack(session, outcome !== 'not_sent')
    const accepts = outcome === 'succeeded' || outcome === 'rejected' || outcome === 'refused'
    accepted ||= accepts
    if (outcome !== 'withdrawn') failedInARow = accepts ? 0 : failedInARow + 1
    slots = sendSlotsAfter(slots, failedInARow, mailbox.limits.connections)
    queue.done(
      ahead,
      accepts ? 'sent' : outcome === 'deferred' || outcome === 'retried' ? 'deferred' : 'other',
      performance.now(),
    )
    const text = reply ? textOf(reply).slice(0, 300) : null
    const noted = {
      id: ahead.id,
      enrollment_id: ahead.enrollment_id,
      token,
      error,
      provider_message_id: null,
      evidence: { command, ...(reply ? { status: reply.code } : {}) },
    }
    // Counted as a report that came back would be.
    const refused = {
      refused: { distrusted: isDistrust(about) && claimed.attempt === 1 },
      bounce:
        about === null
          ? null
          : { status: statusIn(text ?? ''), diagnostic: error?.message ?? null, class: bounceClassOf[about] },
    }
    const back = (wait_ms: number, counts: boolean) =>
      ledger.note({ ...noted, evidence: {}, status: 'requested', wait_ms, counts })
    switch (outcome) {
      case 'succeeded':
        senderRefusals = 0
        ledger.note({
          ...{
            ...noted,
            error: null,
            evidence: { response: readableError(new Error(text ?? ''), mailbox.smtp).message.slice(0, 200) },
          },
          ...{
            status: 'succeeded',
            provider_message_id: reply ? providerIdOf(reply) : null,
            again_ms: null,
            bounce: null,
          },
        })
        preparing.forget(ahead.enrollment_id)
        return works().catch(() => {})
      case 'rejected':
        senderRefusals = 0
        return ledger.note({ ...noted, status: 'rejected', again_ms: null, ...refused })
      case 'refused': {
        const why = { ...(error as EffectError), code: SENDER_REFUSED }
        const wait_ms = again(config.campaignRetryS, claimed.attempt) ?? (await lastWaitMs(ahead, about))
        // The body was handed over: a new message waits.
        if (wait_ms === null) ledger.note({ ...noted, error: why, status: 'rejected', again_ms: null, ...refused })
        else if (stage === 'dot')
          ledger.note({
            ...noted,
            error: why,
            status: 'rejected',
            again_ms: wait_ms,
            carries: true,
            ...refused,
            bounce: null,
          })
        else
          ledger.note({
            ...noted,
            error: why,
            evidence: {},
            status: 'requested',
            wait_ms,
            counts: true,
            refused: refused.refused,
          })
        return
      }
      case 'retried': {
        const again_ms = ahead.try < TRIES_MAX ? again(config.campaignRetryS, ahead.try) : null
        return ledger.note({ ...noted, status: 'rejected', again_ms, bounce: null })
      }
      case 'deferred': {
        const wait_ms = again(config.campaignRetryS, claimed.attempt)
        return wait_ms === null
          ? ledger.note({ ...noted, status: 'rejected', again_ms: null, bounce: null })
          : back(wait_ms, true)
      }
      case 'withdrawn':
        // The next claim finds what has changed.
        return back(0, false)
      case 'unknown':
        return ledger.note({ ...noted, status: 'unknown', again_ms: null, bounce: null })
      case 'sender_refused':
        senderRefusals++
        refusal = error as EffectError
        back(mailboxPauseMs(1), false)
        if (senderRefusals >= SENDER_REFUSALS_MAX) stop(error as EffectError, senderRefusals, reasons.sender_refused)
        return
      default: {
        failure = error as EffectError
        // Where the server spoke before, it may refuse only this recipient: the message waits as if it had been deferred.
        const counts = ['MAIL', 'RCPT', 'DATA'].includes(command)
        const wait_ms = counts ? again(config.campaignRetryS, claimed.attempt) : mailboxPauseMs(1)
        if (wait_ms === null) return ledger.note({ ...noted, status: 'rejected', again_ms: null, bounce: null })
        back(wait_ms, counts)
        // Every session breaks before a message is accepted.
        if (failedInARow >= Math.max(10, 2 * mailbox.limits.connections))
          stop(error as EffectError, mailbox.failures + 1, null)
      }
    }
  }

  return {
    changed(attended) {
      mailbox = attended
      slots = Math.min(slots, attended.limits.connections)
      hasProblem ||= attended.failures > 0
      pool.use(accountOf(attended))
    },
    slots: () => slots,
    free(flying) {
      preparing.more()
      if (performance.now() > lostLookAt)
        looksForLost ??= settleLost()
          .catch((err) => log.warn({ mailbox_id: mailbox.id, err }, 'lost messages not settled'))
          .finally(() => {
            looksForLost = undefined
          })
      const waiting = queue.size()
      const error = pool.error()
      if (error) stop(readableError(error, mailbox.smtp), mailbox.failures + 1, finalReason(error))
      if (waiting === 0 || performance.now() < limitedUntil) return 1
      pool.want(Math.min(slots, flying + waiting))
      return Math.min(slots - flying, pool.idle())
    },
    lease,
    attempt,
    isOver: () => isOver || ledger.lost() || mailbox.again_ms > 0,
    isBusy: () => queue.size() > 0 || preparing.isWorking(),
    async idle(ms) {
      await Promise.race([wake.promise, pause(ms)])
      wake = Promise.withResolvers()
    },
    async end() {
      await preparing.ended()
      await looksForLost
      pool.close()
      if (refusal && senderRefusals > 0) stop(refusal, senderRefusals, null)
      // No message was accepted, however few there were.
      else if (failure && !accepted) stop(failure, mailbox.failures + 1, null)
      await stopped
      await ledger.last()
      if (unused > 0)
        await transaction((em) => rows.reserve(em, mailbox, mailbox.limits, { count: 0, unused }, unixNow()))
    },
  }
}

/** Sends the messages of a mailbox that are due until none are. */
export const drainMailbox = drains<mailboxes.Attended, Stamped>((mailboxId) => ({
  attend: (em, awakeMs) => mailboxes.attend(em, mailboxId, awakeMs, unixNow()),
  clear: (em) => mailboxes.clear(em, mailboxId),
  leave: (em, attended) => mailboxes.leave(em, attended, unixNow()),
  place: ({ tenant_id }) => ({ tenant_id, queue: 'campaigns', kind: 'dispatch', row_id: mailboxId }),
  begin,
}))
