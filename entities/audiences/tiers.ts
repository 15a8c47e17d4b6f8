// Tiers and their prices. A price that is left out of an update is archived, never deleted: members keep it.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { amountFault, PRICES_MAX, type PriceTerms, sameTerms, TIERS_MAX } from '../../rules/audiences/audiences.ts'
import { conflict, type Fault, invalid, invalidInput, notFound, Refusal } from '../../rules/refusal.ts'
import type { ArchivableStatus } from '../../rules/shapes.ts'
import { sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { flushUnique } from '../kit/keys.ts'
import { lockForChange } from '../kit/locked-row.ts'
// Backwards: the prices of a tier are provided at the payment provider.
import { hasProvisions, requestProvisions } from '../prices/price-provisions.ts'
import { PaymentProvider } from '../stores/payment-provider.ts'
import { Audience } from './audience.ts'
import { AudiencePrice } from './audience-price.ts'
import { AudienceTier } from './audience-tier.ts'

export type PriceInput = PriceTerms & { id?: string | undefined; status?: ArchivableStatus | undefined }
export type TierInput = {
  key?: string | undefined
  name?: string | undefined
  description?: string | null | undefined
  benefits?: string[] | undefined
  status?: ArchivableStatus | undefined
  provider?: { payment_provider_id: string } | null | undefined
  prices?: PriceInput[] | undefined
}

export type TierRow = Pick<
  AudienceTier,
  'id' | 'audience_id' | 'key' | 'name' | 'description' | 'benefits' | 'status' | 'created_at' | 'updated_at'
> & {
  payment_provider_id?: unknown
}
export type PriceRow = Pick<
  AudiencePrice,
  'id' | 'amount' | 'currency' | 'interval' | 'status' | 'ready' | 'error' | 'position'
> & { tier_id: unknown }

/** An entity has its properties on its class. */
const pricePart = ({ id, amount, currency, interval, status, error }: PriceRow) => ({
  id,
  amount,
  currency,
  interval: interval ?? null,
  status,
  error: error ?? null,
})

const inOrder = (a: PriceRow, b: PriceRow) => a.position - b.position || (a.id < b.id ? -1 : 1)

/**
 * Tiers as the API returns them, with all their prices. A price that is not free is ready only if the tier has a
 * provider with an account. Two statements.
 */
export async function withPrices(em: EntityManager, tiers: readonly TierRow[]) {
  const prices = tiers.length === 0 ? [] : await em.find(AudiencePrice, { tier_id: { $in: tiers.map(({ id }) => id) } })
  const named = tiers.flatMap(({ payment_provider_id }) => payment_provider_id ?? [])
  const connected =
    named.length === 0
      ? []
      : await em.find(
          PaymentProvider,
          { id: { $in: named as string[] }, account_id: { $ne: null } },
          { fields: ['id'] },
        )
  const accounts = new Set(connected.map(({ id }) => id))
  const byTier = Map.groupBy(prices as PriceRow[], ({ tier_id }) => String(tier_id))
  return tiers.map(({ payment_provider_id, ...tier }) => ({
    ...tier,
    audience_id: String(tier.audience_id),
    provider: payment_provider_id
      ? { type: 'card_payment' as const, payment_provider_id: String(payment_provider_id) }
      : null,
    prices: (byTier.get(tier.id) ?? []).sort(inOrder).map((price) => ({
      ...pricePart(price),
      ready: price.ready && (price.amount === 0 || accounts.has(String(payment_provider_id))),
    })),
  }))
}

/** Checks the payment provider of a tier. 422 payment_provider_unknown, unless the tier named it before. */
async function checkProvider(em: EntityManager, provider: TierInput['provider'], before?: unknown): Promise<void> {
  const id = provider?.payment_provider_id
  if (!id || id === before || (await em.count(PaymentProvider, { id })) > 0) return
  throw invalid(
    '/provider/payment_provider_id',
    'payment_provider_unknown',
    'The {store} has no such payment provider.',
  )
}

/**
 * Checks the prices of a tier. 422 with every fault: an amount that cannot be charged, a price of another tier, changed
 * terms, more than 100 prices.
 */
function checkPrices(prices: readonly PriceInput[], stored: readonly AudiencePrice[]): void {
  const byId = new Map(stored.map((price) => [price.id, price]))
  const faults: Fault[] = []
  const seen = new Set<string>()
  for (const [at, price] of prices.entries()) {
    const add = (field: string, code: string, detail: string) =>
      void faults.push({ pointer: `/prices/${at}${field}`, code, detail })
    const storedPrice = price.id === undefined ? undefined : byId.get(price.id)
    if (price.id === undefined) {
      const wrong = amountFault(price)
      if (wrong) add('/amount', wrong.code, wrong.detail)
    } else if (!storedPrice) add('/id', 'price_unknown', 'The tier has no such price. Leave out the id to add a price.')
    else if (seen.has(price.id)) add('/id', 'duplicate', `Duplicate value: \`${price.id}\`.`)
    else if (!sameTerms(price, { ...storedPrice, interval: storedPrice.interval ?? null }))
      add(
        '',
        'price_immutable',
        'Amount, currency and interval of a price cannot be changed. Leave it out, which archives it, and add another price.',
      )
    if (price.id !== undefined) seen.add(price.id)
  }
  const added = prices.filter(({ id }) => id === undefined).length
  if (stored.length + added > PRICES_MAX)
    faults.push({
      pointer: '/prices',
      code: 'too_big',
      detail: `A tier has at most ${PRICES_MAX} prices, archived ones included; create another tier.`,
    })
  if (faults.length === 0) return
  if (faults.every(({ code }) => code === 'price_immutable')) {
    const [first] = faults as [Fault]
    throw new Refusal(422, 'price_immutable', first.detail, { faults })
  }
  throw invalidInput(faults)
}

const newPrice = (
  em: EntityManager,
  tenantId: string,
  tierId: string,
  { amount, currency, interval, status = 'active' }: PriceInput,
  position: number,
  now: number,
) =>
  em.create(AudiencePrice, {
    ...{
      id: newId(),
      tenant_id: tenantId,
      created_at: now,
      updated_at: now,
      tier_id: tierId,
      amount,
      currency,
      interval,
      status,
      position,
    },
    // A price that is charged once is part of its payment, and a free one is never charged: the provider need not know
    // them before.
    ready: interval === null || amount === 0,
  })

const flushTier = (em: EntityManager) =>
  flushUnique(em, /audience_tiers_audience_id_key_unique/, () => {
    const detail = 'Another tier of the audience has this key.'
    return conflict('key_taken', detail, { faults: [{ pointer: '/key', code: 'key_taken', detail }] })
  })

/** Locks the audience, so that tiers are counted exactly. 404; 409 audience_not_paid, audience_archived. */
async function lockPaid(em: EntityManager, id: string): Promise<void> {
  const { type, status } = await lockForChange(em, Audience, id, 'audience')
  if (type !== 'paid')
    throw conflict('audience_not_paid', `Only paid audiences have tiers; the type of this one is \`${type}\`.`)
  if (status === 'archived') throw conflict('audience_archived', 'The audience is archived.')
}

/**
 * `requested`: prices are being created at the provider. 404; 409 key_taken, audience_not_paid, audience_archived,
 * tiers_too_many; 422 payment_provider_unknown and faults of prices. `now` in Unix seconds.
 */
export async function createTier(
  em: EntityManager,
  tenantId: string,
  audienceId: string,
  input: TierInput & { key: string; name: string },
  now: number,
) {
  await lockPaid(em, audienceId)
  if ((await em.count(AudienceTier, { audience_id: audienceId })) >= TIERS_MAX)
    throw conflict('tiers_too_many', `An audience has at most ${TIERS_MAX} tiers, archived ones included.`)
  await checkProvider(em, input.provider)
  const prices = input.prices ?? []
  checkPrices(prices, [])
  const { key, name, description = null, benefits = [], status = 'active', provider } = input
  const tier = em.create(AudienceTier, {
    ...{
      id: newId(),
      tenant_id: tenantId,
      created_at: now,
      updated_at: now,
      audience_id: audienceId,
      key,
      name,
      description,
      benefits,
      status,
    },
    payment_provider_id: provider?.payment_provider_id ?? null,
  })
  for (const [at, price] of prices.entries()) newPrice(em, tenantId, tier.id, price, at, now)
  await flushTier(em)
  return { tier, requested: await provision(em, tier) }
}

/** Requests the prices of the tier that the provider does not have. */
const provision = async (em: EntityManager, { id, payment_provider_id }: AudienceTier): Promise<boolean> =>
  payment_provider_id ? requestProvisions(em, { tier_id: id }, true) : false

/**
 * Refuses another provider once prices exist. 409 provider_fixed: prices belong to the account of the provider that
 * they were created at.
 */
async function checkFixed(em: EntityManager, tier: AudienceTier, provider: TierInput['provider']): Promise<void> {
  if (provider === undefined || (provider?.payment_provider_id ?? null) === (tier.payment_provider_id ?? null)) return
  // A statement of its own waits for a connection that is being recorded, which requests the prices of the tier.
  if (tier.payment_provider_id)
    await em.execute(sql`
      select 1
      from payment_providers
      where tenant_id = ${tier.tenant_id} and id = ${String(tier.payment_provider_id)}
      for share
    `)
  if (await hasProvisions(em, tier.tenant_id, tier.id))
    throw conflict(
      'provider_fixed',
      'Prices of the tier were created at its payment provider. Archive the tier and create another one.',
    )
}

/**
 * Updates a tier. Fields that are left out stay. `prices` is the list by id: a price without an id is added, one that
 * is left out is archived. 404; 409 key_taken, audience_archived, provider_fixed; 422 price_immutable, price_unknown,
 * payment_provider_unknown and faults of new prices. `requested`: prices are being created at the provider, also those
 * whose last creation had no success. `now` in Unix seconds.
 */
export async function updateTier(
  em: EntityManager,
  tenantId: string,
  { audience_id, id }: { audience_id: string; id: string },
  input: TierInput,
  now: number,
) {
  await lockPaid(em, audience_id)
  const failHandler = () => notFound('tier')
  const tier = await em.findOneOrFail(
    AudienceTier,
    { id, audience_id },
    { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler },
  )
  await checkProvider(em, input.provider, tier.payment_provider_id)
  await checkFixed(em, tier, input.provider)
  const { prices, provider, ...fields } = input
  em.assign(tier, {
    ...(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as typeof fields),
    ...(provider === undefined ? {} : { payment_provider_id: provider?.payment_provider_id ?? null }),
    updated_at: now,
  })
  if (prices) {
    const stored = await em.find(AudiencePrice, { tier_id: id })
    checkPrices(prices, stored)
    const places = new Map(prices.flatMap(({ id: price }, at) => (price === undefined ? [] : [[price, at] as const])))
    for (const price of stored) {
      const at = places.get(price.id)
      const status = at === undefined ? 'archived' : (prices[at]?.status ?? price.status)
      const position = at ?? price.position
      if (status !== price.status || position !== price.position)
        em.assign(price, { status, position, updated_at: now })
    }
    for (const [at, price] of prices.entries()) if (price.id === undefined) newPrice(em, tenantId, id, price, at, now)
  }
  await flushTier(em)
  return { tier, requested: await provision(em, tier) }
}
