// A row that spreads these columns has a key, slugs, content, a status, and words to be found by (entities/named.ts writes them).
import { p } from '@mikro-orm/core'
import type { Block, LocaleMap } from '../rules/shapes.ts'
import { tenantRow } from './row.ts'

export const namedRow = {
  ...tenantRow,
  key: p.string(),
  slug: p.json<LocaleMap>(),
  blocks: p.json<Block[]>(),
  status: p.enum(['active', 'draft', 'archived'] as const).default('active'),
  /** Words of key, slugs, blocks and whatever else it is found by. */
  search: p.string().columnType('tsvector').nullable().lazy(),
}

type Column = keyof typeof namedRow
const by = (...properties: Column[]) => ({ properties })

/** The key is the store's only one, and every list of them has its index. */
export const namedKeys = (table: string) => ({
  uniques: [by('tenant_id', 'key')],
  indexes: [
    by('tenant_id', 'created_at', 'id'),
    by('tenant_id', 'updated_at', 'id'),
    by('tenant_id', 'status', 'created_at', 'id'),
    { name: `${table}_search`, expression: `create index "${table}_search" on "${table}" using gin ("search")` },
  ],
})
