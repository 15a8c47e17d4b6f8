// Several stores may connect one account of a network: what one of them made there proves nothing for another.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Sql, sql } from '../kit/database/sql.ts'

type Of = { id: string; tenant_id: string }

/** Ids and tenants of the connections of one account, in all stores. */
export const sameAccount = ({ id, tenant_id }: Of): Sql => sql`
  select o.id, o.tenant_id
  from social_connections n
  join social_connections o on o.type = n.type and o.provider_account_id = n.provider_account_id
  where n.id = ${id} and n.tenant_id = ${tenant_id}
`

/** Locks the connections of an account by id: two searches take turns, so that what they find proves one of them. */
export const lockAccount = (em: EntityManager, connection: Of): Promise<unknown> =>
  em.execute(sql`
    select 1
    from social_connections
    where (id, tenant_id) in (select a.id, a.tenant_id from (${sameAccount(connection)}) a)
    order by id
    for no key update
  `)
