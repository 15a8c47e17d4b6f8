// The demo business `old-town`: a hairdresser on the business surface, with a cut, a colouring that has to be approved,
// and an account of its own that charges cards; and the network `city`, which lists it beside the demo store.
import { randomBytes } from 'node:crypto'
import { ApiProblem, each } from '../../client/client.ts'
import type { Call } from './call.ts'

const businessKey = 'old-town'
export const networkKey = 'city'

const weekdays = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'] as const
const block = (value: string) => [{ key: 'name', type: 'text' as const, value }]
const price = (amount: number) => [{ market: 'booking', amount }]
const services = [
  { key: 'cut', slug: { en: 'cut' }, blocks: block('Cut'), prices: price(4500) },
  {
    ...{
      key: 'colour',
      slug: { en: 'colour' },
      blocks: block('Colour'),
      prices: price(9000),
      isApprovalRequired: true,
    },
    durations: [{ duration: 30 }, { duration: 15, isPause: true }, { duration: 30 }],
  },
]
const place = {
  address: {
    name: 'Old Town Hair',
    street1: '500 Montgomery Street',
    city: 'San Francisco',
    state: 'CA',
    postal_code: '94111',
    country: 'US',
  },
  location: { lat: 37.7943, lng: -122.4028 },
}

/**
 * Keeps existing records: an earlier start may have been interrupted, or of a version that had fewer of them. Returns
 * the id of the business.
 */
export async function openBusiness(call: Call): Promise<string> {
  const { items } = await call('GET /v1/businesses', { query: { query: businessKey } })
  const found = items.find(({ key }) => key === businessKey)
  const settings = { name: 'Old Town Hair', ...place, ...found?.settings }
  const { id: businessId } = found
    ? await call('PUT /v1/businesses/{businessId}', { path: { businessId: found.id }, body: { settings } })
    : await call('POST /v1/businesses', {
        body: { key: businessKey, timezone: 'America/Los_Angeles', billingEmail: 'billing@tillwright.test', settings },
      })
  const path = { businessId }
  const { items: providers } = await call('GET /v1/businesses/{businessId}/providers', { path })
  const provider =
    providers.find(({ key }) => key === 'ida') ??
    (await call('POST /v1/businesses/{businessId}/providers', {
      path,
      body: { key: 'ida', slug: { en: 'ida' }, blocks: block('Ida') },
    }))
  const { items: existing } = await call('GET /v1/businesses/{businessId}/services', { path })
  const { items: links } = await call('GET /v1/businesses/{businessId}/service-providers', { path })
  const workingDays = weekdays.map((day) => ({ day, workingHours: [{ from: 540, to: 1020 }] }))
  for (const body of services) {
    const { id: serviceId } =
      existing.find(({ key }) => key === body.key) ??
      (await call('POST /v1/businesses/{businessId}/services', { path, body }))
    if (links.some((link) => link.serviceId === serviceId)) continue
    const link = { serviceId, providerId: provider.id, workingDays, specificDates: [], slotInterval: 30 }
    await call('POST /v1/businesses/{businessId}/service-providers', { path, body: link })
  }
  return businessId
}

/** The business's own account at the Stripe simulator. */
export type Cards = { integration_id: string; secret_key: string; webhook_secret: string }

/** Replaces the secrets of an integration that an interrupted start has left. */
export async function openCards(call: Call, businessId: string): Promise<Cards> {
  const random = () => randomBytes(24).toString('hex')
  const [secretKey, webhookSecret] = [`sk_test_${random()}`, `whsec_${random()}`]
  const provider = {
    type: 'card_payment' as const,
    secretKey,
    webhookSecret,
    publishableKey: `pk_test_${random()}`,
    activeForCardPayments: true,
  }
  const path = { businessId }
  const { items } = await call('GET /v1/businesses/{businessId}/integrations', { path, query: { type: provider.type } })
  const { id } = items[0]
    ? await call('PUT /v1/businesses/{businessId}/integrations/{id}', {
        path: { ...path, id: items[0].id },
        body: { provider },
      })
    : await call('POST /v1/businesses/{businessId}/integrations', { path, body: { key: 'cards', provider } })
  return { integration_id: id, secret_key: secretKey, webhook_secret: webhookSecret }
}

/** At every start: the address of the API may be another one. */
export async function registerCards(
  { integration_id, ...secrets }: Cards,
  { api, stripe }: { api: string; stripe: string },
): Promise<void> {
  const body = JSON.stringify({ ...secrets, webhook_url: `${api}/v1/webhooks/stripe/${integration_id}` })
  const answer = await fetch(`${stripe}/_sim/accounts`, { method: 'POST', body })
  if (!answer.ok)
    throw new Error(`The Stripe simulator did not register an account: ${answer.status} ${await answer.text()}`)
}

/** Keeps the other members of the network. Null if the account is no platform administrator. */
export async function openNetwork(call: Call, members: readonly string[]): Promise<string | null> {
  try {
    for await (const { id, key, tenant_ids } of each(call, 'GET /v1/platform/networks')) {
      if (key !== networkKey) continue
      await call('PUT /v1/platform/networks/{id}', { path: { id }, body: { tenant_ids: [...tenant_ids, ...members] } })
      return id
    }
    return (
      await call('POST /v1/platform/networks', { body: { key: networkKey, name: 'City', tenant_ids: [...members] } })
    ).id
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 403) return null
    throw error
  }
}
