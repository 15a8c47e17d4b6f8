// The figures of a store by day, in one statement. Each part reads the rows of the days by an index that begins with
// the tenant, or with the webhook, campaign or workflow of the tenant.
import type { EntityManager } from '@mikro-orm/postgresql'
import { ExecutionStatus } from '../../rules/automation/executions.ts'
import { effectStatuses } from '../../rules/effects.ts'
import { OrderStatus } from '../../rules/orders/statuses.ts'
import type { DayBounds, Figure } from '../../rules/overview/overview.ts'
import { BookingStatus } from '../../rules/scheduling/slots.ts'
import { DeliveryStatus } from '../../rules/webhooks/deliveries.ts'
import { join, type Sql, sql, text } from '../kit/database/sql.ts'
import { arrayOf } from '../kit/ids.ts'

type Days = { tenant_id: string; from: number; to: number; bounds: string }

const within = (column: Sql, { from, to }: Days): Sql => sql`${column} >= ${from} and ${column} < ${to}`
const dayOf = (column: Sql, { bounds }: Days): Sql => sql`width_bucket(${column}, ${bounds}::bigint[])`

/** Rows by day and status: a probe of an index for each status, so that no other row is read. */
const byStatus = (what: string, rows: { table: string; at: string; statuses: readonly string[] }, days: Days): Sql => {
  const at = text(`x.${rows.at}`)
  return sql`
    select ${what}::text as what, counts.day, statuses.status as word, counts.count, 0::float8 as amount
    from unnest(${arrayOf(rows.statuses)}::text[]) as statuses(status)
    cross join lateral (
      select ${dayOf(at, days)} as day, count(*)::float8 as count
      from ${text(rows.table)} x
      where x.tenant_id = ${days.tenant_id} and x.status = statuses.status and ${within(at, days)}
      group by 1
    ) counts
  `
}

/** The same of rows that belong to one of few: a webhook, a campaign, a workflow. */
const byOwner = (
  what: string,
  rows: { owners: Sql; table: string; owner: string; statuses: readonly string[] },
  days: Days,
): Sql => {
  const at = sql`x.created_at`
  return sql`
    select ${what}::text as what, counts.day, statuses.status as word, sum(counts.count)::float8 as count,
      0::float8 as amount
    from (${rows.owners}) owners
    cross join unnest(${arrayOf(rows.statuses)}::text[]) as statuses(status)
    cross join lateral (
      select ${dayOf(at, days)} as day, count(*) as count
      from ${text(rows.table)} x
      where x.${text(rows.owner)} = owners.id and x.status = statuses.status and ${within(at, days)}
      group by 1
    ) counts
    group by 2, 3
  `
}

/**
 * Rows of orders, or those of memberships: what the platform charges for the plan of the store is not counted. They are
 * two parts, as a join of both would sort all rows.
 */
const owners = ['orders', 'memberships'] as const
const ofOwner = (owner: (typeof owners)[number], alias: string): Sql =>
  owner === 'orders'
    ? text(`${alias}.subscription_id is null`)
    : text(`exists (
        select 1
        from subscriptions u
        where u.id = ${alias}.subscription_id and u.tenant_id = ${alias}.tenant_id and u.plan_id is null
      )`)

/** What was captured, by currency. */
const sales = (owner: (typeof owners)[number], days: Days): Sql => sql`
  select 'sales' as what, ${dayOf(sql`p.paid_at`, days)} as day, p.currency as word, count(*)::float8 as count,
    sum(p.captured_amount)::float8 as amount
  from payments p
  where p.tenant_id = ${days.tenant_id} and ${within(sql`p.paid_at`, days)} and ${ofOwner(owner, 'p')}
  group by 2, 3
`

/** Refunds by status, and those that succeeded by currency. */
const refunds = (owner: (typeof owners)[number], days: Days): Sql => sql`
  select figures.what, counts.day, figures.word, sum(counts.count)::float8 as count,
    sum(counts.amount)::float8 as amount
  from (
    select ${dayOf(sql`r.created_at`, days)} as day, r.status, r.currency, count(*) as count, sum(r.amount) as amount
    from refunds r
    where r.tenant_id = ${days.tenant_id} and ${within(sql`r.created_at`, days)} and ${ofOwner(owner, 'r')}
    group by 1, 2, 3
  ) counts
  cross join lateral (
    values ('refunds', counts.status), (case when counts.status = 'succeeded' then 'refunded' end, counts.currency)
  ) as figures(what, word)
  where figures.what is not null
  group by 1, 2, 3
`

const mails = (days: Days): Sql => sql`
  select 'mails' as what, ${dayOf(sql`m.created_at`, days)} as day, m.status as word, count(*)::float8 as count,
    0::float8 as amount
  from mails m
  where m.tenant_id = ${days.tenant_id} and ${within(sql`m.created_at`, days)}
  group by 2, 3
`

/** All figures of the days, in no order. One statement. */
export async function figuresByDay(em: EntityManager, tenantId: string, days: readonly DayBounds[]): Promise<Figure[]> {
  const [first, last] = [days[0] as DayBounds, days.at(-1) as DayBounds]
  const span: Days = {
    ...{ tenant_id: tenantId, from: first.from, to: last.to },
    bounds: arrayOf(days.map(({ from }) => String(from))),
  }
  const owned = (table: string, condition: Sql = sql`true`) =>
    sql`select o.id from ${text(table)} o where o.tenant_id = ${tenantId} and ${condition}`
  const parts = [
    ...owners.flatMap((owner) => [sales(owner, span), refunds(owner, span)]),
    mails(span),
    byStatus('orders', { table: 'orders', at: 'created_at', statuses: OrderStatus.options }, span),
    byStatus('bookings', { table: 'order_bookings', at: 'ordered_at', statuses: BookingStatus.options }, span),
    byOwner(
      'deliveries',
      { owners: owned('webhooks'), table: 'deliveries', owner: 'webhook_id', statuses: DeliveryStatus.options },
      span,
    ),
    byOwner(
      'messages',
      {
        // A campaign that ended before has sent no step since. Replies, and tests of drafts, are sent at any time.
        owners: owned(
          'campaigns',
          sql`
            (
              o.launched_at is not null and coalesce(o.ended_at, ${span.to}) >= ${span.from}
              or exists (
                select 1
                from campaign_messages m
                where m.campaign_id = o.id
                  and m.kind <> 'step'
                  and m.kind in ('reply', 'test')
                  and ${within(sql`m.created_at`, span)}
              )
            )
          `,
        ),
        ...{ table: 'campaign_messages', owner: 'campaign_id', statuses: effectStatuses },
      },
      span,
    ),
    byOwner(
      'executions',
      { owners: owned('workflows'), table: 'executions', owner: 'workflow_id', statuses: ExecutionStatus.options },
      span,
    ),
  ]
  const rows: Figure[] = await em.execute(
    join(
      parts.map((part) => sql`(${part})`),
      ' union all ',
    ),
  )
  return rows
}
