// The tables of products and their stock.
import { bounded, record, type Tables } from '../kit/table.ts'

export const catalogTables = {
  inventory_levels: { rows: bounded('by variants and locations') },
  product_variants: { rows: record() },
  products: { rows: record() },
  slugs: {
    rows: bounded('by the records that have slugs'),
    contact: { owner_id: { stays: 'a product or a page' } },
  },
} satisfies Tables
