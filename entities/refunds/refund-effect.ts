// How a refund is claimed, settled and counted: what rules/effects.ts asks of the rows of `refund`.
import type { EntityManager } from '@mikro-orm/postgresql'
import { READ_BACK_S } from '../../rules/refunds/refunds.ts'
import { sql } from '../kit/database/sql.ts'
import { effectRow } from '../kit/effects.ts'
import { lateRows } from '../kit/late-rows.ts'
import { countRefunds, lockPaymentOfRefund } from './refund-amounts.ts'

export const refundEffect = effectRow('refund', {
  // What was corrected, or made at the provider, since it was requested may leave less than its amount. A refund in
  // another currency than the payment's is the whole of it.
  precondition: sql`
    exists (
      select 1
      from payments p
      where p.id = e.payment_id
        and p.tenant_id = e.tenant_id
        and (
          p.currency <> e.currency
          or p.captured_amount >= e.amount + coalesce(
            (
              select sum(x.amount)
              from refunds x
              where x.payment_id = e.payment_id
                and x.tenant_id = e.tenant_id
                and x.currency = e.currency
                and x.id <> e.id
                and x.status in ('processing', 'succeeded', 'unknown')
            ),
            0
          )
        )
    )
  `,
  // An answer that does not name the refund proves nothing: its event comes before the deadline, or the outcome is
  // unknown.
  answered: sql`e.answered_at is not null and e.provider_refund_id is not null`,
  lock: lockPaymentOfRefund,
  afterStatusChange: countRefunds,
  // No caller would request it again: the buyer paid too late, and no operator knows.
  persistent: sql`e.origin = 'system'`,
  refused: sql`e.attempt = 0 and e.error ->> 'code' = 'amount_exceeds_refundable'`,
})

/**
 * The provider accepted it and has not said for an hour how it ended. A condition on rows `x`.
 */
const isToRead = sql`
  x.status = 'processing'
  and x.provider_refund_id is not null
  and x.answered_at < clock_timestamp() - make_interval(secs => ${READ_BACK_S})
  and coalesce(x.read_at, x.answered_at) < clock_timestamp() - make_interval(secs => ${READ_BACK_S})
`

/** Refunds that are read at the provider: their event may be lost. */
export const unreadRefunds = lateRows({
  from: sql`refunds x`,
  at: 'x.created_at',
  type: 'bigint',
  where: () => isToRead,
})

export type PendingRefund = {
  amount: number
  currency: string
  provider_account_id: string | null
  provider_refund_id: string
}

/** The refund, if it has to be read; another read begins an hour later at the earliest. */
export async function claimRead(em: EntityManager, id: string): Promise<PendingRefund | undefined> {
  const [found]: PendingRefund[] = await em.execute(sql`
    update refunds x
    set read_at = clock_timestamp()
    where x.id = ${id} and ${isToRead}
    returning x.amount::float8 as amount, x.currency, x.provider_account_id, x.provider_refund_id
  `)
  return found
}
