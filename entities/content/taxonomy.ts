// A taxonomy: a tree of terms, each with a schema of the typed fields that a record filed under it may carry.
import { defineEntity, p } from '@mikro-orm/core'
import type { Identified } from '../../rules/content/forms.ts'
import type { TaxonomyItem } from '../../rules/content/taxonomies.ts'
import { ArchivableStatus } from '../../rules/shapes.ts'
import { keyedKeys, keyedRow } from '../kit/database/named-columns.ts'

const { uniques, indexes } = keyedKeys('taxonomies')

const schema = defineEntity({
  name: 'Taxonomy',
  tableName: 'taxonomies',
  properties: {
    ...keyedRow,
    parent_id: () => p.manyToOne(Taxonomy).mapToPk().deleteRule('cascade').joinColumn('parent_id').nullable(),
    schema: p.json<Identified<TaxonomyItem>[]>(),
    status: p.enum(ArchivableStatus.options).default('active'),
  },
  uniques,
  indexes: [
    ...indexes,
    { properties: ['tenant_id', 'status', 'created_at', 'id'] },
    { properties: ['tenant_id', 'parent_id', 'created_at', 'id'] },
    { properties: ['parent_id'] },
  ],
})
export class Taxonomy extends schema.class {}
schema.setClass(Taxonomy)
