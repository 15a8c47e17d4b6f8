// A value of the installation under a key such as `feature:checkout:new`. Keys sort by their bytes, so that a prefix is
// one range of the index.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'PlatformDatum',
  tableName: 'platform_data',
  properties: {
    key: p.text().collation('C').primary(),
    value: p.json<unknown>(),
    created_at: p.bigint('number'),
    updated_at: p.bigint('number'),
  },
})
export class PlatformDatum extends schema.class {}
schema.setClass(PlatformDatum)
