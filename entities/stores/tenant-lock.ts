// The lock of a tenant under which its integrations change.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/database/sql.ts'

/** Serializes changes of a tenant's integrations and connections, and of what uses them. */
export const lockTenant = (em: EntityManager, tenantId: string) =>
  em.execute(sql`select 1 from tenants where id = ${tenantId} for no key update`)
