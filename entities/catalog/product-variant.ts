// A variant of a product, such as a size and colour, with its prices. Carts contain variants.
import { defineEntity, p } from '@mikro-orm/core'
import type { Price } from '../../rules/stores/markets.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Product } from './product.ts'

const schema = defineEntity({
  name: 'ProductVariant',
  tableName: 'product_variants',
  properties: {
    ...tenantRow,
    product_id: () => p.manyToOne(Product).mapToPk().deleteRule('cascade').joinColumn('product_id'),
    position: p.integer(),
    sku: p.string().nullable(),
    prices: p.json<Price[]>(),
    attributes: p.json<unknown[]>(),
    weight: p.integer().nullable(),
    requires_shipping: p.boolean().default(true),
    taxable: p.boolean().default(true),
    is_digital: p.boolean().default(false),
  },
  indexes: [{ properties: ['product_id', 'position'] }],
})
export class ProductVariant extends schema.class {}
schema.setClass(ProductVariant)
