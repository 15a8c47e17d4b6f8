// Something a store sells. Its stock is elsewhere, because it changes independently.
import { defineEntity, p } from '@mikro-orm/core'
import type { Block, LocaleMap, TaxonomyEntry } from '../../rules/shapes.ts'
import { tenantRow } from '../row.ts'

const schema = defineEntity({
  name: 'Product',
  tableName: 'products',
  properties: {
    ...tenantRow,
    key: p.string(),
    slug: p.json<LocaleMap>(),
    blocks: p.json<Block[]>(),
    taxonomies: p.json<TaxonomyEntry[]>(),
    status: p.enum(['active', 'draft', 'archived'] as const).default('active'),
    /** Words of key, slugs, blocks and skus, kept by whoever writes the product. */
    search: p.string().columnType('tsvector').nullable().lazy(),
  },
  uniques: [{ properties: ['tenant_id', 'key'] }],
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
    { properties: ['tenant_id', 'status', 'created_at', 'id'] },
    { name: 'products_search', expression: 'create index "products_search" on "products" using gin ("search")' },
    {
      name: 'products_taxonomies',
      // Without a list of pending entries: a filter costs the same however long ago somebody vacuumed.
      expression: 'create index "products_taxonomies" on "products" using gin ("taxonomies" jsonb_path_ops) with (fastupdate = off)',
    },
  ],
})
export class Product extends schema.class {}
schema.setClass(Product)
