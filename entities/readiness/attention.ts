// Stores that offer something and cannot take money for it.
import type { DescribedRow } from '../../rules/descriptions.ts'
import { readinessItem } from '../../rules/readiness/attention.ts'
import { attends } from '../kit/attention.ts'
import { sql } from '../kit/database/sql.ts'
import { canChargeSql } from '../payments/charging-account.ts'
import { takesSql } from './set-up.ts'

/**
 * One with nothing to sell yet is being set up, and needs no person. The order keeps the planner from reading the
 * products and services of all tenants.
 */
export const readinessAttention = attends<DescribedRow>('readiness', {
  from: sql`tenants x`,
  tenant: sql`x.id`,
  where: sql`
    x.status = 'ACTIVE'
    and x.erasing_at is null
    and (
      (
        select g.id
        from products g
        where g.tenant_id = x.id and g.status = 'active'
        order by g.created_at, g.id
        limit 1
      ) is not null
      or (
        select s.id
        from services s
        where s.tenant_id = x.id and s.status = 'active'
        order by s.created_at, s.id
        limit 1
      ) is not null
    )
    and not ${takesSql('cash', sql`x.id`)}
    and not (${takesSql('card', sql`x.id`)} and ${canChargeSql(sql`x.id`)})
  `,
  since: sql`x.created_at`,
  text: readinessItem,
})
