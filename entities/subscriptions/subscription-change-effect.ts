// How a change of a subscription is claimed and settled: what rules/effects.ts asks of the rows of
// `subscription_change`.
import type { EntityManager } from '@mikro-orm/postgresql'
import { assignments, sql } from '../kit/database/sql.ts'
import { effectRow } from '../kit/effects.ts'
import { lockSubscription } from './locks.ts'
import { recordAnswer } from './states.ts'

async function lock(em: EntityManager, changeId: string): Promise<void> {
  const [found]: { id: string; tenant_id: string }[] = await em.execute(
    sql`select subscription_id as id, tenant_id from subscription_changes where id = ${changeId}`,
  )
  if (found) await lockSubscription(em, found)
}

/** The answer came after its outcome was recorded as unknown. */
async function answeredLate(
  em: EntityManager,
  id: string,
  columns: Record<string, string | number | null>,
): Promise<void> {
  if (Object.keys(columns).length === 0) return
  await em.execute(sql`
    update subscription_changes
    set ${assignments(columns)}
    where id = ${id}
    returning tenant_id
  `)
  await recordAnswer(em, id)
}

export const subscriptionChangeEffect = effectRow('subscription_change', {
  processId: sql`e.subscription_id`,
  // A subscription that has ended cannot be changed any more.
  precondition: sql`
    exists (
      select 1
      from subscriptions s
      where s.id = e.subscription_id
        and s.tenant_id = e.tenant_id
        and s.status in ('live', 'given_up')
        and s.provider_subscription_id is not null
    )
  `,
  lock,
  afterStatusChange: recordAnswer,
  late: answeredLate,
})
