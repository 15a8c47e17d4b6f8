// The simulated networks of a test, and accounts that a store connects there.
//   const id = await connect(shop, 'network_d_account', 'Corner Salon')
//   await expire('d', 'Corner Salon')
import type { NetworkType } from '../../../rules/social/networks/network-types.ts'
import { until } from '../codes.ts'
import { type Answer, api, type Shop } from '../shop.ts'

type Network = 'a' | 'b' | 'c' | 'd' | 'e'
export type SocialEntry = {
  time: number
  method: string
  host: string
  path: string
  owner: string | null
  fields: Record<string, string>
  digest: string
  effect: boolean
  visible: boolean
  visible_at: number | null
  visible_id: string | null
  parent_id: string | null
  text: string | null
  fault: string | null
  status: number | null
}

/** A control of the simulator. */
export async function social<T = unknown>(method: 'GET' | 'POST' | 'DELETE', at: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${process.env.TEST_SOCIAL}/_sim${at}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${at}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

/** `owner`: the name of the account. `match`: the value of a field of the request. */
export const socialLedger = (filter: {
  host?: string
  path?: string
  owner?: string
  match?: string
  text?: string
}): Promise<SocialEntry[]> => social('GET', `/ledger?${new URLSearchParams(filter)}`)

export const socialFault = (fault: Record<string, unknown>) => social('POST', '/faults', fault)

/** Access tokens of the account end in so many seconds. */
export const expire = (network: Network, account: string, seconds = 0) =>
  social('POST', '/expire', { network, account, seconds })

export const networkOf = (type: NetworkType): Network => type[8] as Network

/** The cookies of the browsers that went on from the page of a consent, by the state at the network. */
const cookies = new Map<string, string>()

/** What a browser does with the address of a consent: it shows our page, whose link leads to the network. */
export async function wentOn(authorizationUrl: string, cookie?: string): Promise<URL> {
  const { pathname, search } = new URL(authorizationUrl)
  const answer = await fetch(`${api()}${pathname}${search}`, { headers: cookie === undefined ? {} : { cookie } })
  const page = await answer.text()
  const href = /<a id="go"[^>]* href="([^"]+)"/.exec(page)?.[1]
  if (answer.status !== 200 || !href) throw new Error(`no page: ${answer.status} ${page}`)
  const to = new URL(href.replaceAll('&#38;', '&'))
  cookies.set(to.searchParams.get('state') as string, (answer.headers.get('set-cookie') ?? '').split(';')[0] as string)
  return to
}

/** The cookie of the browser that went on to the network with this state. */
export const cookieOf = (state: string): string => cookies.get(state) ?? ''

/**
 * The address that the network sends the browser back to, after the owner of the account has consented or, without an
 * account, refused.
 */
export async function consented(
  shop: Shop,
  type: NetworkType,
  account: string | null,
  more: { return_url?: string; pages?: number } = {},
): Promise<URL> {
  const { return_url, pages = 1 } = more
  const { status, body } = await shop.asOperator('POST', '/social-connections/oauth/connect', {
    type,
    ...(return_url ? { return_url } : {}),
  })
  if (status !== 200) throw new Error(`not begun: ${status} ${JSON.stringify(body)}`)
  const page = await wentOn(body.authorization_url)
  if (account === null) page.searchParams.set('sim_deny', '1')
  else page.searchParams.set('sim_account', account)
  page.searchParams.set('sim_pages', String(pages))
  const answer = await fetch(page, { redirect: 'manual' })
  if (answer.status !== 302) throw new Error(`no consent: ${answer.status} ${await answer.text()}`)
  return new URL(answer.headers.get('location') as string)
}

/** What the browser does that the network sends back; by default the one that went on from our page. */
export async function goBack(
  to: URL,
  base = api(),
  cookie = cookieOf(to.searchParams.get('state') ?? ''),
): Promise<{ status: number; location: URL | null; body: Answer['body'] }> {
  const answer = await fetch(`${base}${to.pathname}${to.search}`, {
    redirect: 'manual',
    headers: cookie === '' ? {} : { cookie },
  })
  const [location, text] = [answer.headers.get('location'), await answer.text()]
  return {
    status: answer.status,
    location: location === null ? null : new URL(location),
    body: text === '' ? undefined : JSON.parse(text),
  }
}

/**
 * Ids of the connections that a consent makes. A busy machine makes them after the answer; other consents may end
 * meanwhile.
 */
export async function connectAll(shop: Shop, type: NetworkType, account: string, pages = 1): Promise<string[]> {
  const { status, body } = await goBack(await consented(shop, type, account, { pages }))
  if (status === 200 && body.error?.code === 'pending')
    return until(async () => {
      const { items } = (await shop.asOperator('GET', `/social-connections?limit=100&type=${type}&status=active`)).body
      const own = items.filter(({ name }: { name: string }) => name === account || name.startsWith(`${account} `))
      return own.length >= pages && own.map(({ id }: { id: string }) => id)
    }, 30_000)
  if (status !== 200 || body.error) throw new Error(`not connected: ${status} ${JSON.stringify(body)}`)
  return body.connections.map(({ id }: { id: string }) => id)
}
export const connect = async (shop: Shop, type: NetworkType, account: string): Promise<string> =>
  (await connectAll(shop, type, account))[0] as string
