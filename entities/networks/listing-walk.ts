// A walk over all records of a tenant that rebuilds their listings, after a change that concerns many. Deleted at its
// end.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'ListingWalk',
  tableName: 'listing_walks',
  properties: {
    tenant_id: p.uuid().primary(),
    /** Where it continues; null before its first batch, also of one that was requested again. */
    progress: p.json<unknown>().nullable(),
    updated_at: p.bigint('number'),
  },
})
export class ListingWalk extends schema.class {}
schema.setClass(ListingWalk)
