// The country of a store, in which telephone numbers are written without a country code.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/database/sql.ts'

/**
 * That of the address in the settings, else the one that all locations with a country have (ISO 3166-1 alpha-2). Null:
 * it is not known. One statement.
 */
export async function countryOfTenant(em: EntityManager, tenantId: string): Promise<string | null> {
  const [found]: { country: string | null }[] = await em.execute(sql`
    select coalesce(
      upper(t.settings #>> '{address,country}'),
      (
        select min(upper(l.address ->> 'country'))
        from locations l
        where l.tenant_id = t.id and l.address ->> 'country' <> ''
        having count(distinct upper(l.address ->> 'country')) = 1
      )
    ) as country
    from tenants t
    where t.id = ${tenantId}
  `)
  return found?.country ?? null
}
