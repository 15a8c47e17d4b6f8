// Hands one stamped message to its server, and notes what is written about it.
import { log } from '../../adapters/log.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import { isMostlyRefused, pauseCampaigns } from '../../entities/sending/stops.ts'
import type { RefusalClass } from '../../rules/mail/refusals.ts'
import { reasons } from '../../rules/sending/breakers.ts'
import type { Outcome } from '../../rules/sending/sending.ts'
import { isAnswer } from '../../rules/sending/server-health.ts'
import { statement, transaction } from '../kit/database.ts'
import { failpoint } from '../kit/failpoints.ts'
import type { MailboxSender } from './mailbox-sender.ts'
import type { Ahead } from './preparation.ts'
import { isDistrust, resultOf, waitMs } from './results.ts'
import type { Stamped } from './submission.ts'

/** Recipients wait although their attempts are used up: their campaign is paused. */
const LAST_WAIT_MS = 3_600_000

/** What a message means for the turn of its domain. */
function turnAfter(outcome: Outcome): 'sent' | 'deferred' | 'other' {
  if (isAnswer(outcome)) return 'sent'
  return outcome === 'deferred' || outcome === 'retried' ? 'deferred' : 'other'
}

/**
 * After the last attempt that a refusal of the sender has: where nearly all are refused, the campaign is paused, and
 * its recipients go on waiting.
 */
async function lastWaitMs(
  { mailbox }: Pick<MailboxSender, 'mailbox'>,
  { campaign_id }: Ahead,
  about: RefusalClass | null,
): Promise<number | null> {
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

export async function attempt(sender: MailboxSender, stamped: Stamped): Promise<void> {
  const { queue, preparing, pool, breaker, ledger } = sender
  const { ahead, session } = stamped
  const handed = await sender.hand(stamped)
  const { outcome, error, about } = handed
  await failpoint('after_send', 'campaign_messages', ahead.id)
  pool.giveBack(session, outcome !== 'not_sent')
  breaker.answered(outcome, error)
  queue.done(ahead, turnAfter(outcome), performance.now())
  const scheduled = waitMs(handed, stamped)
  const wait = outcome === 'refused' ? (scheduled ?? (await lastWaitMs(sender, ahead, about))) : scheduled
  const result = resultOf(handed, stamped, wait, sender.mailbox.smtp)
  ledger.note(result)
  if (result.status === 'requested') breaker.stopIfFailing(outcome)
  if (outcome !== 'succeeded') return
  preparing.forget(ahead.enrollment_id)
  await breaker.works().catch(() => {})
}
