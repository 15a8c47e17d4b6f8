// Delivers events to one webhook at least once, under a constant id.
import { unixNow } from '../../adapters/clock.ts'
import { config } from '../../config.ts'
import * as rows from '../../entities/webhooks/deliveries.ts'
import { afterTry, SLOTS_MAX, slotsAfter } from '../../rules/webhooks/deliveries.ts'
import { statement } from '../kit/database.ts'
import { drains, newLedger, type Sending } from '../kit/drain.ts'
import { signingKey } from '../providers/signatures.ts'
import { sendDelivery } from '../providers/webhook.ts'

/** `gone_url`: the encrypted address that answered 410. */
type Noted = rows.Result & { gone_url: string | null }

function begin(first: rows.Attended): Sending<rows.Attended, rows.Leased> {
  let endpoint = first
  let keys = endpoint.secrets.map(signingKey)
  let slots = SLOTS_MAX
  let failedInARow = 0
  let isDeleted = false
  // A delivery whose result is not written is sent again.
  const { note, last, lost } = newLedger<Noted>((batch) =>
    statement((em) =>
      rows.settleDeliveries(
        em,
        endpoint,
        batch,
        // A 410 of an address that was replaced meanwhile does not disable the new one.
        batch.some(({ gone_url }) => gone_url === endpoint.sealed_url),
        unixNow(),
      ),
    ),
  )
  return {
    changed(attended) {
      if (attended.secrets.join() !== endpoint.secrets.join()) keys = attended.secrets.map(signingKey)
      endpoint = attended
    },
    slots: () => slots,
    free: (flying) => slots - flying,
    lease: (free) => statement((em) => rows.leaseDeliveries(em, endpoint, free, config.deliveryTimeoutMs * 1.5)),
    async attempt(leased) {
      const at = endpoint
      const { retry_after_s, status, ...sent } = await sendDelivery(at, keys, leased)
      const settled = afterTry({ status, retry_after_s }, leased.attempts, config.deliveryRetryS, Math.random())
      failedInARow = settled.status === 'succeeded' ? 0 : failedInARow + 1
      slots = slotsAfter(slots, failedInARow)
      const gone_url = status === 410 ? at.sealed_url : null
      // The next write disables the webhook.
      isDeleted ||= gone_url === endpoint.sealed_url
      note({
        ...sent,
        id: leased.id,
        attempt: leased.attempts,
        status: settled.status,
        wait_ms: settled.status === 'pending' ? settled.wait_ms : null,
        provider_status_code: status,
        gone_url,
      })
    },
    isOver: () => lost() || isDeleted,
    end: last,
  }
}

/** Sends the deliveries of a webhook that are due until none are. */
export const drainDeliveries = drains<rows.Attended, rows.Leased>((webhookId) => ({
  attend: (em, awakeMs) => rows.attend(em, webhookId, awakeMs),
  clear: (em) => rows.clearAwake(em, webhookId),
  leave: rows.leave,
  place: ({ tenant_id }) => ({ tenant_id, queue: 'deliveries', kind: 'deliver', row_id: webhookId }),
  begin,
}))
