// The steps of a checkout's workflow on our own rows: idempotent.
import { unixNow } from '../adapters/clock.ts'
import * as steps from '../entities/orders/checkout-steps.ts'
import * as sessions from '../entities/orders/payment-sessions.ts'
import * as release from '../entities/orders/release.ts'
import { statement, transaction } from './database.ts'

export const readCheckout = (orderId: string) => statement((em) => steps.checkoutStep(em, orderId))
export const requestSessionExpiry = (sessionId: string) => statement((em) => sessions.requestSessionExpiry(em, sessionId, unixNow()))
export const releaseCheckout = (orderId: string) => transaction((em) => release.releaseCheckout(em, orderId, unixNow()))
