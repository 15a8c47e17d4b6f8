// Columns of records with a key and search words, and of named records, which also have slugs, content and taxonomies
// (entities/content/named.ts).
import { p } from '@mikro-orm/core'
import type { Block } from '../../../rules/content/block-shape.ts'
import type { TaxonomyEntry } from '../../../rules/content/taxonomies.ts'
import type { LocaleMap } from '../../../rules/input/locale-map.ts'
import { RecordStatus } from '../../../rules/shapes.ts'
import { tenantRow } from './row.ts'

/** A tsvector of the row's search words. */
export const searchColumn = p.string().columnType('tsvector').nullable().lazy()

export const keyedRow = { ...tenantRow, key: p.string(), search: searchColumn }

export const namedRow = {
  ...keyedRow,
  slug: p.json<LocaleMap>(),
  blocks: p.json<Block[]>(),
  taxonomies: p.json<TaxonomyEntry[]>(),
  status: p.enum(RecordStatus.options).default('active'),
}

const by = <Column extends string>(...properties: Column[]) => ({ properties })

/** The unique key, and the indexes of the list. */
export const keyedKeys = (table: string) => ({
  uniques: [by<keyof typeof keyedRow>('tenant_id', 'key')],
  indexes: [
    by<keyof typeof keyedRow>('tenant_id', 'created_at', 'id'),
    by<keyof typeof keyedRow>('tenant_id', 'updated_at', 'id'),
    { name: `${table}_search`, expression: `create index "${table}_search" on "${table}" using gin ("search")` },
  ],
})

/** Finds the rows whose list in this column contains a value. */
export const containsKey = (table: string, column: string) => ({
  name: `${table}_${column}`,
  expression: `create index "${table}_${column}" on "${table}" using gin ("${column}" jsonb_path_ops)`,
})

export const namedKeys = (table: string) => {
  const { uniques, indexes } = keyedKeys(table)
  return { uniques, indexes: [...indexes, by<keyof typeof namedRow>('tenant_id', 'status', 'created_at', 'id')] }
}
