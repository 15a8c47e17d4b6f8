// A service that customers book. Its links to providers say when it is available and what it costs.
import { defineEntity, p } from '@mikro-orm/core'
import { type Segment, type ServiceDuration, Visibility } from '../../rules/scheduling/calendars.ts'
import type { Place } from '../../rules/stores/addresses.ts'
import type { Price } from '../../rules/stores/markets.ts'
import { containsKey, namedKeys, namedRow } from '../kit/database/named-columns.ts'

const keys = namedKeys('services')

const schema = defineEntity({
  name: 'Service',
  tableName: 'services',
  properties: {
    ...namedRow,
    access: p.enum(Visibility.options).default('public'),
    node_ids: p.json<string[]>().default('[]'),
    /** Networks that the record is listed in; empty for all of its tenant. */
    network_ids: p.json<string[]>().default('[]'),
    /** The prices of links that have none in the market. */
    prices: p.json<Price[]>().default('[]'),
    /** The steps of a slot. */
    segments: p.json<Segment[]>().default('[]'),
    /** The sum of the segments, for links without durations. */
    durations: p.json<ServiceDuration[]>().default('[]'),
    is_approval_required: p.boolean().default(false),
    location: p.json<Place>().nullable(),
  },
  uniques: keys.uniques,
  indexes: [...keys.indexes, containsKey('services', 'blocks'), containsKey('services', 'node_ids')],
})
export class Service extends schema.class {}
schema.setClass(Service)
