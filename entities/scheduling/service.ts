// Something that is done for a customer at a booked time. Who does it, when and for how much is on its links to providers.
import { defineEntity, p } from '@mikro-orm/core'
import type { Block, LocaleMap } from '../../rules/shapes.ts'
import { tenantRow } from '../row.ts'

const schema = defineEntity({
  name: 'Service',
  tableName: 'services',
  properties: {
    ...tenantRow,
    key: p.string(),
    slug: p.json<LocaleMap>(),
    blocks: p.json<Block[]>(),
    status: p.enum(['active', 'draft', 'archived'] as const).default('active'),
    /** Words of key, slugs and blocks, kept by whoever writes the service. */
    search: p.string().columnType('tsvector').nullable().lazy(),
  },
  uniques: [{ properties: ['tenant_id', 'key'] }],
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
    { properties: ['tenant_id', 'status', 'created_at', 'id'] },
    { name: 'services_search', expression: 'create index "services_search" on "services" using gin ("search")' },
  ],
})
export class Service extends schema.class {}
schema.setClass(Service)
