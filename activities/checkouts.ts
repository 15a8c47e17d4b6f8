// The steps of a checkout's workflow on our own rows: idempotent. A checkout belongs to an order or to a subscription.
import { unixNow } from '../adapters/clock.ts'
import * as steps from '../entities/orders/checkout-steps.ts'
import * as sessions from '../entities/orders/payment-sessions.ts'
import * as release from '../entities/orders/release.ts'
import * as pages from '../entities/subscriptions/pages.ts'
import { statement, transaction } from './database.ts'

export const readCheckout = (ownerId: string) => statement((em) => steps.checkoutStep(em, ownerId))
export const requestSessionExpiry = (sessionId: string) => statement((em) => sessions.requestSessionExpiry(em, sessionId, unixNow()))
export const releaseCheckout = (ownerId: string) =>
  transaction(async (em) => {
    const now = unixNow()
    if (!(await pages.releaseSubscription(em, ownerId, now))) await release.releaseCheckout(em, ownerId, now)
  })
export const dropWaiting = (ownerId: string) => transaction((em) => pages.dropWaiting(em, ownerId, unixNow()))
