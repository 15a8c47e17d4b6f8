// Stops the drain of a mailbox whose server cannot be used, and records why; records that it works where it did not
// before.
import { unixNow } from '../../adapters/clock.ts'
import type { EffectError } from '../../entities/kit/effect-columns.ts'
import type { Attended } from '../../entities/sending/dispatch.ts'
import { forgetFailures, mailboxFailed, mailboxSent } from '../../entities/sending/stops.ts'
import { DISTRUSTED_SESSIONS_MAX, type Reason, reasons } from '../../rules/sending/breakers.ts'
import { type Outcome, refusalIn } from '../../rules/sending/sending.ts'
import { healthAfter, newHealth, stopsAfter } from '../../rules/sending/server-health.ts'
import { statement, transaction } from '../kit/database.ts'
import { untilWritten } from '../kit/once.ts'
import { readableError } from '../providers/mail.ts'
import { SmtpError } from '../providers/smtp.ts'
import { refusesCredentials } from '../providers/smtp-pool.ts'
import { isDistrust } from './results.ts'

/** The time of the last message is written once in so long. */
const sentEveryMs = 60_000

/** `mailbox`: as it was attended to last. */
export function newBreaker(mailbox: () => Attended) {
  const { limits, failures, error_code } = mailbox()
  let health = newHealth(limits.connections, error_code === 'EENVELOPE' ? failures : 0)
  /** The last error of its address, and the last one of a session that broke before the body. */
  let refusal: EffectError | undefined
  let failure: EffectError | undefined
  let stopping: Promise<void> | undefined
  let hasProblem = failures > 0
  let sentAt = 0

  /** What waits is sent after a pause, or, for a final reason, when an operator resumes the campaigns. */
  function stop(error: EffectError, failuresInARow: number, final: Reason | null): void {
    stopping ??= untilWritten(() => transaction((em) => mailboxFailed(em, mailbox(), error, failuresInARow, final)))
  }

  /** Why no session can be opened any more, where the server says it. */
  function finalReason(error: Error): Reason | null {
    if (refusesCredentials(error)) return reasons.mailbox_refused
    const isDistrusted = error instanceof SmtpError && isDistrust(refusalIn(error.stage, error.reply))
    return isDistrusted && mailbox().failures + 1 >= DISTRUSTED_SESSIONS_MAX ? reasons.sender_reputation : null
  }

  return {
    slots: () => health.slots,
    hasStopped: () => stopping !== undefined,
    changed(attended: Attended): void {
      health = { ...health, slots: Math.min(health.slots, attended.limits.connections) }
      hasProblem ||= attended.failures > 0
    },
    /** After each message. `error`: of the outcomes that have one. */
    answered(outcome: Outcome, error: EffectError | null): void {
      health = healthAfter(health, outcome, mailbox().limits.connections)
      if (outcome === 'sender_refused') refusal = error as EffectError
      if (outcome === 'not_sent') failure = error as EffectError
    },
    /** The message waits: the drain stops if too many in a row do. */
    stopIfFailing(outcome: Outcome): void {
      if (!stopsAfter(health, outcome, mailbox().limits.connections)) return
      if (outcome === 'sender_refused') stop(refusal as EffectError, health.senderRefusals, reasons.sender_refused)
      else stop(failure as EffectError, mailbox().failures + 1, null)
    },
    noSession(error: Error): void {
      stop(readableError(error, mailbox().smtp), mailbox().failures + 1, finalReason(error))
    },
    /** Records the first success after failures, and once a minute that a message was sent. */
    async works(): Promise<void> {
      const now = performance.now()
      if (hasProblem) {
        hasProblem = false
        const { tenant_id, id } = mailbox()
        await statement((em) => forgetFailures(em, { tenant_id, mailbox_ids: [id] }))
      }
      if (sentAt > 0 && now - sentAt < sentEveryMs) return
      sentAt = now
      await transaction((em) => mailboxSent(em, mailbox(), unixNow()))
    },
    /** Resolves when the reason is written. */
    async ended(): Promise<void> {
      if (refusal && health.senderRefusals > 0) stop(refusal, health.senderRefusals, null)
      // However few messages there were.
      else if (failure && !health.hasAnswered) stop(failure, mailbox().failures + 1, null)
      await stopping
    },
  }
}
