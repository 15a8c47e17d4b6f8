// A URL slug. It identifies one record per store, kind and locale.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Slug',
  tableName: 'slugs',
  properties: {
    tenant_id: p.uuid().primary(),
    kind: p.string().primary(),
    locale: p.string().primary(),
    slug: p.string().primary(),
    owner_id: p.uuid(),
  },
  indexes: [{ properties: ['tenant_id', 'kind', 'slug'] }, { properties: ['owner_id'] }],
})
export class Slug extends schema.class {}
schema.setClass(Slug)
