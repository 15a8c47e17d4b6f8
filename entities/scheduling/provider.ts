// A person, a room or a machine that services are booked with; all of its services share its time.
import { defineEntity, p } from '@mikro-orm/core'
import type { Block, LocaleMap } from '../../rules/shapes.ts'
import { tenantRow } from '../row.ts'

const schema = defineEntity({
  name: 'Provider',
  tableName: 'providers',
  properties: {
    ...tenantRow,
    key: p.string(),
    slug: p.json<LocaleMap>(),
    blocks: p.json<Block[]>(),
    status: p.enum(['active', 'draft', 'archived'] as const).default('active'),
    /** Words of key, slugs and blocks, kept by whoever writes the provider. */
    search: p.string().columnType('tsvector').nullable().lazy(),
  },
  uniques: [{ properties: ['tenant_id', 'key'] }],
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
    { properties: ['tenant_id', 'status', 'created_at', 'id'] },
    { name: 'providers_search', expression: 'create index "providers_search" on "providers" using gin ("search")' },
  ],
})
export class Provider extends schema.class {}
schema.setClass(Provider)
