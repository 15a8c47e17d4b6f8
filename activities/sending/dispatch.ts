// Sends the campaign messages of one mailbox: each body is handed to its server once at most. Claimed and stamped for
// as many sessions as are open, settled in batches.
import { setTimeout as pause } from 'node:timers/promises'
import { unixNow } from '../../adapters/clock.ts'
import * as mailboxes from '../../entities/sending/dispatch.ts'
import { drains, type Sending } from '../kit/drain.ts'
import { attempt } from './attempt.ts'
import { lease } from './lease.ts'
import { lookForLost } from './lost-messages.ts'
import { attendTo, type MailboxSender, newMailboxSender } from './mailbox-sender.ts'
import type { Stamped } from './submission.ts'

/** Prepares more, and returns how many messages may be leased. `flying`: those that are being sent. */
function free(sender: MailboxSender, flying: number): number {
  const { queue, preparing, pool, breaker, allowance } = sender
  preparing.more()
  lookForLost(sender)
  const waiting = queue.size()
  const error = pool.error()
  if (error) breaker.noSession(error)
  if (waiting === 0 || allowance.isWaiting()) return 1
  pool.want(Math.min(breaker.slots(), flying + waiting))
  return Math.min(breaker.slots() - flying, pool.idle())
}

const isOver = ({ mailbox, breaker, allowance, ledger }: MailboxSender): boolean =>
  breaker.hasStopped() || allowance.isUsedUp() || ledger.lost() || mailbox.again_ms > 0

async function end(sender: MailboxSender): Promise<void> {
  await sender.preparing.ended()
  await sender.lostLook
  sender.pool.close()
  await sender.breaker.ended()
  await sender.ledger.last()
  await sender.allowance.ended()
}

/** Sends the messages of one mailbox while its drain lasts. */
function begin(first: mailboxes.Attended): Sending<mailboxes.Attended, Stamped> {
  const sender = newMailboxSender(first)
  const { queue, preparing } = sender
  return {
    changed: (mailbox) => attendTo(sender, mailbox),
    slots: sender.breaker.slots,
    free: (flying) => free(sender, flying),
    lease: (most) => lease(sender, most),
    attempt: (stamped) => attempt(sender, stamped),
    isOver: () => isOver(sender),
    isBusy: () => queue.size() > 0 || preparing.isWorking(),
    async idle(ms) {
      await Promise.race([sender.wake.promise, pause(ms)])
      sender.wake = Promise.withResolvers()
    },
    end: () => end(sender),
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
