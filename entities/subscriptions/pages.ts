// Closing the page of a subscription that is not wanted any more. Placeholder of the function that opens and closes pages: the workflow of the page closes it.
import type { EntityManager } from '@mikro-orm/postgresql'
import { start } from '../kit/outbox.ts'
import { sql } from '../kit/sql.ts'

/** Asks the workflow of a pending subscription to close its page, and gives up one that waits. Requires the lock of the subscription. `now` in Unix seconds. */
export async function requestClosing(em: EntityManager, { id, tenant_id }: { id: string; tenant_id: string }, now: number): Promise<void> {
  const closing: unknown[] = await em.execute(
    sql`update subscriptions set cancel_requested = true, updated_at = ${now} where tenant_id = ${tenant_id} and id = ${id} and status = 'pending' returning id`,
  )
  await em.execute(sql`update subscriptions set status = 'given_up', updated_at = ${now} where tenant_id = ${tenant_id} and id = ${id} and status = 'waiting'`)
  if (closing.length > 0) await start(em, 'checkout', id, { tenant_id, again: true })
}
