// A person, room or machine that services are booked with. All its services share its time.
import { defineEntity, p } from '@mikro-orm/core'
import { Visibility } from '../../rules/scheduling/calendars.ts'
import { containsKey, namedKeys, namedRow } from '../kit/database/named-columns.ts'

const keys = namedKeys('providers')

const schema = defineEntity({
  name: 'Provider',
  tableName: 'providers',
  properties: {
    ...namedRow,
    access: p.enum(Visibility.options).default('public'),
    node_ids: p.json<string[]>().default('[]'),
    /** Networks that the record is listed in; empty for all of its tenant. */
    network_ids: p.json<string[]>().default('[]'),
    audience_ids: p.json<string[]>().default('[]'),
    /** Bookings that may overlap, instead of the limit of each link. */
    concurrent_limit: p.integer().nullable(),
  },
  uniques: keys.uniques,
  indexes: [...keys.indexes, containsKey('providers', 'blocks'), containsKey('providers', 'node_ids')],
  checks: [{ expression: 'concurrent_limit > 0', name: 'providers_positive' }],
})
export class Provider extends schema.class {}
schema.setClass(Provider)
