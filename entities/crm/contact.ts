// A person that a store deals with. A visitor becomes a contact with the first call that writes.
import { defineEntity, p } from '@mikro-orm/core'
import { ArchivableStatus, type TaxonomyEntry } from '../../rules/shapes.ts'
import { tenantRow } from '../kit/row.ts'

const schema = defineEntity({
  name: 'Contact',
  tableName: 'contacts',
  properties: {
    ...tenantRow,
    status: p.enum(ArchivableStatus.options).default('active'),
    taxonomies: p.json<TaxonomyEntry[]>(),
  },
  indexes: [{ properties: ['tenant_id', 'created_at', 'id'] }],
})
export class Contact extends schema.class {}
schema.setClass(Contact)
