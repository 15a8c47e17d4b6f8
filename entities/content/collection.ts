// A collection of entries: their schema, and blocks of its own.
import { defineEntity, p } from '@mikro-orm/core'
import type { BlockSchema } from '../../rules/content/block-schemas.ts'
import type { Block } from '../../rules/content/block-shape.ts'
import { keyedKeys, keyedRow } from '../kit/database/named-columns.ts'

const schema = defineEntity({
  name: 'Collection',
  tableName: 'collections',
  properties: { ...keyedRow, schema: p.json<BlockSchema>(), blocks: p.json<Block[]>() },
  ...keyedKeys('collections'),
})
export class Collection extends schema.class {}
schema.setClass(Collection)
