// What can still be sold of a variant at a location. A check of the table keeps it from falling below zero.
import { defineEntity, p } from '@mikro-orm/core'
import { Location } from '../stores/location.ts'
import { ProductVariant } from './product-variant.ts'

const schema = defineEntity({
  name: 'InventoryLevel',
  tableName: 'inventory_levels',
  properties: {
    variant_id: () => p.manyToOne(ProductVariant).mapToPk().primary().deleteRule('cascade').joinColumn('variant_id'),
    location_id: () => p.manyToOne(Location).mapToPk().primary().deleteRule('restrict').joinColumn('location_id'),
    tenant_id: p.uuid(),
    available: p.bigint('number'),
    updated_at: p.bigint('number'),
  },
  checks: [{ expression: 'available >= 0', name: 'inventory_levels_available' }],
  indexes: [{ properties: ['location_id'] }],
})
export class InventoryLevel extends schema.class {}
schema.setClass(InventoryLevel)
