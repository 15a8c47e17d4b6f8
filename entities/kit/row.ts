// What every row has: an id of ours, times in Unix seconds, and, but for the global tables, the tenant it belongs to.
import { p } from '@mikro-orm/core'

export const globalRow = {
  id: p.uuid().primary(),
  created_at: p.bigint('number'),
  updated_at: p.bigint('number'),
}

export const tenantRow = { ...globalRow, tenant_id: p.uuid() }
