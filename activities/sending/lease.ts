// Claims and stamps messages that are written ahead: as many as there are idle sessions, and as the limits permit.
import { log } from '../../adapters/log.ts'
import { config } from '../../config.ts'
import { newId } from '../../entities/kit/ids.ts'
import { readThreads } from '../../entities/sending/recipients.ts'
import * as rows from '../../entities/sending/sending.ts'
import { statement, transaction } from '../kit/database.ts'
import { failpoint } from '../kit/failpoints.ts'
import { untilWritten } from '../kit/once.ts'
import type { SmtpSession } from '../providers/smtp.ts'
import { campaignIdsOf, type MailboxSender } from './mailbox-sender.ts'
import type { Ahead } from './preparation.ts'
import type { Stamped } from './submission.ts'

type Claiming = Pick<MailboxSender, 'mailbox' | 'preparing'>

/** The messages that are stamped; none, if their stamps are not acknowledged. */
async function claim(
  { mailbox, preparing }: Claiming,
  chosen: readonly Ahead[],
  token: string,
): Promise<Map<string, rows.Claimed>> {
  const ids = chosen.map(({ id }) => id)
  const unread = chosen.flatMap(({ id, content }) => (content ? [] : [id]))
  const open = new Set(campaignIdsOf({ mailbox }))
  const campaignIds = [...new Set(chosen.map(({ campaign_id }) => campaign_id))].filter((id) => open.has(id))
  try {
    const claimed = await statement((em) =>
      rows.claimMessages(em, mailbox, { ids, campaignIds, unread, token, limitMs: config.mailLimitMs }),
    )
    for (const id of config.failpoints ? ids : []) await failpoint('after_stamp', 'campaign_messages', id)
    return new Map(claimed.map((one) => [one.id, one]))
  } catch (error) {
    log.warn({ mailbox_id: mailbox.id, err: error }, 'stamps not acknowledged')
    // They may have been committed, so nothing may be sent.
    await untilWritten(() => transaction((em) => rows.giveBackClaim(em, mailbox, ids, token)))
    preparing.lookAgain()
    return new Map()
  }
}

/** The Message-IDs of earlier steps, of messages that are to be shown in one thread with them. */
async function withThreads({ mailbox, preparing }: Claiming, stamped: Stamped[]): Promise<Stamped[]> {
  const threaded = stamped.filter(({ ahead }) => ahead.step > 0 && preparing.stepOf(ahead).in_thread)
  if (threaded.length === 0) return stamped
  const ids = threaded.map(({ ahead }) => ahead.enrollment_id)
  const threads = await statement((em) => readThreads(em, mailbox.tenant_id, ids)).catch(
    () => new Map<string, string[]>(),
  )
  return stamped.map((one) => ({ ...one, thread: threads.get(one.ahead.enrollment_id) ?? [] }))
}

type Leasing = Claiming & Pick<MailboxSender, 'queue' | 'pool' | 'allowance'>

/** What is taken and not sent now. */
function giveUp({ queue, preparing }: Leasing, ahead: Ahead): void {
  queue.done(ahead, 'other', performance.now())
  preparing.gaveUp()
}

/** At most `most` messages of the queue, with a session each. */
function taken(sender: Leasing, most: number): { chosen: Ahead[]; sessions: SmtpSession[] } {
  const { mailbox, queue, pool } = sender
  const ofDomain = Math.max(1, Math.ceil(mailbox.limits.connections / 2))
  const chosen = most === 0 ? [] : queue.take(most, ofDomain, performance.now())
  const sessions: SmtpSession[] = []
  while (sessions.length < chosen.length && pool.idle() > 0) sessions.push(pool.take())
  for (const ahead of chosen.splice(sessions.length)) giveUp(sender, ahead)
  return { chosen, sessions }
}

/** Claimed and stamped messages, each on its session. `free`: how many may be sent at once. */
export async function lease(sender: Leasing, free: number): Promise<Stamped[]> {
  const { queue, preparing, pool, allowance } = sender
  const wanted = Math.min(free, queue.size())
  // Nothing is written ahead any more: the mailbox rests, and its campaigns say so.
  if (wanted === 0 && preparing.isDayOver()) {
    if (await allowance.isOpen()) preparing.dayGoesOn()
    return []
  }
  const reserved = wanted === 0 ? 0 : await allowance.reserved(wanted)
  const { chosen, sessions } = taken(sender, reserved)
  const token = newId()
  const before = performance.now()
  const claimed = chosen.length === 0 ? new Map<string, rows.Claimed>() : await claim(sender, chosen, token)
  const stamped: Stamped[] = []
  for (const ahead of chosen) {
    const one = claimed.get(ahead.id)
    if (one?.holds)
      stamped.push({ ahead, claimed: one, token, session: sessions.pop() as SmtpSession, before, thread: [] })
    else giveUp(sender, ahead)
  }
  allowance.giveBack(reserved - stamped.length)
  for (const session of sessions) pool.giveBack(session, false)
  return withThreads(sender, stamped)
}
