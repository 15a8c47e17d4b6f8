// A person that a store deals with. A visitor becomes a contact with the first call that writes.
import { defineEntity, p } from '@mikro-orm/core'
import type { TaxonomyEntry } from '../../rules/content/taxonomies.ts'
import { ArchivableStatus } from '../../rules/shapes.ts'
import { searchColumn } from '../kit/database/named-columns.ts'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'Contact',
  tableName: 'contacts',
  properties: {
    ...tenantRow,
    status: p.enum(ArchivableStatus.options).default('active'),
    taxonomies: p.json<TaxonomyEntry[]>(),
    /** Has no channel, taxonomy or membership. Lists leave these visitors out, which may be most of the table. */
    anonymous: p.boolean().default(true),
    search: searchColumn,
  },
  indexes: [
    { properties: ['tenant_id', 'anonymous', 'created_at', 'id'] },
    { properties: ['tenant_id', 'anonymous', 'updated_at', 'id'] },
    {
      name: 'contacts_status',
      expression:
        'create index "contacts_status" on "contacts" ("tenant_id", "status", "created_at", "id") where not anonymous',
    },
    {
      name: 'contacts_search',
      expression: 'create index "contacts_search" on "contacts" using gin ("search") where not anonymous',
    },
  ],
})
export class Contact extends schema.class {}
schema.setClass(Contact)
