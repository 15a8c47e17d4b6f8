// Sends the campaign messages of one mailbox: each body is handed to its server once at most. Claimed and stamped for
// as many sessions as are open, settled in batches.
import { setTimeout as pause } from 'node:timers/promises'
import { unixNow } from '../../adapters/clock.ts'
import { log } from '../../adapters/log.ts'
import { config } from '../../config.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import { decide } from '../../entities/kit/effects.ts'
import { newId, uuids } from '../../entities/kit/ids.ts'
import { start } from '../../entities/kit/outbox.ts'
import { campaignMessageEffect } from '../../entities/sending/campaign-messages.ts'
import { completeCampaigns } from '../../entities/sending/completing.ts'
import * as mailboxes from '../../entities/sending/dispatching.ts'
import { readThreads } from '../../entities/sending/recipients.ts'
import * as rows from '../../entities/sending/sending.ts'
import { followsMore, type SentResult, settleMessages } from '../../entities/sending/settling.ts'
import { isMostlyRefused, pauseCampaigns } from '../../entities/sending/stopping.ts'
import type { RefusalClass } from '../../rules/mail/refusals.ts'
import { reasons } from '../../rules/sending/breakers.ts'
import { newSendQueue } from '../../rules/sending/send-queue.ts'
import { type Outcome, SESSIONS_MAX } from '../../rules/sending/sending.ts'
import { isAnswer } from '../../rules/sending/server-health.ts'
import { statement, transaction } from '../kit/database.ts'
import { drains, newLedger, type Sending } from '../kit/drain.ts'
import { failpoint } from '../kit/failpoints.ts'
import { newLastLooks } from '../kit/last-looks.ts'
import { untilWritten } from '../kit/once.ts'
import { egress } from '../providers/http.ts'
import type { SmtpSession } from '../providers/smtp.ts'
import { type Account, newPermits, newPool } from '../providers/smtp-pool.ts'
import { newAllowance } from './allowance.ts'
import { newBreaker } from './breaker.ts'
import { newHanding, type Stamped } from './handing.ts'
import type { Ahead } from './preparation.ts'
import { newPreparing } from './preparing.ts'
import { isDistrust, resultOf, waitMs } from './results.ts'

/** Of all mailboxes of this process. */
const permits = newPermits(SESSIONS_MAX)
/**
 * Results of so long are written together. They are kept for a minute while the database restarts: without them, what
 * was sent would be unknown.
 */
const ledgerOptions = { waitMs: 60, tries: 120 }

/** Between two looks for messages that a lost drain had stamped. */
const lostLookMs = 5_000

/** Of recipients that wait although their attempts are used up: their campaign is paused. */
const LAST_WAIT_MS = 3_600_000

const accountOf = ({ tenant_id, account_id, smtp, limits }: mailboxes.Attended): Account => ({
  owner: { account: account_id, tenant: tenant_id },
  ...{ server: smtp, connections: limits.connections, messages_per_connection: limits.messages_per_connection },
  connect: () =>
    egress().connect({ protocol: 'smtp', host: smtp.host, port: smtp.port, plain: smtp.security === 'none' }),
})

/** What a message means for the turn of its domain. */
function turnAfter(outcome: Outcome): 'sent' | 'deferred' | 'other' {
  if (isAnswer(outcome)) return 'sent'
  return outcome === 'deferred' || outcome === 'retried' ? 'deferred' : 'other'
}

/**
 * Sends the messages of one mailbox while its drain lasts. `preparing` writes them ahead into `queue`; `lease` claims
 * as many as there are idle sessions and as `allowance` permits; `attempt` hands one to the server and notes its result
 * in `ledger`; `breaker` stops it where the server cannot be used.
 */
