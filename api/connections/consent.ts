// The page of ours that a browser opens before the network's consent page. It names the store and who asks, and gives
// the browser a cookie that the state at the network is bound to: the callback takes a state from the browser that went
// on from this page, and from no other (RFC 9700, 4.7).
import { createHash, hash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { addressOf } from '../../adapters/social-address.ts'
import { config } from '../../config.ts'
import { type BegunConsent, begunConsent } from '../../entities/connections/authorizations.ts'
import { consentUrl } from '../../rules/connections/requests.ts'
import { escaped } from '../../rules/mail/mail-page.ts'
import { Refusal } from '../../rules/refusal.ts'
import { NetworkType } from '../../rules/social/networks/network-types.ts'
import { networks } from '../../rules/social/networks/networks.ts'
import { storeNameInMail } from '../../rules/stores/store-name.ts'
import { browserPage } from '../kit/answer/browser-page.ts'
import type { Download, PageText } from '../kit/answer/replies.ts'
import { digest, type Headers, headerOf, newToken } from '../kit/caller.ts'
import { route } from '../kit/route.ts'

export const badState = () =>
  new Refusal(
    400,
    'bad_state',
    'The state is unknown, was used, has expired, or belongs to another network or to another browser. Connect the account again.',
  )

/** A refused consent in a browser. `type`: of the path, as it was sent. */
export function refusedConsent(type: string | undefined): PageText {
  const network = NetworkType.safeParse(type).data
  return {
    title: `Your account ${network ? `of ${networks[network].name} ` : ''}was not connected`,
    text: 'The link is incomplete, was used already, is older than ten minutes, or was begun in another browser. Go back to the page where you began to connect the account, and begin again.',
  }
}

/** Read at a request: the document of the API is made without settings. */
const isSecure = () => config.publicUrl.startsWith('https:')
/** With the prefix, no page of a neighbouring domain can set it. */
const cookieName = () => (isSecure() ? '__Host-till_consent' : 'till_consent')
const cookieOf = (headers: Headers): string | undefined =>
  new RegExp(`(?:^|; *)${cookieName()}=(till_cs_[\\w-]{43})(?:;|$)`).exec(headerOf(headers, 'cookie') ?? '')?.[1]

const tagOf = (cookie: string, state: string): string => hash('sha256', `${cookie} ${state}`, 'base64url')

type State = { tenant_id: string; state_digest: string; type: NetworkType }

function stateOf(type: string, state: string | undefined): State | null {
  const network = NetworkType.safeParse(type).data
  const tenant_id = z.uuid().safeParse(state?.split('.')[1]).data
  return network && state && tenant_id ? { tenant_id, state_digest: digest(state), type: network } : null
}

/**
 * The state that the network returned, if the browser that returns it is the one that went on from our page. 400
 * bad_state.
 */
export function returnedState(type: string, returned: string | undefined, headers: Headers): State {
  const [state, tag] = [returned?.split('.').slice(0, 2).join('.'), returned?.split('.').slice(2).join('.')]
  const found = stateOf(type, state)
  const cookie = cookieOf(headers)
  if (!found || !state || !tag || !cookie) throw badState()
  const [given, right] = [tag, tagOf(cookie, state)].map((text) => Buffer.from(text))
  if (!given || !right || given.length !== right.length || !timingSafeEqual(given, right)) throw badState()
  return found
}

function pageOf(
  type: NetworkType,
  { store, requester }: BegunConsent,
  href: string,
  headers: Record<string, string>,
): Download {
  const [name, network] = [storeNameInMail(store), networks[type].name]
  const key = name === store.key ? '' : ` (<code>${escaped(store.key)}</code>)`
  const inner = `<p><strong>${escaped(requester)}</strong> asks for it. The team of the store <strong>${escaped(name)}</strong>${key} will publish, reply and read comments and figures with the account that you choose.</p>
<p>Go on only if you know this store and want to connect your account to it. Otherwise close this page.</p>
<p><a id="go" rel="noreferrer" href="${escaped(href)}">Connect to ${escaped(name)}</a></p>`
  return browserPage(200, `Connect an account of ${network} to ${name}`, inner, headers)
}

export const socialConsent = [
  route('GET /v1/social/consent/{type}', {
    may: 'public',
    operation: 'showSocialConsent',
    summary: 'Show who asks for a consent',
    description:
      'The page that `authorization_url` names, for browsers: it says which {store} will get the account and who asks, and links to the consent page of the network. It sets a ' +
      'cookie, without which the callback takes no answer of that consent page: the browser that goes on from here has to come back. 400 `bad_state`, as a page where `Accept` names HTML, if the state is unknown, was used, has expired, or belongs to another network.',
    textParameters: ['type'],
    refuses: ['bad_state'],
    answers: { types: ['text/html'], refusal: (_, { type }) => refusedConsent(type) },
    query: z.object({ state: z.string().min(1).max(4_096).describe('The state of the address.') }),
    async run({ em, path, query: { state }, headers, now }) {
      const begun = stateOf(path.type, state)
      const app = begun && config.social.apps[begun.type]
      const consent = begun && app ? await begunConsent(em, begun, now) : null
      if (!begun || !app || !consent) throw badState()
      const cookie = cookieOf(headers) ?? newToken('till_cs')
      const { code_verifier, redirect_uri } = consent
      const challenge = code_verifier && createHash('sha256').update(code_verifier).digest('base64url')
      const asked = {
        client_id: app.client_id,
        redirect_uri,
        state: `${state}.${tagOf(cookie, state)}`,
        challenge,
        version: config.social.graphVersion,
      }
      return pageOf(begun.type, consent, addressOf(consentUrl(begun.type, asked)).href, {
        'Set-Cookie': `${cookieName()}=${cookie}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax${isSecure() ? '; Secure' : ''}`,
      })
    },
  }),
]
