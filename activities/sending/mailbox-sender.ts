// The state of one drain that sends the messages of its mailbox, and how what its server answered is written.
import { unixNow } from '../../adapters/clock.ts'
import { uuids } from '../../entities/kit/ids.ts'
import { completeCampaigns } from '../../entities/sending/completion.ts'
import type { Attended } from '../../entities/sending/dispatch.ts'
import { stillWanted } from '../../entities/sending/sending.ts'
import { followsMore, type SentResult, settleMessages } from '../../entities/sending/settlement.ts'
import { newSendQueue, type SendQueue } from '../../rules/sending/send-queue.ts'
import { SESSIONS_MAX } from '../../rules/sending/sending.ts'
import { statement, transaction } from '../kit/database.ts'
import { newLedger } from '../kit/drain.ts'
import { newLastLooks } from '../kit/last-looks.ts'
import { egress } from '../providers/http.ts'
import { type Account, newPermits, newPool } from '../providers/smtp-pool.ts'
import { newAllowance } from './allowance.ts'
import { newBreaker } from './breaker.ts'
import type { Ahead } from './preparation.ts'
import { newPreparing, type Preparing } from './preparing.ts'
import { newHanding } from './submission.ts'

/** What all mailboxes of this process share. */
const permits = newPermits(SESSIONS_MAX)
/**
 * Results of so long are written together. They are kept for a minute while the database restarts: without them, what
 * was sent would be unknown.
 */
const ledgerOptions = { waitMs: 60, tries: 120 }

/** Times are those of performance.now(). */
export type MailboxSender = {
  /** As it was attended to last. */
  mailbox: Attended
  readonly begunAt: number
  /** When stamped messages of a lost drain are looked for again, and the look that is under way. */
  lostLookAt: number
  lostLook: Promise<void> | undefined
  /** Resolved when messages can be sent. */
  wake: PromiseWithResolvers<void>
  /** Messages that are written ahead by `preparing`. */
  readonly queue: SendQueue<Ahead>
  readonly preparing: Preparing
  readonly pool: ReturnType<typeof newPool>
  /** Stops the drain where the server cannot be used. */
  readonly breaker: ReturnType<typeof newBreaker>
  /** What the limits of the mailbox permit. */
  readonly allowance: ReturnType<typeof newAllowance>
  /** Hands one message to the server. */
  readonly hand: ReturnType<typeof newHanding>
  /** Writes results in batches. */
  readonly ledger: ReturnType<typeof newLedger<SentResult>>
}

const accountOf = ({ tenant_id, account_id, smtp, limits }: Attended): Account => ({
  owner: { account: account_id, tenant: tenant_id },
  ...{ server: smtp, connections: limits.connections, messages_per_connection: limits.messages_per_connection },
  connect: () =>
    egress().connect({ protocol: 'smtp', host: smtp.host, port: smtp.port, plain: smtp.security === 'none' }),
})

export const campaignIdsOf = ({ mailbox }: Pick<MailboxSender, 'mailbox'>): string[] =>
  mailbox.campaigns.map(({ id }) => id)

/** Writes what the server answered. Messages that wait are due again soon; after the last ones, campaigns complete. */
async function settle(
  sender: Pick<MailboxSender, 'mailbox' | 'queue' | 'preparing'>,
  batch: readonly SentResult[],
): Promise<void> {
  const { mailbox, queue, preparing } = sender
  await (followsMore(batch) ? transaction : statement)((em) => settleMessages(em, mailbox, batch, unixNow()))
  if (batch.some(({ status }) => status === 'requested')) preparing.lookAgain()
  // Perhaps these were the last ones.
  else if (queue.size() === 0 && !preparing.isWorking())
    await statement((em) => completeCampaigns(em, uuids(campaignIdsOf(sender)))).catch(() => {})
}

export function newMailboxSender(first: Attended): MailboxSender {
  const state: Pick<MailboxSender, 'mailbox' | 'begunAt' | 'lostLookAt' | 'lostLook' | 'wake'> = {
    ...{ mailbox: first, begunAt: performance.now(), lostLookAt: 0, lostLook: undefined },
    wake: Promise.withResolvers(),
  }
  const mailbox = () => state.mailbox
  const woken = () => state.wake.resolve()
  const queue = newSendQueue<Ahead>()
  const preparing = newPreparing(mailbox, queue, woken)
  const wanted = newLastLooks((ids) => statement((em) => stillWanted(em, state.mailbox, ids)))
  const sender: MailboxSender = Object.assign(state, {
    ...{ queue, preparing },
    pool: newPool(permits, accountOf(first), woken),
    breaker: newBreaker(mailbox),
    allowance: newAllowance(mailbox),
    hand: newHanding(mailbox, preparing, wanted),
    ledger: newLedger<SentResult>((batch) => settle(sender, batch), ledgerOptions),
  })
  return sender
}

/** The mailbox was attended to again: limits, campaigns or its server may have changed. */
export function attendTo(sender: MailboxSender, mailbox: Attended): void {
  sender.mailbox = mailbox
  sender.breaker.changed(mailbox)
  sender.pool.use(accountOf(mailbox))
}
