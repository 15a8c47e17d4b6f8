// That a record is in a taxonomy, under an entry of it or, where entry_id is the taxonomy's own id, without one: what lists are filtered by.
import { defineEntity, p } from '@mikro-orm/core'
import { Taxonomy } from './taxonomy.ts'

const schema = defineEntity({
  name: 'TaxonomyLink',
  tableName: 'taxonomy_links',
  properties: {
    tenant_id: p.uuid().primary(),
    owner_id: p.uuid().primary(),
    taxonomy_id: () => p.manyToOne(Taxonomy).mapToPk().joinColumn('taxonomy_id').primary(),
    /** Of a taxonomy or of an entry of content. */
    entry_id: p.uuid().primary(),
    owner_kind: p.enum(['entry', 'product', 'service', 'provider', 'contact'] as const),
  },
  indexes: [
    { properties: ['tenant_id', 'taxonomy_id', 'entry_id', 'owner_kind', 'owner_id'] },
    { properties: ['tenant_id', 'entry_id'] },
    { properties: ['taxonomy_id'] },
  ],
})
export class TaxonomyLink extends schema.class {}
schema.setClass(TaxonomyLink)
