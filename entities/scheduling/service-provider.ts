// A link between a service and a provider: working days, durations, prices and capacity.
import { defineEntity, p } from '@mikro-orm/core'
import type { Segment, ServiceDuration, SpecificDate, WorkingDay } from '../../rules/scheduling/calendars.ts'
import type { Price } from '../../rules/stores/markets.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Provider } from './provider.ts'
import { Service } from './service.ts'

const schema = defineEntity({
  name: 'ServiceProvider',
  tableName: 'service_providers',
  properties: {
    ...tenantRow,
    service_id: () => p.manyToOne(Service).mapToPk().deleteRule('cascade').joinColumn('service_id'),
    provider_id: () => p.manyToOne(Provider).mapToPk().deleteRule('cascade').joinColumn('provider_id'),
    working_days: p.json<WorkingDay[]>(),
    specific_dates: p.json<SpecificDate[]>(),
    /** The steps of a slot, whose sum is its one duration; empty for a link that was written without steps. */
    segments: p.json<Segment[]>().default('[]'),
    durations: p.json<ServiceDuration[]>(),
    prices: p.json<Price[]>(),
    /** Minutes from one start to the next. */
    slot_interval: p.integer(),
    concurrent_limit: p.integer().default(1),
  },
  checks: [{ expression: 'slot_interval > 0 and concurrent_limit > 0', name: 'service_providers_positive' }],
  uniques: [{ properties: ['service_id', 'provider_id'] }],
  indexes: [
    { properties: ['provider_id'] },
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
  ],
})
export class ServiceProvider extends schema.class {}
schema.setClass(ServiceProvider)
