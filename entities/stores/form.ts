// A form that visitors fill in. A bare row here: fields and submissions come with content.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../row.ts'

const schema = defineEntity({
  name: 'Form',
  tableName: 'forms',
  properties: {
    ...tenantRow,
    key: p.string(),
    status: p.enum(['active', 'archived'] as const).default('active'),
    schema: p.json<unknown[]>(),
  },
  uniques: [{ properties: ['tenant_id', 'key'] }],
})
export class Form extends schema.class {}
schema.setClass(Form)
