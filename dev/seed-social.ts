// The accounts of the demo store at the simulated networks: a business account of network b, and an account of network d.
import type { Call } from './seed.ts'

const account = 'Demo store'
const types = ['network_b_business', 'network_d_account'] as const

/** The consent page consents at once for the account that it is asked for, and sends the browser back to the API. Keeps existing connections. */
export async function connectNetworks(call: Call, storeId: string): Promise<void> {
  const path = { storeId }
  const { items } = await call('GET /v1/stores/{storeId}/social-connections', { path })
  for (const type of types) {
    if (items.some((one) => one.type === type)) continue
    const { authorization_url } = await call('POST /v1/stores/{storeId}/social-connections/oauth/connect', { path, body: { type } })
    const page = new URL(authorization_url)
    page.searchParams.set('sim_account', account)
    const answer = await fetch(page)
    if (!answer.ok) throw new Error(`The demo store's account of ${type} was not connected: ${answer.status}.`)
  }
}
