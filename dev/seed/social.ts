// The accounts of the demo store at the simulated networks: a business account of network b, and an account of network
// d.
import type { Call } from './call.ts'

const account = 'Demo store'
const types = ['network_b_business', 'network_d_account'] as const

/**
 * What a browser does: our page names the store and sets a cookie, its link leads to the network, whose owner of the
 * account consents at once, and which sends the browser back to us. Returns our answer.
 */
export async function consentAs(account: string, authorizationUrl: string): Promise<Response> {
  const page = await fetch(authorizationUrl)
  const link = / href="([^"]+)">Connect to/.exec(await page.text())?.[1]
  const consent = new URL((link ?? '').replaceAll('&#38;', '&'))
  consent.searchParams.set('sim_account', account)
  const back = await fetch(consent, { redirect: 'manual' })
  const cookie = (page.headers.get('set-cookie') ?? '').split(';')[0] as string
  return fetch(back.headers.get('location') as string, { headers: { cookie } })
}

/** Keeps existing connections. */
export async function connectNetworks(call: Call, storeId: string): Promise<void> {
  const path = { storeId }
  const { items } = await call('GET /v1/stores/{storeId}/social-connections', { path })
  for (const type of types) {
    if (items.some((one) => one.type === type)) continue
    const { authorization_url } = await call('POST /v1/stores/{storeId}/social-connections/oauth/connect', {
      path,
      body: { type },
    })
    const answer = await consentAs(account, authorization_url)
    if (!answer.ok) throw new Error(`The demo store's account of ${type} was not connected: ${answer.status}.`)
  }
}
