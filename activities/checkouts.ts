// The steps of a checkout's workflow on our own rows: idempotent.
import * as steps from '../entities/orders/checkout-steps.ts'
import * as sessions from '../entities/orders/payment-sessions.ts'
import * as release from '../entities/orders/release.ts'
import { statement, transaction } from './database.ts'

const now = () => Math.floor(Date.now() / 1000)

export const readCheckout = (orderId: string) => statement((em) => steps.checkoutStep(em, orderId))
export const requestSessionExpiry = (sessionId: string) => statement((em) => sessions.requestSessionExpiry(em, sessionId, now()))
export const releaseCheckout = (orderId: string) => transaction((em) => release.releaseCheckout(em, orderId, now()))
