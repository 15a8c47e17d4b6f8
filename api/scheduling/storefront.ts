// The public services and providers: active ones with their prices and stars, without the fields for operators.
import { z } from 'zod'
import { withStars } from '../../entities/community/stars.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { Provider } from '../../entities/scheduling/provider.ts'
import { Service } from '../../entities/scheduling/service.ts'
import { ServiceProvider } from '../../entities/scheduling/service-provider.ts'
import { withProviders } from '../../entities/scheduling/service-providers.ts'
import { ServiceDuration } from '../../rules/scheduling/calendars.ts'
import { Price } from '../../rules/stores/markets.ts'
import { Stars } from '../community/reaction-shapes.ts'
import { bySlug, readNamed, unlisted } from '../content/named.ts'
import { listing } from '../kit/answer/listing.ts'
import { route } from '../kit/route.ts'
import { providerFilters, serviceFilters } from './bookables.ts'
import { ProviderOut } from './providers.ts'
import { ServiceOut } from './services.ts'

const Offer = z
  .object({
    provider_id: z.string().describe('Identifier of the provider.'),
    prices: z.array(Price).describe('Prices of one slot, one per market.'),
    durations: z.array(ServiceDuration).describe('Lengths that a slot may have; if empty, `slot_interval`.'),
    slot_interval: z.int().describe('Minutes from the start of one slot to the next.'),
  })
  .meta({
    id: 'ServiceOffer',
    description:
      'How a provider offers a service. Prices are for one slot; without durations a slot lasts `slot_interval` minutes.',
  })
const PublicService = ServiceOut.omit(unlisted)
  .extend({ providers: z.array(Offer).describe('Active providers that offer the service.'), stars: Stars })
  .meta({ id: 'PublicService' })
const PublicProvider = ProviderOut.omit(unlisted).extend({ stars: Stars }).meta({ id: 'PublicProvider' })

const visible = { status: 'active', access: 'public' } as const

const shownServices = async (em: EntityManager, rows: Service[]) =>
  withStars(em, 'service', await withProviders(em, rows))

export const storefrontScheduling = [
  listing('GET /v1/storefront/services', {
    may: 'visitor',
    contact: 'optional',
    summary: 'List the services that can be booked',
    entity: Service,
    unmanaged: true,
    item: PublicService,
    search: 'search',
    sorts: ['key'],
    filters: serviceFilters,
    scope: () => visible,
    load: shownServices,
    children: [{ entity: ServiceProvider, column: 'service_id', own: 'id' }],
  }),
  route('GET /v1/storefront/services/{id}', {
    may: 'visitor',
    contact: 'optional',
    summary: 'Read a service that can be booked, by id or by slug',
    textParameters: ['id'],
    query: bySlug,
    out: PublicService,
    async run({ em, tenant_id, path, query }) {
      const service = await readNamed(em, tenant_id, 'service', path.id, query.locale, visible)
      const [shown] = await shownServices(em, [service])
      return shown as NonNullable<typeof shown>
    },
  }),
  listing('GET /v1/storefront/providers', {
    may: 'visitor',
    contact: 'optional',
    summary: 'List the providers that can be booked',
    entity: Provider,
    unmanaged: true,
    item: PublicProvider,
    search: 'search',
    sorts: ['key'],
    filters: providerFilters,
    scope: () => visible,
    load: (em, rows: Provider[]) => withStars(em, 'provider', rows),
  }),
  route('GET /v1/storefront/providers/{id}', {
    may: 'visitor',
    contact: 'optional',
    summary: 'Read a provider that can be booked, by id or by slug',
    textParameters: ['id'],
    query: bySlug,
    out: PublicProvider,
    async run({ em, tenant_id, path, query }) {
      const provider = await readNamed(em, tenant_id, 'provider', path.id, query.locale, visible)
      const [shown] = await withStars(em, 'provider', [provider])
      return shown as NonNullable<typeof shown>
    },
  }),
]
