// The lock of a payment, under which its amounts and its refunds change.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Payment } from './payment.ts'

/** A payment by its id, or the one payment of an order. */
export type PaymentOf = { id: string } | { order_id: string }

/** Locks and reads a payment again, even if this unit of work has read it before. */
export const lockPayment = (em: EntityManager, of: PaymentOf): Promise<Payment | null> =>
  em.findOne(Payment, of, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
