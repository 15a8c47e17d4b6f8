// The refunds that the erasure of a tenant waits for, and what it copies of them.
import { WAITS_MAX_S } from '../../rules/erasure/erasures.ts'
import { sql } from '../kit/database/sql.ts'
import { ago, amountColumns, intentOf, isBeingSent, isPlan, isUnresolved } from '../kit/erasure-conditions.ts'
import type { ErasureWait } from '../kit/table.ts'

/** The provider accepted the refund so long ago, without carrying it out, that an operator may give it up. */
const isPendingLong = sql`coalesce((status = 'processing' and answered_at < ${ago(WAITS_MAX_S)}), false)`

export const refundWait: ErasureWait = {
  awaits: () => isUnresolved,
  money: {
    proceeds: () => sql`(${isBeingSent(sql`refunds`)} and not ${isPendingLong})`,
    isOfPlan: isPlan(sql`refunds.subscription_id`, sql`refunds.tenant_id`),
    isAccepted: isPendingLong,
    includesLate: true,
    copy: {
      ...amountColumns,
      status: sql`status`,
      intent: intentOf(sql`refunds.payment_id`, sql`refunds.tenant_id`),
      object: sql`provider_refund_id`,
      order: sql`order_id`,
      subscription: sql`subscription_id`,
    },
  },
}
