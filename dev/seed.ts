// A demo store to try things on, made once per folder through the API itself; a later start finds it again.
import fs from 'node:fs'
import path from 'node:path'
import { ApiProblem, client, type client as clientOf } from '../api/client.ts'

/** The settings of the stack, and where it stands; mail and stripe are empty where they are not ours. */
export type SeedStack = Record<string, string> & { dir: string; api: string; mail: string; stripe: string }
export type Seeded = { store_id: string | null; api_token: string | null; publishable_key: string | null }

type Call = ReturnType<typeof clientOf>

/** Signs in as people do: a code is asked for, and read in the mail. */
async function signIn(api: string, mail: string, email: string): Promise<string> {
  const call = client({ base: api })
  const before = (await (await fetch(`${mail}/messages?to=${encodeURIComponent(email)}`)).json()) as unknown[]
  const { challenge_id } = await call('POST /v1/auth/code', { body: { email } })
  const answer = await fetch(`${mail}/messages/wait?to=${encodeURIComponent(email)}&after=${before.length}&timeout_ms=20000`)
  if (!answer.ok) throw new Error('the sign-in code did not arrive in the mail catcher')
  const messages = (await answer.json()) as { text: string }[]
  const code = /\b\d{6}\b/.exec(messages[0]?.text ?? '')?.[0]
  if (!code) throw new Error('the mail held no sign-in code')
  const session = await call('POST /v1/auth/verify', { body: { challenge_id, code } })
  const { value } = await client({ base: api, headers: { authorization: `Bearer ${session.access_token}` } })('POST /v1/accounts/me/api-tokens', {
    body: { name: 'demo', expires_at: null },
  })
  if (!value) throw new Error('the API token was not shown')
  return value
}

const address = { name: 'Demo store', street1: '1 Market Street', city: 'San Francisco', state: 'CA', postal_code: '94105', country: 'US' }

/** Two products with stock, a place they are shipped from, and shipping in both markets. */
async function furnish(call: Call, storeId: string): Promise<void> {
  const [location] = await call('GET /v1/stores/{storeId}/locations', { path: { storeId } })
  if (!location) throw new Error('a new store has a location')
  await call('PUT /v1/stores/{storeId}/locations/{id}', { path: { storeId, id: location.id }, body: { key: location.key, address, is_pickup_location: true } })
  const { items: markets } = await call('GET /v1/stores/{storeId}/markets', { path: { storeId } })
  for (const { id, key } of markets) {
    const home = key === 'us' ? { countries: ['US'], tax_bps: 0 } : { countries: ['DE', 'FR', 'IT', 'ES', 'NL', 'AT'], tax_bps: 1900 }
    const shipping_methods = [
      { id: `${key}-standard`, name: 'Standard', taxable: true, eta_text: '3 to 5 days', amount: 495 },
      { id: `${key}-express`, name: 'Express', taxable: true, eta_text: 'next day', amount: 1495 },
    ]
    await call('PUT /v1/stores/{storeId}/markets/{id}', {
      path: { storeId, id },
      body: { zones: [{ name: 'Home', states: [], postal_codes: [], shipping_methods, ...home }] },
    })
  }
  const product = (key: string, name: string, amount: number, available: number, more: Record<string, unknown> = {}) =>
    call('POST /v1/stores/{storeId}/products', {
      path: { storeId },
      body: {
        key,
        slug: { en: key },
        blocks: [{ key: 'name', type: 'text', value: name }],
        variants: [
          {
            sku: key.toUpperCase(),
            prices: [
              { market: 'us', amount },
              { market: 'eu', amount },
            ],
            inventory: [{ location_id: location.id, available }],
            ...more,
          },
        ],
      },
    })
  await product('tea-towel', 'Tea towel', 1900, 500, { weight: 120 })
  await product('oak-stool', 'Oak stool', 12_900, 25, { weight: 4200 })
}

/** Connected and onboarded at the simulator, so that cards can be charged at once. */
async function connect(call: Call, storeId: string, api: string): Promise<void> {
  const back = `${api}/docs`
  const asked = { path: { storeId }, body: { return_url: back, refresh_url: back, country: 'US', email: 'demo@tillwright.test' } }
  const { onboarding_url } = await call('POST /v1/stores/{storeId}/payment-providers/stripe/connect', asked)
  if (onboarding_url) await fetch(onboarding_url, { redirect: 'manual' })
  for (let tries = 0; tries < 20; tries++) {
    const again = await call('POST /v1/stores/{storeId}/payment-providers/stripe/connect', asked)
    if (again.onboarding_url === null) return
  }
  throw new Error('the payment provider did not become ready')
}

async function make({ api, mail }: SeedStack): Promise<Seeded> {
  const api_token = await signIn(api, mail, 'demo@tillwright.test')
  const call = client({ base: api, headers: { authorization: `Bearer ${api_token}` } })
  const emails = { billing: 'billing@tillwright.test', support: 'support@tillwright.test' }
  const { items } = await call('GET /v1/stores', { query: { query: 'demo' } })
  // A start that was broken off halfway left a store behind: it stays, and a new one is made.
  const key = items.some((one) => one.key === 'demo') ? `demo-${Date.now()}` : 'demo'
  const store = await call('POST /v1/stores', { body: { key, timezone: 'America/Los_Angeles', languages: ['en'], emails, settings: { name: 'Demo store' } } })
  await furnish(call, store.id)
  await connect(call, store.id, api)
  return { store_id: store.id, api_token, publishable_key: store.publishable_key }
}

async function stillThere(api: string, { store_id, api_token }: Seeded): Promise<boolean> {
  if (!store_id || !api_token) return false
  try {
    await client({ base: api, headers: { authorization: `Bearer ${api_token}` } })('GET /v1/stores/{storeId}', { path: { storeId: store_id } })
    return true
  } catch (error) {
    // Another database than last time.
    if (error instanceof ApiProblem && [401, 404].includes(error.status)) return false
    throw error
  }
}

/** Without the simulators nobody can read the code or onboard the account: then there is no demo store. */
export async function seed(stack: SeedStack): Promise<Seeded> {
  if (!stack.mail || !stack.stripe) return { store_id: null, api_token: null, publishable_key: null }
  const file = path.join(stack.dir, 'seed.json')
  if (fs.existsSync(file)) {
    const known: Seeded = JSON.parse(fs.readFileSync(file, 'utf8'))
    if (await stillThere(stack.api, known)) return known
  }
  const made = await make(stack)
  fs.writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 })
  return made
}
