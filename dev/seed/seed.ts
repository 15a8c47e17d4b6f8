// The demo store, created once per folder through the API. A later start finds it and adds what is missing.
import fs from 'node:fs'
import path from 'node:path'
import { ApiProblem, client } from '../../client/client.ts'
import { modelsKey } from '../servers/embedded.ts'
import { openAgent } from './agents.ts'
import { automate } from './automation.ts'
import { type Cards, openBusiness, openCards, openNetwork, registerCards } from './business.ts'
import type { Call } from './call.ts'
import { announce } from './campaigns.ts'
import { covered, publish } from './content.ts'
import { fillShelves, pictured } from './goods.ts'
import { everywhere, hours, ofKey } from './kit.ts'
import { gather } from './members.ts'
import { uploadPictures } from './pictures.ts'
import { praise } from './reactions.ts'
import { review } from './reviews.ts'
import { connectNetworks } from './social.ts'

/** The settings of the stack and its addresses. `mail` and `stripe` are empty if they are not simulators. */
export type SeedStack = Record<string, string> & {
  dir: string
  api: string
  mail: string
  stripe: string
  models?: string
  chat_bot?: string
  receiver?: string
  social?: string
}
type Names = 'store_id' | 'business_id' | 'network_id' | 'agent_id' | 'api_token' | 'publishable_key'
export type Seeded = { [Name in Names]: string | null }
/** Parts of the demo store that are complete. Later changes by its users stay. */
type Part =
  | 'salon'
  | 'goods'
  | 'automation'
  | 'content'
  | 'members'
  | 'campaigns'
  | 'city'
  | 'reactions'
  | 'reviews'
  | 'social'
type City = { business_id: string; network_id: string | null; cards: Cards }
type DemoStore = { [Name in Exclude<Names, keyof City | 'agent_id'>]: string } & Partial<City> & { [P in Part]?: true }

/** The operator of the demo store. */
export const demoEmail = 'demo@tillwright.test'

/** Signs in with a code that is read in the mail catcher. */
async function signIn(api: string, mail: string, email: string): Promise<string> {
  const call = client({ base: api })
  const before = (await (await fetch(`${mail}/messages?to=${encodeURIComponent(email)}`)).json()) as unknown[]
  const { challenge_id } = await call('POST /v1/auth/code', { body: { email } })
  const answer = await fetch(
    `${mail}/messages/wait?to=${encodeURIComponent(email)}&after=${before.length}&timeout_ms=20000`,
  )
  if (!answer.ok) throw new Error('The sign-in code did not arrive in the mail catcher.')
  const messages = (await answer.json()) as { text: string }[]
  const code = /\b\d{6}\b/.exec(messages[0]?.text ?? '')?.[0]
  if (!code) throw new Error('The e-mail has no sign-in code.')
  const session = await call('POST /v1/auth/verify', { body: { challenge_id, code } })
  const { value } = await client({ base: api, headers: { authorization: `Bearer ${session.access_token}` } })(
    'POST /v1/accounts/me/api-tokens',
    {
      body: { name: 'demo', expires_at: null },
    },
  )
  if (!value) throw new Error('The API token is missing in the response.')
  return value
}

const address = {
  name: 'Demo store',
  street1: '1 Market Street',
  city: 'San Francisco',
  state: 'CA',
  postal_code: '94105',
  country: 'US',
}
const location = { lat: 37.7936, lng: -122.3949 }

