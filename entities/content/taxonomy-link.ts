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
    /** It never changes: a list, whose newest come first, is read in its order from these and is over when its page is full. */
    owner_created_at: p.bigint('number'),
  },
  indexes: [
    { name: 'taxonomy_links_by_entry', properties: ['tenant_id', 'taxonomy_id', 'entry_id', 'owner_kind', 'owner_created_at', 'owner_id'] },
    { name: 'taxonomy_links_by_taxonomy', properties: ['taxonomy_id', 'tenant_id', 'owner_kind', 'owner_created_at', 'owner_id'] },
    { properties: ['tenant_id', 'entry_id'] },
  ],
})
export class TaxonomyLink extends schema.class {}
schema.setClass(TaxonomyLink)
