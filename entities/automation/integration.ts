// A drive that graphs upload to.

import { defineEntity, p } from '@mikro-orm/core'
import { DriveType } from '../../rules/automation/drives.ts'
import { Encrypted } from '../kit/encrypted.ts'
import { tenantRow } from '../kit/row.ts'

const schema = defineEntity({
  name: 'Integration',
  tableName: 'integrations',
  properties: {
    ...tenantRow,
    key: p.string(),
    type: p.enum(DriveType.options),
    /** Settings that are not secret: endpoint, region, bucket, path_style; or url. */
    settings: p.json<Record<string, unknown>>(),
    /** JSON: access_key_id and secret_access_key; or username and password. */
    credentials: p.type(Encrypted),
  },
  uniques: [{ properties: ['tenant_id', 'key'] }],
  indexes: [{ properties: ['tenant_id', 'created_at', 'id'] }, { properties: ['tenant_id', 'updated_at', 'id'] }],
})
export class Integration extends schema.class {}
schema.setClass(Integration)
