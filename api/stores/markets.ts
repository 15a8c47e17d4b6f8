// Markets of a store. Zones have no routes of their own: a market is written with all of its zones.
import { z } from 'zod'
import { findRecord } from '../../entities/kit/find.ts'
import { newId } from '../../entities/kit/ids.ts'
import { flushKeyed } from '../../entities/kit/keys.ts'
import { Market } from '../../entities/stores/market.ts'
import { removeMarket } from '../../entities/stores/removals.ts'
import { distinct, distinctPlaces } from '../../rules/input/distinct.ts'
import { Key } from '../../rules/input/identities.ts'
import { invalid } from '../../rules/refusal.ts'
import { anyCase, CreatedAt, Currency, UpdatedAt } from '../../rules/shapes.ts'
import { PaymentMethod, TaxMode, Zone } from '../../rules/stores/markets.ts'
import { listing } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'

export const MarketOut = z
  .object({
    id: z.string().describe('Identifier of the market, a UUIDv7 made by the server.'),
    key: z
      .string()
      .describe('Name of the market, unique in the {store}. It never changes: prices and carts refer to it.'),
    currency: z.string().describe('Currency of the market, ISO 4217. It never changes.'),
    tax_mode: TaxMode.describe('`exclusive`: tax is added to the prices; `inclusive`: prices contain it.'),
    zones: z
      .array(Zone)
      .describe('Regions with their tax rate and shipping methods. The most specific match of the address applies.'),
    payment_methods: z.array(PaymentMethod).describe('Payment methods that customers can choose from.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Market' })
const PublicMarket = MarketOut.omit({ created_at: true, updated_at: true }).meta({ id: 'PublicMarket' })

/** A quote compares the address with all of these values. */
const placesMax = 20_000
const placeLists = ['countries', 'states', 'postal_codes'] as const
const lengthOf = (list: unknown) => (Array.isArray(list) ? list.length : 0)

/** The values are counted before the zones are parsed, so that too many are refused without cost. */
const Zones = z
  .preprocess(
    (zones: z.input<typeof Zone>[], { issues }) => {
      if (!Array.isArray(zones)) return zones
      let left = placesMax
      for (const [at, zone] of zones.entries())
        for (const name of placeLists) {
          left -= lengthOf(zone?.[name])
          if (left >= 0) continue
          const message = `Expected at most ${placesMax} countries, states and postal codes in all zones together.`
          issues.push({ code: 'custom', input: zones, path: [at, name], params: { code: 'too_big' }, message })
          return z.NEVER
        }
      return zones
    },
    z
      .array(Zone)
      .max(500)
      .check(
        distinct(({ id }) => id, 'id'),
        // Unique across zones: a cart refers to a shipping method by its id alone.
        distinctPlaces((zones) =>
          zones.flatMap(({ shipping_methods }, zone) =>
            shipping_methods.map(({ id }, at) => ({ key: id, path: [zone, 'shipping_methods', at, 'id'] })),
          ),
        ),
      ),
  )
  .describe(`Zones, with at most ${placesMax} countries, states and postal codes together.`)

const writable = {
  tax_mode: anyCase(TaxMode)
    .optional()
    .describe('`exclusive`: tax is added to the prices; `inclusive`: prices contain it.'),
  zones: Zones.optional().describe(
    'Regions with their tax rate and shipping methods, 500 at most. Replaces the stored ones.',
  ),
  payment_methods: z
    .array(PaymentMethod)
    .max(50)
    .check(distinct(({ key }) => key, 'key'))
    .optional()
    .describe('Payment methods that customers can choose from, 50 at most. Replaces the stored ones.'),
}

const withIds = (zones: Zone[]): Zone[] => zones.map((zone) => ({ ...zone, id: zone.id ?? newId() }))
const defaultMethods: PaymentMethod[] = [
  { key: 'cash', type: 'cash' },
  { key: 'credit_card', type: 'card' },
]

export const markets = [
  listing('GET /v1/stores/{storeId}/markets', {
    may: 'admin',
    summary: 'List the markets',
    entity: Market,
    item: MarketOut,
    sorts: ['key'],
  }),
  reading('GET /v1/stores/{storeId}/markets/{id}', {
    may: 'admin',
    summary: 'Read a market',
    entity: Market,
    out: MarketOut,
  }),
  route('POST /v1/stores/{storeId}/markets', {
    may: 'admin',
    refuses: ['key_taken'],
    summary: 'Create a market',
    description:
      'By default, prices exclude tax, shipping is free everywhere, and cash and cards are accepted. 409 `key_taken` if another market has the key.',
    body: z.object({
      key: Key.describe('Name of the market, unique in the {store}. It cannot be changed later.'),
      currency: Currency.describe('Currency of the market, ISO 4217. It cannot be changed later.'),
      ...writable,
    }),
    out: MarketOut,
    status: 201,
    async run({
      em,
      tenant_id,
      body: { zones = [], tax_mode = 'exclusive', payment_methods = defaultMethods, ...body },
      now,
    }) {
      const row = { id: newId(), tenant_id, created_at: now, updated_at: now }
      const market = em.create(Market, { ...row, ...body, tax_mode, payment_methods, zones: withIds(zones) })
      await flushKeyed(em, 'market')
      return market
    },
  }),
  route('PUT /v1/stores/{storeId}/markets/{id}', {
    may: 'admin',
    refuses: ['cannot_change'],
    summary: 'Update a market',
    description:
      'Fields that are left out are kept. `zones` and `payment_methods` replace the stored lists. `key` and `currency` cannot be changed: 422 `cannot_change`.',
    body: z.object({
      key: Key.optional().describe('Must equal the key of the market, which cannot be changed.'),
      currency: Currency.optional().describe('Must equal the currency of the market, which cannot be changed.'),
      ...writable,
    }),
    out: MarketOut,
    async run({ em, path, body: { key, currency, zones, ...body }, now }) {
      const market = await findRecord(em, Market, { id: path.id }, 'market')
      if (key !== undefined && key !== market.key)
        throw invalid('/key', 'cannot_change', 'The key of a market cannot be changed.')
      if (currency !== undefined && currency !== market.currency)
        throw invalid('/currency', 'cannot_change', 'The currency of a market cannot be changed.')
      return em.assign(market, { ...body, ...(zones ? { zones: withIds(zones) } : {}), updated_at: now })
    },
  }),
  removing('DELETE /v1/stores/{storeId}/markets/{id}', {
    may: 'admin',
    refuses: ['last_market', 'market_in_use'],
    summary: 'Delete an unused market',
    description:
      '409 `market_in_use` if prices, orders, carts with items or active promo codes refer to the market; `last_market` for the only market of the {store}.',
    remove: ({ em, tenant_id, path }) => removeMarket(em, tenant_id, path.id),
  }),
  listing('GET /v1/storefront/markets', {
    may: 'visitor',
    contact: 'optional',
    summary: 'List the markets of the storefront',
    entity: Market,
    item: PublicMarket,
    sorts: ['key'],
  }),
]
