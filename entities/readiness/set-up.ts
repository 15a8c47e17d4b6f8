// What a store has of what it needs to sell, ship, book, send mail and publish. One statement, whose parts end at the
// first row that they look for.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { PaymentMethodType } from '../../rules/payments/payments.ts'
import type { SetUp } from '../../rules/readiness/checks.ts'
import { nothing, type Sql, sql, text } from '../kit/database/sql.ts'
import { canChargeSql } from '../payments/charging-account.ts'
import { offerOf } from '../scheduling/offers.ts'

const offer = offerOf({ link: 'l', service: 's', provider: 'r' })
/** A price in a market of the tenant that is in its currency (rules/carts/pricing.ts). */
export const priced = (prices: string, tenant = 't.id') =>
  text(`exists (
      select 1
      from jsonb_array_elements(${prices}) price
      join markets m on m.tenant_id = ${tenant} and m.key = price ->> 'market'
      where coalesce(price ->> 'currency', m.currency) = m.currency
    )`)
/** Whether a market of a tenant takes this. `offset 0` keeps the planner from reading the markets of all tenants. */
export const takesSql = (type: PaymentMethodType, tenant: Sql): Sql => sql`
  exists (
    select 1
    from markets m
    where m.tenant_id = ${tenant} and m.payment_methods @> ${`[{"type": "${type}"}]`}::jsonb
    offset 0
  )
`

/** Dates from today on that are not closed. */
const openDates = '$[*] ? (@.date >= $today && exists(@.windows[0]))'

/** The oldest product, by an index of its order. */
const firstProduct = (condition: Sql) => sql`
  (
    select g.id
    from products g
    where g.tenant_id = t.id ${condition}
    order by g.created_at, g.id
    limit 1
  )
`

/** The set-up of a store or business. One statement. */
export async function setUpOf(em: EntityManager, tenantId: string): Promise<SetUp> {
  const [found]: SetUp[] = await em.execute(sql`
    select t.kind,
      (select m.id from markets m where m.tenant_id = t.id order by m.created_at, m.id limit 1) as market_id,
      ${takesSql('cash', sql`t.id`)} as takes_cash, ${takesSql('card', sql`t.id`)} as takes_cards,
      ${canChargeSql(sql`t.id`)} as can_charge,
      exists (
        select 1
        from products g
        join product_variants v on v.product_id = g.id and v.tenant_id = g.tenant_id
        where g.tenant_id = t.id and g.status = 'active' and ${priced('v.prices')}
      ) or exists (
        select 1
        from service_providers l
        join services s on s.id = l.service_id and s.tenant_id = l.tenant_id
        join providers r on r.id = l.provider_id and r.tenant_id = l.tenant_id
        where l.tenant_id = t.id and s.status = 'active' and r.status = 'active' and ${priced(offer.prices.sql)}
      ) as is_priced,
      coalesce(${firstProduct(sql`and g.status = 'active'`)}, ${firstProduct(nothing)}) as product_id,
      (select l.id from locations l where l.tenant_id = t.id order by l.created_at, l.id limit 1) as location_id,
      exists (
        select 1
        from locations l
        where l.tenant_id = t.id and l.address ->> 'country' is not null
      ) as has_address,
      (
        select l.id
        from locations l
        where l.tenant_id = t.id and l.is_pickup_location and l.address ->> 'country' is null
        order by l.created_at, l.id
        limit 1
      ) as pickup_id,
      exists (
        select 1
        from markets m
        where m.tenant_id = t.id and jsonb_array_length(m.zones) > 0
      ) as has_zone,
      exists (
        select 1
        from markets m
        cross join jsonb_array_elements(m.zones) zone
        where m.tenant_id = t.id and jsonb_array_length(zone -> 'shipping_methods') > 0
      ) as has_shipping_method,
      exists (
        select 1 from services s where s.tenant_id = t.id and s.status = 'active' and s.access = 'public'
      ) as has_service,
      exists (
        select 1 from providers r where r.tenant_id = t.id and r.status = 'active' and r.access = 'public'
      ) as has_provider,
      coalesce(
        (
          select l.id
          from service_providers l
          join services s on s.id = l.service_id and s.tenant_id = l.tenant_id
          join providers r on r.id = l.provider_id and r.tenant_id = l.tenant_id
          where l.tenant_id = t.id and s.status = 'active' and r.status = 'active'
          order by l.created_at, l.id
          limit 1
        ),
        (select l.id from service_providers l where l.tenant_id = t.id order by l.created_at, l.id limit 1)
      ) as link_id,
      exists (
        select 1
        from service_providers l
        join services s on s.id = l.service_id and s.tenant_id = l.tenant_id
        join providers r on r.id = l.provider_id and r.tenant_id = l.tenant_id
        where l.tenant_id = t.id
          and s.status = 'active'
          and s.access = 'public'
          and r.status = 'active'
          and r.access = 'public'
          and (
            jsonb_path_exists(l.working_days, '$[*].windows[0]')
            or jsonb_path_exists(
              l.specific_dates,
              ${openDates}::jsonpath,
              jsonb_build_object('today', to_char(clock_timestamp() at time zone t.timezone, 'YYYY-MM-DD'))
            )
          )
          and ${offer.durations} <> '[]'
          and ${priced(offer.prices.sql)}
      ) as has_hours,
      exists (select 1 from mailboxes b where b.tenant_id = t.id and b.status = 'active') as has_mailbox,
      exists (select 1 from email_templates e where e.tenant_id = t.id and e.status = 'active') as has_template,
      exists (select 1 from social_connections c where c.tenant_id = t.id and c.status = 'active') as has_connection
    from tenants t
    where t.id = ${tenantId}
  `)
  return found as SetUp
}