/** A location where orders can be picked up, and shipping in both markets. */
async function furnish(call: Call, storeId: string): Promise<void> {
  const [location] = await call('GET /v1/stores/{storeId}/locations', { path: { storeId } })
  if (!location) throw new Error('A new store must have a location.')
  await call('PUT /v1/stores/{storeId}/locations/{id}', {
    path: { storeId, id: location.id },
    body: { key: location.key, address, is_pickup_location: true },
  })
  const { items: markets } = await call('GET /v1/stores/{storeId}/markets', { path: { storeId } })
  for (const { id, key } of markets) {
    const home =
      key === 'us'
        ? { countries: ['US'], tax_bps: 0 }
        : { countries: ['DE', 'FR', 'IT', 'ES', 'NL', 'AT'], tax_bps: 1900 }
    const shipping_methods = [
      { id: `${key}-standard`, name: 'Standard', taxable: true, eta_text: '3 to 5 days', amount: 495 },
      { id: `${key}-express`, name: 'Express', taxable: true, eta_text: 'next day', amount: 1495 },
    ]
    await call('PUT /v1/stores/{storeId}/markets/{id}', {
      path: { storeId, id },
      body: { zones: [{ name: 'Home', states: [], postal_codes: [], shipping_methods, ...home }] },
    })
  }
}

const people = [
  {
    key: 'rosa',
    name: 'Rosa',
    working_days: hours(['monday', 'tuesday', 'wednesday', 'thursday', 'friday'], '09:00', '17:00'),
  },
  {
    key: 'sam',
    name: 'Sam',
    working_days: hours(['tuesday', 'wednesday', 'thursday', 'friday', 'saturday'], '10:00', '18:00'),
  },
]
const code = 'WELCOME10'

/**
 * Haircuts by two providers, and a code for ten percent off. Keeps existing records: an earlier start may have been
 * interrupted.
 */
async function openSalon(call: Call, storeId: string): Promise<void> {
  const path = { storeId }
  const named = (key: string, name: string) => ({
    path,
    body: { key, slug: { en: key }, blocks: [{ key: 'name', type: 'text', value: name }] },
  })
  const { id: service_id } =
    ofKey((await call('GET /v1/stores/{storeId}/services', { path, query: { query: 'haircut' } })).items, 'haircut') ??
    (await call('POST /v1/stores/{storeId}/services', named('haircut', 'Haircut')))
  const { items: links } = await call('GET /v1/stores/{storeId}/service-providers', { path, query: { service_id } })
  for (const { key, name, working_days } of people) {
    const { id: provider_id } =
      ofKey((await call('GET /v1/stores/{storeId}/providers', { path, query: { query: key } })).items, key) ??
      (await call('POST /v1/stores/{storeId}/providers', named(key, name)))
    if (links.some((link) => link.provider_id === provider_id)) continue
    const body = { service_id, provider_id, working_days, slot_interval: 30, prices: everywhere(4500) }
    await call('POST /v1/stores/{storeId}/service-providers', { path, body })
  }
  const { items: codes } = await call('GET /v1/stores/{storeId}/promo-codes', { path, query: { query: code } })
  if (codes.some((one) => one.code.toUpperCase() === code)) return
  const discounts = ['us', 'eu'].map((market_key) => ({ type: 'items_percentage' as const, market_key, bps: 1000 }))
  await call('POST /v1/stores/{storeId}/promo-codes', { path, body: { code, discounts, conditions: [] } })
}

/** Connects and onboards the store at the simulator, so that cards can be charged. */
async function connect(call: Call, storeId: string, api: string): Promise<void> {
  const back = `${api}/docs`
  const request = {
    path: { storeId },
    body: { return_url: back, refresh_url: back, country: 'US', email: demoEmail },
  }
  const { onboarding_url } = await call('POST /v1/stores/{storeId}/payment-providers/stripe/connect', request)
  if (onboarding_url) await fetch(onboarding_url, { redirect: 'manual' })
  for (let tries = 0; tries < 20; tries++) {
    const again = await call('POST /v1/stores/{storeId}/payment-providers/stripe/connect', request)
    if (again.onboarding_url === null) return
  }
  throw new Error('The payment provider did not become ready.')
}

const asOperator = (api: string, api_token: string): Call =>
  client({ base: api, headers: { authorization: `Bearer ${api_token}` } })

