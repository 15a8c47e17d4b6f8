// A place that holds stock, ships it or hands it over.
import { defineEntity, p } from '@mikro-orm/core'
import type { Address } from '../../rules/stores/addresses.ts'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'Location',
  tableName: 'locations',
  properties: {
    ...tenantRow,
    key: p.string(),
    /** Null until an operator enters it: no country is inferred. */
    address: p.json<Address>().nullable(),
    is_pickup_location: p.boolean().default(false),
  },
  uniques: [{ properties: ['tenant_id', 'key'] }],
})
export class Location extends schema.class {}
schema.setClass(Location)
