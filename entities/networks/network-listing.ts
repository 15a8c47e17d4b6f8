// A record that a network lists, with what it is found and sorted by. Made from the tables of its tenant (listings.ts)
// and never changed otherwise.
import { defineEntity, p } from '@mikro-orm/core'
import { ListingKind } from '../../rules/networks/networks.ts'
import { searchColumn } from '../kit/database/named-columns.ts'
import { Network } from './network.ts'

const sortColumns = ['price', 'rating_rank', 'created_at'] as const
type Sort = (typeof sortColumns)[number]
const sorted = (column: Sort): { name: string; properties: ('network_id' | 'kind' | 'record_id' | Sort)[] } => ({
  name: `network_listings_${column}`,
  properties: ['network_id', 'kind', column, 'record_id'],
})

const schema = defineEntity({
  name: 'NetworkListing',
  tableName: 'network_listings',
  properties: {
    network_id: () => p.manyToOne(Network).mapToPk().primary().deleteRule('cascade').joinColumn('network_id'),
    kind: p.enum(ListingKind.options).primary(),
    record_id: p.uuid().primary(),
    tenant_id: p.uuid(),
    /** Morton code of the place (rules/geo.ts). */
    geo: p.bigint('number').nullable(),
    lat: p.double().nullable(),
    lng: p.double().nullable(),
    /** The least, in minor units. */
    price: p.bigint('number').nullable(),
    currency: p.string().length(3).nullable(),
    /** The better, the larger; null without ratings. */
    rating_rank: p.integer().nullable(),
    /** Keys of taxonomies. */
    categories: p.json<string[]>(),
    search: searchColumn,
    /** The time at which the record was created. */
    created_at: p.bigint('number'),
  },
  indexes: [
    ...sortColumns.map(sorted),
    { name: 'network_listings_geo', properties: ['network_id', 'kind', 'geo'] },
    { properties: ['tenant_id', 'kind', 'record_id'] },
    {
      name: 'network_listings_search',
      expression: 'create index "network_listings_search" on "network_listings" using gin ("search")',
    },
    {
      name: 'network_listings_categories',
      expression:
        'create index "network_listings_categories" on "network_listings" using gin ("categories" jsonb_path_ops)',
    },
  ],
})
export class NetworkListing extends schema.class {}
schema.setClass(NetworkListing)
