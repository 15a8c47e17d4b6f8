// Hands one stamped message to its server, and notes what is written about it.
import type { LastRefusal } from '../../entities/sending/settlement.ts'
import { reasons } from '../../rules/sending/breakers.ts'
import type { Outcome } from '../../rules/sending/sending.ts'
import { isAnswer } from '../../rules/sending/server-health.ts'
import { failpoint } from '../kit/failpoints.ts'
import type { MailboxSender } from './mailbox-sender.ts'
import { isDistrust, resultOf, waitMs } from './results.ts'
import type { Handed, Stamped } from './submission.ts'

/** Recipients wait although their attempts are used up: their campaign is paused. */
const LAST_WAIT_MS = 3_600_000

/** What a message means for the turn of its domain. */
function turnAfter(outcome: Outcome): 'sent' | 'deferred' | 'other' {
  if (isAnswer(outcome)) return 'sent'
  return outcome === 'deferred' || outcome === 'retried' ? 'deferred' : 'other'
}

/** The last attempt that a refusal of the sender has: whether its recipient waits depends on the whole campaign. */
const lastRefusal = ({ mailbox }: Pick<MailboxSender, 'mailbox'>, stamped: Stamped, handed: Handed): LastRefusal => ({
  campaign_id: stamped.ahead.campaign_id,
  reason: isDistrust(handed.about) ? reasons.sender_reputation : reasons.nearly_all_refused,
  waiting: resultOf(handed, stamped, LAST_WAIT_MS, mailbox.smtp),
})

export async function attempt(sender: MailboxSender, stamped: Stamped): Promise<void> {
  const { queue, preparing, pool, breaker, ledger } = sender
  const { ahead, session } = stamped
  const handed = await sender.hand(stamped)
  const { outcome, error } = handed
  await failpoint('after_send', 'campaign_messages', ahead.id)
  pool.giveBack(session, outcome !== 'not_sent')
  breaker.answered(outcome, error)
  queue.done(ahead, turnAfter(outcome), performance.now())
  const wait = waitMs(handed, stamped)
  const result = resultOf(handed, stamped, wait, sender.mailbox.smtp)
  const isLast = outcome === 'refused' && wait === null
  // Noted at once: the campaign is judged with what is noted.
  ledger.note(isLast ? { ...result, last: lastRefusal(sender, stamped, handed) } : result)
  if (result.status === 'requested') breaker.stopIfFailing(outcome)
  if (outcome !== 'succeeded') return
  preparing.forget(ahead.enrollment_id)
  await breaker.works().catch(() => {})
}
