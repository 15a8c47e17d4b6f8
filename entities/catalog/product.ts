// Something a store sells. Its stock is elsewhere, because it changes independently.
import { defineEntity, p } from '@mikro-orm/core'
import type { TaxonomyEntry } from '../../rules/shapes.ts'
import { namedKeys, namedRow } from '../named-columns.ts'

const { uniques, indexes } = namedKeys('products')

const schema = defineEntity({
  name: 'Product',
  tableName: 'products',
  properties: { ...namedRow, taxonomies: p.json<TaxonomyEntry[]>() },
  uniques,
  indexes: [
    ...indexes,
    {
      name: 'products_taxonomies',
      // Without a list of pending entries: a filter costs the same however long ago somebody vacuumed.
      expression: 'create index "products_taxonomies" on "products" using gin ("taxonomies" jsonb_path_ops) with (fastupdate = off)',
    },
  ],
})
export class Product extends schema.class {}
schema.setClass(Product)
