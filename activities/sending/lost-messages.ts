// Settles messages that another drain of the mailbox stamped before it was lost. The reconciler settles them as well,
// half a minute later.
import { log } from '../../adapters/log.ts'
import { decide } from '../../entities/kit/effects.ts'
import { start } from '../../entities/kit/outbox.ts'
import { campaignMessageEffect } from '../../entities/sending/campaign-messages.ts'
import { lostMessages } from '../../entities/sending/sending.ts'
import { statement, transaction } from '../kit/database.ts'
import { campaignIdsOf, type MailboxSender } from './mailbox-sender.ts'

/** Between two looks. */
const lookMs = 5_000

type Looking = Pick<MailboxSender, 'mailbox' | 'begunAt' | 'lostLookAt' | 'lostLook'>

async function settleLost(sender: Looking): Promise<void> {
  const { mailbox, begunAt } = sender
  sender.lostLookAt = performance.now() + lookMs
  const campaignIds = campaignIdsOf(sender)
  for (const { id } of await statement((em) => lostMessages(em, mailbox, campaignIds, performance.now() - begunAt)))
    await transaction(async (em) => {
      const { status } = await decide(em, campaignMessageEffect, id, null)
      // Its workflow fails: that is the operators' worklist.
      if (status === 'unknown') await start(em, 'campaign_message', id, { tenant_id: mailbox.tenant_id, signal: false })
    })
}

/** Looks for them when it is time, one look at a time. */
export function lookForLost(sender: Looking): void {
  if (performance.now() <= sender.lostLookAt) return
  sender.lostLook ??= settleLost(sender)
    .catch((err) => log.warn({ mailbox_id: sender.mailbox.id, err }, 'lost messages not settled'))
    .finally(() => {
      sender.lostLook = undefined
    })
}
