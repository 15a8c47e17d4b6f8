// The tables of products and their stock.
import { atOnce, bounded, record, type Tables } from '../kit/table.ts'

export const catalogTables = {
  inventory_levels: { rows: bounded('by variants and locations'), erasure: atOnce },
  product_variants: { rows: record(), erasure: atOnce },
  products: { rows: record(), erasure: atOnce },
  slugs: {
    rows: bounded('by the records that have slugs'),
    contact: { owner_id: { stays: 'a product or a page' } },
    erasure: atOnce,
  },
} satisfies Tables
