// A reference from a record's blocks to another record, once per pair. It decides whether its target may be deleted.

import { defineEntity, p } from '@mikro-orm/core'
import { OnDelete } from '../../rules/content/block-schemas.ts'
import { OwnerKind } from '../../rules/content/record-kinds.ts'
import { Product } from '../catalog/product.ts'
import { Entry } from './entry.ts'
import { Media } from './media.ts'

const schema = defineEntity({
  name: 'BlockReference',
  tableName: 'block_references',
  properties: {
    tenant_id: p.uuid().primary(),
    owner_id: p.uuid().primary(),
    /** Equals the one of the three columns below that is set; their foreign keys prevent dangling references. */
    target_id: p.uuid().primary(),
    owner_kind: p.enum(OwnerKind.options),
    /** `restrict` if any of the references in the blocks has it. */
    on_delete: p.enum(OnDelete.options),
    media_id: () => p.manyToOne(Media).mapToPk().deleteRule('no action').joinColumn('media_id').nullable(),
    entry_id: () => p.manyToOne(Entry).mapToPk().deleteRule('no action').joinColumn('entry_id').nullable(),
    product_id: () => p.manyToOne(Product).mapToPk().deleteRule('no action').joinColumn('product_id').nullable(),
  },
  checks: [
    {
      name: 'block_references_target',
      expression:
        'num_nonnulls(media_id, entry_id, product_id) = 1 and target_id = coalesce(media_id, entry_id, product_id)',
    },
  ],
  indexes: [{ properties: ['media_id'] }, { properties: ['entry_id'] }, { properties: ['product_id'] }],
})
export class BlockReference extends schema.class {}
schema.setClass(BlockReference)
