// A contact that was merged into another and deleted. The same merge, requested again, is answered from this row.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'ContactMerge',
  tableName: 'contact_merges',
  properties: {
    ...tenantRow,
    source_id: p.uuid().unique(),
    target_id: p.uuid(),
    /** The operator who merged them. */
    account_id: p.uuid(),
  },
  indexes: [{ properties: ['tenant_id', 'target_id'] }],
})
export class ContactMerge extends schema.class {}
schema.setClass(ContactMerge)
