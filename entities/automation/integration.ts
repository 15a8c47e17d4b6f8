// An account of a store at a third party: a drive that graphs upload to, a payment provider, a model.
import { defineEntity, p } from '@mikro-orm/core'
import { IntegrationCategory } from '../../rules/automation/integrations.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Encrypted } from '../kit/encrypted.ts'

const schema = defineEntity({
  name: 'Integration',
  tableName: 'integrations',
  properties: {
    ...tenantRow,
    key: p.string(),
    category: p.enum(IntegrationCategory.options).default('drive'),
    type: p.text(),
    /**
     * Whether it is the one active integration of its category, where a tenant has one at most; true in other
     * categories.
     */
    active: p.boolean().default(true),
    /** Fields that are not secret, such as the endpoint of a drive or the model of a provider. */
    settings: p.json<Record<string, unknown>>(),
    /** JSON of the secrets by their names. */
    credentials: p.type(Encrypted),
  },
  uniques: [{ properties: ['tenant_id', 'key'] }],
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
    {
      name: 'integrations_active',
      expression: `
        create unique index "integrations_active" on "integrations" ("tenant_id", "category")
        where active and category in ('payment', 'shipping', 'analytics')
      `,
    },
  ],
})
export class Integration extends schema.class {}
schema.setClass(Integration)
