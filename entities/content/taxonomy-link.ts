// Files a record under an entry of a taxonomy or, if entry_id is the taxonomy's id, under the taxonomy itself. Lists
// filter by it.
import { defineEntity, p } from '@mikro-orm/core'
import { Taxonomy } from './taxonomy.ts'

const schema = defineEntity({
  name: 'TaxonomyLink',
  tableName: 'taxonomy_links',
  properties: {
    tenant_id: p.uuid().primary(),
    owner_id: p.uuid().primary(),
    taxonomy_id: () => p.manyToOne(Taxonomy).mapToPk().joinColumn('taxonomy_id').primary(),
    /** The id of a taxonomy, or of an entry of content. */
    entry_id: p.uuid().primary(),
    owner_kind: p.enum(['entry', 'product', 'service', 'provider', 'contact', 'reaction'] as const),
    /**
     * It never changes: an index by it yields a list's newest records first, and reading stops when the page is full.
     */
    owner_created_at: p.bigint('number'),
  },
  indexes: [
    {
      name: 'taxonomy_links_by_entry',
      properties: ['tenant_id', 'taxonomy_id', 'entry_id', 'owner_kind', 'owner_created_at', 'owner_id'],
    },
    {
      name: 'taxonomy_links_by_taxonomy',
      properties: ['taxonomy_id', 'tenant_id', 'owner_kind', 'owner_created_at', 'owner_id'],
    },
    { properties: ['tenant_id', 'entry_id'] },
  ],
})
export class TaxonomyLink extends schema.class {}
schema.setClass(TaxonomyLink)
