// The agent of the demo business: integrations of the simulated model and of a bot of the simulated chat service, tea,
// and an hour that can be booked. At every start, as the addresses may be other ones.
import type { Call } from './call.ts'

export const agentKey = 'ida'
const key = 'models'
/** Of the bot; the number before the colon names it at the simulator. */
export const botToken = '71000001:of-old-town-hair'
type Provider =
  | { type: 'llm_a'; apiKey: string; model: string; baseUrl: string }
  | { type: 'chat_bot'; botToken: string; baseUrl: string }
const block = (value: string) => [{ key: 'name', type: 'text' as const, value }]
const priced = (markets: string[], amount: number) => markets.map((market) => ({ market, amount }))
const workingDays = (['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const).map(
  (day) => ({
    day,
    workingHours: [{ from: 540, to: 1020 }],
  }),
)

/** Tea for sale, and an hour that is free every day. */
async function stock(call: Call, businessId: string): Promise<void> {
  const path = { businessId }
  const of = <T extends { key: string }>({ items }: { items: T[] }, wanted: string) =>
    items.find((one) => one.key === wanted)
  if (
    !of(await call('GET /v1/businesses/{businessId}/products', { path, query: { query: 'green-tea' } }), 'green-tea')
  ) {
    const [location] = await call('GET /v1/businesses/{businessId}/locations', { path })
    await call('POST /v1/businesses/{businessId}/products', {
      path,
      body: {
        ...{ key: 'green-tea', slug: { en: 'green-tea' }, blocks: block('Green tea, 100 g') },
        variants: [
          {
            prices: priced(['us'], 900),
            requiresShipping: false,
            inventory: location ? [{ locationId: location.id, available: 1_000 }] : [],
          },
        ],
      },
    })
  }
  const { items: services } = await call('GET /v1/businesses/{businessId}/services', { path, query: { query: 'hour' } })
  if (services.some((one) => one.key === 'hour')) return
  const { items: providers } = await call('GET /v1/businesses/{businessId}/providers', { path })
  const provider = providers.find((one) => one.key === 'ida')
  if (!provider) return
  const { id: serviceId } = await call('POST /v1/businesses/{businessId}/services', {
    path,
    body: {
      key: 'hour',
      slug: { en: 'hour' },
      blocks: block('An hour with Ida'),
      prices: priced(['booking', 'us'], 6000),
    },
  })
  const link = { serviceId, providerId: provider.id, workingDays, specificDates: [], slotInterval: 60 }
  await call('POST /v1/businesses/{businessId}/service-providers', { path, body: link })
}

/** An integration with this key, created or with its provider updated. */
async function integrate(call: Call, businessId: string, wanted: string, provider: Provider): Promise<string> {
  const path = { businessId }
  const { items } = await call('GET /v1/businesses/{businessId}/integrations', { path, query: { type: provider.type } })
  const found = items.find((one) => one.key === wanted)
  if (!found)
    return (await call('POST /v1/businesses/{businessId}/integrations', { path, body: { key: wanted, provider } })).id
  await call('PUT /v1/businesses/{businessId}/integrations/{id}', {
    path: { ...path, id: found.id },
    body: { provider },
  })
  return found.id
}

/**
 * Keeps an agent that exists, with what its users changed. Returns its id. `chat_bot`: empty where there is no chat
 * service.
 */
export async function openAgent(
  call: Call,
  businessId: string,
  { models, apiKey, chat_bot }: { models: string; apiKey: string; chat_bot: string },
): Promise<string> {
  const path = { businessId }
  await stock(call, businessId)
  await integrate(call, businessId, key, { type: 'llm_a', apiKey, model: 'simulated', baseUrl: `${models}/v1` })
  const channels =
    chat_bot === '' ? [] : [await integrate(call, businessId, 'bot', { type: 'chat_bot', botToken, baseUrl: chat_bot })]
  const { items: agents } = await call('GET /v1/businesses/{businessId}/agents', { path })
  const agent = agents.find((one) => one.key === agentKey)
  if (agent) {
    // One of an earlier version serves no channel.
    const isServed = agents.some(({ channelIds }) => channels.some((id) => channelIds.includes(id)))
    if (!isServed)
      await call('PUT /v1/businesses/{businessId}/agents/{id}', {
        path: { ...path, id: agent.id },
        body: { channelIds: [...agent.channelIds, ...channels] },
      })
    return agent.id
  }
  const body = {
    ...{ key: agentKey, name: 'Ida', modelId: key, channelIds: channels, handoverEmail: 'demo@tillwright.test' },
    prompt:
      'You answer the visitors of Old Town Hair, a hairdresser that also sells tea. Look things up with your tools. Never invent a price or a time.',
  }
  return (await call('POST /v1/businesses/{businessId}/agents', { path, body })).id
}
