// The steps of a checkout's workflow on our own rows: idempotent. A checkout belongs to an order or to a subscription.
import { unixNow } from '../../adapters/clock.ts'
import { takePaid } from '../../entities/crm/ownership.ts'
import * as release from '../../entities/orders/release.ts'
import * as steps from '../../entities/payments/checkout-steps.ts'
import * as sessions from '../../entities/payments/payment-sessions.ts'
import * as pages from '../../entities/subscriptions/pages.ts'
import { statement, transaction } from '../kit/database.ts'

export const readCheckout = (ownerId: string) => statement((em) => steps.checkoutStep(em, ownerId))
export const requestSessionExpiry = (sessionId: string) =>
  statement((em) => sessions.requestSessionExpiry(em, sessionId, unixNow()))
export async function releaseCheckout(ownerId: string): Promise<void> {
  const now = unixNow()
  const isSubscription = await transaction(async (em) => {
    const released = await pages.releaseSubscription(em, ownerId, now)
    if (!released) await release.releaseCheckout(em, ownerId, now)
    return released
  })
  // Contacts are locked before members: not in the same transaction.
  if (isSubscription) await transaction((em) => takePaid(em, ownerId, now))
}
export const dropWaiting = (ownerId: string) => transaction((em) => pages.dropWaiting(em, ownerId, unixNow()))
