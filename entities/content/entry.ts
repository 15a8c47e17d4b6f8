// An entry of a collection, which satisfies the collection's schema.
import { defineEntity, p } from '@mikro-orm/core'
import { namedKeys, namedRow } from '../kit/database/named-columns.ts'
import { Collection } from './collection.ts'

const { indexes } = namedKeys('entries')

const schema = defineEntity({
  name: 'Entry',
  tableName: 'entries',
  properties: { ...namedRow, collection_id: () => p.manyToOne(Collection).mapToPk().joinColumn('collection_id') },
  // The key is unique in the collection.
  uniques: [{ properties: ['tenant_id', 'collection_id', 'key'] }],
  indexes: [
    ...indexes,
    { properties: ['collection_id', 'created_at', 'id'] },
    { properties: ['collection_id', 'updated_at', 'id'] },
    { properties: ['collection_id', 'status', 'created_at', 'id'] },
    { properties: ['tenant_id', 'key', 'id'] },
  ],
})
export class Entry extends schema.class {}
schema.setClass(Entry)