async function make({ api, mail }: SeedStack): Promise<DemoStore> {
  const api_token = await signIn(api, mail, demoEmail)
  const call = asOperator(api, api_token)
  const emails = { billing: 'billing@tillwright.test', support: 'support@tillwright.test' }
  const { items } = await call('GET /v1/stores', { query: { query: 'demo' } })
  // A store of an interrupted start stays, and a new one is created.
  const key = items.some((one) => one.key === 'demo') ? `demo-${Date.now()}` : 'demo'
  const store = await call('POST /v1/stores', {
    body: {
      key,
      timezone: 'America/Los_Angeles',
      languages: ['en'],
      emails,
      settings: { name: 'Demo store', address, location },
    },
  })
  await furnish(call, store.id)
  await connect(call, store.id, api)
  return { store_id: store.id, api_token, publishable_key: store.publishable_key }
}

async function readStore(file: string, api: string): Promise<DemoStore | null> {
  if (!fs.existsSync(file)) return null
  const store: DemoStore = JSON.parse(fs.readFileSync(file, 'utf8'))
  try {
    await asOperator(api, store.api_token)('GET /v1/stores/{storeId}', { path: { storeId: store.store_id } })
    return store
  } catch (error) {
    // The database is another one than last time.
    if (error instanceof ApiProblem && [401, 404].includes(error.status)) return null
    throw error
  }
}

/**
 * Without the simulators the sign-in code cannot be read and the account cannot be onboarded: there is no demo store.
 */
export async function seed(stack: SeedStack): Promise<Seeded> {
  if (!stack.mail || !stack.stripe)
    return {
      store_id: null,
      business_id: null,
      network_id: null,
      agent_id: null,
      api_token: null,
      publishable_key: null,
    }
  const file = path.join(stack.dir, 'seed.json')
  const save = (store: DemoStore) => fs.writeFileSync(file, `${JSON.stringify(store, null, 2)}\n`, { mode: 0o600 })
  const store = (await readStore(file, stack.api)) ?? (await make(stack))
  save(store)
  const { store_id, api_token, publishable_key } = store
  const call = asOperator(stack.api, api_token)
  const add = async (part: Part, work: () => Promise<void>) => {
    if (store[part]) return
    await work()
    store[part] = true
    save(store)
  }
  const { receiver, SMTP_URL } = stack
  /** Posts refer to goods, and reviews are about them. */
  async function addGoods(): Promise<void> {
    await add('salon', () => openSalon(call, store_id))
    await add('goods', async () =>
      fillShelves(call, store_id, await uploadPictures(call, store_id, [...pictured, ...covered])),
    )
    await Promise.all([
      add('content', () => publish(call, store_id)),
      add('reviews', () => review(call, store_id, { api: stack.api, publishable_key })),
    ])
  }
  // Side by side, as some wait for processes that render e-mails and images.
  await Promise.all([
    addGoods(),
    receiver && SMTP_URL ? add('automation', () => automate(call, store_id, receiver, new URL(SMTP_URL))) : undefined,
    add('members', () => gather(call, store_id)),
    add('city', async () => {
      const business_id = await openBusiness(call)
      const [cards, network_id] = [await openCards(call, business_id), await openNetwork(call, [store_id, business_id])]
      Object.assign(store, { business_id, network_id, cards })
    }),
    stack.social ? add('social', () => connectNetworks(call, store_id)) : undefined,
    SMTP_URL ? add('campaigns', () => announce(call, store_id, new URL(SMTP_URL))) : undefined,
  ])
  const { business_id = null, network_id = null, cards } = store
  if (business_id) await add('reactions', () => praise(call, business_id, stack))
  if (cards) await registerCards(cards, stack)
  const { models, chat_bot = '' } = stack
  const agent_id =
    business_id && models ? await openAgent(call, business_id, { models, apiKey: modelsKey, chat_bot }) : null
  return { store_id, business_id, network_id, agent_id, api_token, publishable_key }
}
