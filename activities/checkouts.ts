// The steps of a checkout's workflow on our own rows: idempotent.
import * as rows from '../entities/orders/release.ts'
import { statement, transaction } from './database.ts'

const now = () => Math.floor(Date.now() / 1000)

export const readCheckout = (orderId: string) => statement((em) => rows.checkoutStep(em, orderId))
export const requestSessionExpiry = (sessionId: string) => statement((em) => rows.requestSessionExpiry(em, sessionId, now()))
export const releaseCheckout = (orderId: string) => transaction((em) => rows.releaseCheckout(em, orderId, now()))
