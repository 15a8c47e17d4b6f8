// Stores that offer something and cannot sell it: what they offer is refused at the checkout.
import { type Lack, lackNames, type ReadinessFacts, readinessItem } from '../../rules/readiness/attention.ts'
import { attends } from '../kit/attention.ts'
import { join, type Sql, sql, text } from '../kit/database/sql.ts'
import { canChargeSql } from '../payments/charging-account.ts'
import { offerOf } from '../scheduling/offers.ts'
import { priced, takesSql } from './set-up.ts'

/** The products and links of services that are looked at, the oldest first: the list is read every few seconds. */
const looksAt = 100

const tenant = sql`x.id`
const offer = offerOf({ link: 'l', service: 's', provider: 'r' })
const activeProducts = sql`
  select g.id, g.tenant_id
  from products g
  where g.tenant_id = x.id and g.status = 'active'
  order by g.created_at, g.id
  limit ${looksAt}
`
const activeLinks = sql`
  select l.id, ${offer.prices} as prices
  from service_providers l
  join services s on s.id = l.service_id and s.tenant_id = l.tenant_id
  join providers r on r.id = l.provider_id and r.tenant_id = l.tenant_id
  where l.tenant_id = x.id and s.status = 'active' and r.status = 'active'
  order by l.created_at, l.id
  limit ${looksAt}
`
const [takesCash, takesCards] = [takesSql('cash', tenant), takesSql('card', tenant)]

/** The order keeps the planner from reading the products and services of all tenants. */
const offers = sql`
  (
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
`

const isPriced = sql`
  (
    exists (
      select 1
      from (${activeProducts}) first_products
      join product_variants v on v.product_id = first_products.id and v.tenant_id = first_products.tenant_id
      where ${priced('v.prices', 'x.id')}
    )
    or exists (
      select 1
      from (${activeLinks}) first_links
      where ${priced('first_links.prices', 'x.id')}
    )
  )
`

const ships = sql`
  exists (
    select 1
    from (${activeProducts}) first_products
    join product_variants v on v.product_id = first_products.id and v.tenant_id = first_products.tenant_id
    where v.requires_shipping and not v.is_digital
  )
`

/** A market without a shipping method ships without a charge, and needs no address of a location. */
const hasShippingMethod = sql`
  exists (
    select 1
    from markets m
    cross join jsonb_array_elements(m.zones) zone
    where m.tenant_id = x.id and jsonb_array_length(zone -> 'shipping_methods') > 0
    offset 0
  )
`
const hasMarket = sql`exists (select 1 from markets m where m.tenant_id = x.id offset 0)`
const hasAddress = sql`
  exists (select 1 from locations l where l.tenant_id = x.id and l.address ->> 'country' is not null offset 0)
`
const isUnaddressed = sql`l.is_pickup_location and l.address ->> 'country' is null`

/** When each check keeps a store from selling what it offers. */
const lacks: Record<Lack, Sql> = {
  market: sql`not ${hasMarket}`,
  payment_method: sql`${hasMarket} and not ${takesCash} and not ${takesCards}`,
  card_account: sql`not ${takesCash} and ${takesCards} and not ${canChargeSql(tenant)}`,
  price: sql`${hasMarket} and not ${isPriced}`,
  location: sql`${hasShippingMethod} and not ${hasAddress} and ${ships}`,
  pickup_location: sql`
    exists (select 1 from locations l where l.tenant_id = x.id and ${isUnaddressed} offset 0)
    and ${ships}
  `,
}

const first = (table: string, condition: Sql = sql`true`): Sql => sql`
  (
    select l.id
    from ${text(table)} l
    where l.tenant_id = x.id and ${condition}
    order by l.created_at, l.id
    limit 1
  )
`

/** One with nothing to sell yet is being set up, and needs no person. */
export const readinessAttention = attends<ReadinessFacts>('readiness', {
  from: sql`tenants x`,
  tenant,
  columns: sql`
    array_remove(
      array[${join(lackNames.map((id) => sql`case when ${lacks[id]} then ${id} end`))}]::text[], null
    ) as lacks,
    ${first('markets')} as market_id, ${first('products', sql`l.status = 'active'`)} as product_id,
    ${first('locations')} as location_id, ${first('locations', isUnaddressed)} as pickup_id,
    (select first_links.id from (${activeLinks}) first_links limit 1) as link_id
  `,
  where: sql`
    x.status = 'ACTIVE'
    and x.erasing_at is null
    and ${offers}
    and (
      ${join(
        lackNames.map((id) => sql`(${lacks[id]})`),
        ' or ',
      )}
    )
  `,
  since: sql`x.created_at`,
  // It may have been mended since the page was read.
  text: (row) => (row.lacks.length === 0 ? null : readinessItem(row)),
})