function newMailboxSender(first: mailboxes.Attended): Sending<mailboxes.Attended, Stamped> {
  let mailbox = first
  const attended = () => mailbox
  const begun = performance.now()
  let lostLookAt = 0
  let looksForLost: Promise<void> | undefined
  let wake = Promise.withResolvers<void>()
  const woken = () => wake.resolve()
  const queue = newSendQueue<Ahead>()
  const preparing = newPreparing(attended, queue, woken)
  const pool = newPool(permits, accountOf(first), woken)
  const breaker = newBreaker(attended)
  const allowance = newAllowance(attended)
  const stillWanted = newLastLooks((ids) => statement((em) => rows.stillWanted(em, mailbox, ids)))
  const hand = newHanding(attended, preparing, stillWanted)
  const ledger = newLedger<SentResult>(async (batch) => {
    await (followsMore(batch) ? transaction : statement)((em) => settleMessages(em, mailbox, batch, unixNow()))
    if (batch.some(({ status }) => status === 'requested')) preparing.lookAgain()
    // Perhaps these were the last ones.
    else if (queue.size() === 0 && !preparing.isWorking())
      await statement((em) => completeCampaigns(em, uuids(mailbox.campaigns.map(({ id }) => id)))).catch(() => {})
  }, ledgerOptions)

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
        if (status === 'unknown')
          await start(em, 'campaign_message', id, { tenant_id: mailbox.tenant_id, again: false })
      })
  }

  function lookForLost(): void {
    looksForLost ??= settleLost()
      .catch((err) => log.warn({ mailbox_id: mailbox.id, err }, 'lost messages not settled'))
      .finally(() => {
        looksForLost = undefined
      })
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
      if (await allowance.isOpen()) preparing.dayGoesOn()
      return []
    }
    const count = wanted === 0 ? 0 : await allowance.reserved(wanted)
    const chosen =
      count === 0 ? [] : queue.take(count, Math.max(1, Math.ceil(mailbox.limits.connections / 2)), performance.now())
    const sessions: SmtpSession[] = []
    while (sessions.length < chosen.length && pool.idle() > 0) sessions.push(pool.take())
    const giveUp = (ahead: Ahead) => {
      queue.done(ahead, 'other', performance.now())
      preparing.gaveUp()
    }
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
    allowance.giveBack(count - stamped.length)
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

  /**
   * After the last attempt that a refusal of the sender has: where nearly all are refused, the campaign is paused, and
   * its recipients go on waiting.
   */
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

  async function attempt(stamped: Stamped): Promise<void> {
    const { ahead, session } = stamped
    const handed = await hand(stamped)
    const { outcome, error, about } = handed
    await failpoint('after_send', 'campaign_messages', ahead.id)
    pool.giveBack(session, outcome !== 'not_sent')
    breaker.answered(outcome, error)
    queue.done(ahead, turnAfter(outcome), performance.now())
    const scheduled = waitMs(handed, stamped)
    const wait = outcome === 'refused' ? (scheduled ?? (await lastWaitMs(ahead, about))) : scheduled
    const result = resultOf(handed, stamped, wait, mailbox.smtp)
    ledger.note(result)
    if (result.status === 'requested') breaker.stopIfFailing(outcome)
    if (outcome !== 'succeeded') return
    preparing.forget(ahead.enrollment_id)
    await breaker.works().catch(() => {})
  }

  return {
    changed(changed) {
      mailbox = changed
      breaker.changed(changed)
      pool.use(accountOf(changed))
    },
    slots: breaker.slots,
    free(flying) {
      preparing.more()
      if (performance.now() > lostLookAt) lookForLost()
      const waiting = queue.size()
      const error = pool.error()
      if (error) breaker.noSession(error)
      if (waiting === 0 || allowance.isWaiting()) return 1
      pool.want(Math.min(breaker.slots(), flying + waiting))
      return Math.min(breaker.slots() - flying, pool.idle())
    },
    lease,
    attempt,
    isOver: () => breaker.hasStopped() || allowance.isUsedUp() || ledger.lost() || mailbox.again_ms > 0,
    isBusy: () => queue.size() > 0 || preparing.isWorking(),
    async idle(ms) {
      await Promise.race([wake.promise, pause(ms)])
      wake = Promise.withResolvers()
    },
    async end() {
      await preparing.ended()
      await looksForLost
      pool.close()
      await breaker.ended()
      await ledger.last()
      await allowance.ended()
    },
  }
}

/** Sends the messages of a mailbox that are due until none are. */
export const drainMailbox = drains<mailboxes.Attended, Stamped>((mailboxId) => ({
  attend: (em, awakeMs) => mailboxes.attend(em, mailboxId, awakeMs, unixNow()),
  clear: (em) => mailboxes.clear(em, mailboxId),
  leave: (em, attended) => mailboxes.leave(em, attended, unixNow()),
  place: ({ tenant_id }) => ({ tenant_id, queue: 'campaigns', kind: 'dispatch', row_id: mailboxId }),
  begin: newMailboxSender,
}))
