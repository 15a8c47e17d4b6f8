// Cancels the subscriptions of an archived store and of its members: no one could cancel them afterwards. Its campaigns
// pause.
import type { EntityManager } from '@mikro-orm/postgresql'
import { pauseCampaignsOf } from '../campaigns/states.ts'
import { sql } from '../kit/database/sql.ts'
import { requestChange } from './changes.ts'
import { requestClosing } from './pages.ts'

type Row = {
  id: string
  tenant_id: string
  status: string
  cancel_at: number | null
  paid_through_at: number | null
  billing_status: string | null
}

/**
 * Cancels the plan of the store at the end of its paid time and closes its open payment page. The reconciler ends the
 * subscriptions of its members in the same way. Pauses its campaigns. Requires the lock of the store. `now` in Unix
 * seconds.
 */
export async function stopStore(em: EntityManager, tenantId: string, now: number): Promise<void> {
  // One that waits comes first: the page that it waits for would promote it.
  const rows: Row[] = await em.execute(sql`
    select id, tenant_id, status, cancel_at::float8 as cancel_at, paid_through_at::float8 as paid_through_at,
      billing_status
    from subscriptions
    where tenant_id = ${tenantId} and plan_id is not null and status in ('waiting', 'pending', 'live')
    order by status = 'waiting' desc, id
    for update
  `)
  for (const row of rows)
    await (row.status === 'live' ? requestChange(em, row, 'cancel', 'operator', now) : requestClosing(em, row, now))
  await em.execute(sql`
    update audiences
    set ending = true
    where tenant_id = ${tenantId} and type = 'paid' and not ending
  `)
  await pauseCampaignsOf(em, tenantId, { code: 'store_archived', message: 'The tenant was archived.' }, now)
}
