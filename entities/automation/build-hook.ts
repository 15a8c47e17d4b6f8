// An address that triggers the build of a site.
import { defineEntity, p } from '@mikro-orm/core'
import { BuildHookType } from '../../rules/automation/build-hooks.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Encrypted } from '../kit/encrypted.ts'

const schema = defineEntity({
  name: 'BuildHook',
  tableName: 'build_hooks',
  properties: {
    ...tenantRow,
    key: p.string(),
    type: p.enum(BuildHookType.options),
    url: p.type(Encrypted),
    /** JSON of name to value. */
    headers: p.type(Encrypted),
    active: p.boolean().default(true),
  },
  uniques: [{ properties: ['tenant_id', 'key'] }],
  indexes: [{ properties: ['tenant_id', 'created_at', 'id'] }, { properties: ['tenant_id', 'updated_at', 'id'] }],
})
export class BuildHook extends schema.class {}
schema.setClass(BuildHook)
