// Workflows that Temporal refused to start in all attempts.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type StartFacts, startItem } from '../../rules/platform/attention.ts'
import { attends, type Resolver } from '../kit/attention.ts'
import { sql } from '../kit/database/sql.ts'
import { outcomeNotPossible } from '../kit/resolution.ts'

/**
 * One that is started already, or waits for it, is left as it is: the answer to the first request may have been lost.
 */
const startAgain: Resolver['resolve'] = async (em: EntityManager, tenantId, id, { outcome }) => {
  if (outcome !== 'start_again') throw outcomeNotPossible(['start_again'])
  await em.execute(sql`
    update outbox
    set parked = false, tries = 0, lease_until = null, not_before = clock_timestamp()
    where id = ${id} and tenant_id is not distinct from ${tenantId} and parked
  `)
}

const ofPlan = sql`
  exists (
    select 1
    from subscriptions u
    where u.tenant_id = x.tenant_id
      and u.plan_id is not null
      and u.id = case x.kind
        when 'membership' then x.row_id
        when 'refund' then (select r.subscription_id from refunds r where r.id = x.row_id and r.tenant_id = x.tenant_id)
      end
  )
`

/** The administrators of the installation see those of all tenants. */
export const startAttention = attends<StartFacts>('start', {
  may: 'owner',
  from: sql`outbox x`,
  columns: sql`x.kind, x.row_id, x.error, x.tries, ${ofPlan} as of_plan`,
  where: sql`x.parked`,
  platform: sql`true`,
  since: sql`floor(extract(epoch from x.not_before))`,
  text: (row, scope) => startItem(row, scope === 'platform'),
  resolver: { table: 'outbox', resolve: startAgain },
})
