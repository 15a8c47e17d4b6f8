// Where the networks send the browser back to. The state is the credential: made for one store and one network, used
// once, within ten minutes, by the browser that went on from our page (consent.ts).
import { z } from 'zod'
import { takeState } from '../../entities/connections/authorizations.ts'
import { SocialAuthorization } from '../../entities/connections/social-authorization.ts'
import { SocialConnection } from '../../entities/connections/social-connection.ts'
import { anyTenant } from '../../entities/kit/database/orm.ts'
import { Tenant } from '../../entities/stores/tenant.ts'
import { escaped } from '../../rules/mail/mail-page.ts'
import { EffectError } from '../../rules/shapes.ts'
import { networks } from '../../rules/social/networks/networks.ts'
import { SocialConnectionOut } from '../../rules/social/resources.ts'
import { storeNameInMail } from '../../rules/stores/store-name.ts'
import { asksForPage, browserPage } from '../kit/answer/browser-page.ts'
import { Download, NotYet, Reply } from '../kit/answer/replies.ts'
import { digest } from '../kit/caller.ts'
import { route } from '../kit/route.ts'
import { badState, refusedConsent, returnedState } from './consent.ts'

type Connected = z.input<typeof Connected>
const Connected = z
  .object({
    connections: z.array(SocialConnectionOut).describe('The connected accounts; empty if none could be connected.'),
    error: EffectError.nullable().describe(
      'Why no account was connected; null if one was. `pending`: the network has not answered yet.',
    ),
  })
  .meta({ id: 'SocialConnected' })

const pending = {
  code: 'pending',
  message: 'The network has not answered yet. The account appears in the list of connections when it has.',
}

type Row = Pick<SocialAuthorization, 'status' | 'connections' | 'error' | 'return_url'>

/** Undefined while there is no outcome. */
function outcomeOf({
  status,
  connections,
  error,
}: Row): { ids: string[]; error: { code: string; message: string } | null } | undefined {
  switch (status) {
    case 'succeeded':
      return connections ? { ids: connections, error: error ?? null } : undefined
    case 'unknown':
      return {
        ids: [],
        error: {
          code: 'oauth_unknown',
          message: 'It is not known whether the code was exchanged. Connect the account again.',
        },
      }
    case 'rejected':
      return {
        ids: [],
        error: { code: 'oauth_rejected', message: 'The network refused the code. Connect the account again.' },
      }
    case 'failed':
      return {
        ids: [],
        error:
          error?.code === 'access_denied'
            ? error
            : { code: 'provider_retryable', message: 'The network could not be reached. Connect the account again.' },
      }
    default:
      return undefined
  }
}

/** Back to the operator's page. The address of this page holds a code: it is no referrer. */
function backTo(returnUrl: string, ids: readonly string[], error: string | null): Download {
  const url = new URL(returnUrl)
  for (const id of ids) url.searchParams.append('social_connection_id', id)
  if (error !== null) url.searchParams.set('error', error)
  return new Download(
    303,
    { Location: url.href, 'Content-Length': '0', 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' },
    null,
  )
}

type Shown = {
  return_url: string | null
  /** What the page names that is shown without a `return_url`; null for JSON. */
  page: { store: string; network: string } | null
}

type Listed = { connections: readonly { name: string }[]; error: { code: string; message: string } | null }

/** What happened, for people. Other errors have sentences for people. */
const sentences: Readonly<Record<string, (network: string, store: string) => string>> = {
  pending: (network, store) =>
    `${network} has not answered yet. The account appears among the accounts of ${store} when it has. You can close this page.`,
  access_denied: (network, store) =>
    `You did not agree at ${network}, so ${store} cannot use your account. You can close this page.`,
  no_account: (network) =>
    `You agreed at ${network}, and named no account that can be connected. Begin again, and choose one there.`,
  oauth_unknown: (network) => `${network} did not confirm the connection. Begin again.`,
  oauth_rejected: (network) => `${network} refused the connection. Begin again.`,
  provider_retryable: (network) => `${network} could not be reached. Begin again in a few minutes.`,
}

/** The page for a browser that has none to go back to. */
function resultPage({ connections, error }: Listed, { store, network }: NonNullable<Shown['page']>): Download {
  if (error) {
    const title = error.code === 'pending' ? 'is being connected' : 'was not connected'
    const text = sentences[error.code]?.(network, store) ?? error.message
    return browserPage(200, `Your account of ${network} ${title} to ${store}`, `<p>${escaped(text)}</p>`)
  }
  const names = connections.map(({ name }) => `<li>${escaped(name)}</li>`).join('')
  const inner = `<p>${escaped(store)} can now publish, reply and read comments and figures with:</p>\n<ul>${names}</ul>\n<p>You can close this page.</p>`
  return browserPage(200, `Your account of ${network} is connected to ${store}`, inner)
}

/** The answer without a `return_url`. */
const shownTo = <C extends Listed>({ page }: Shown, connected: C): C | Download =>
  page ? resultPage(connected, page) : connected

/** The answer while the code is being exchanged. */
const lateAnswer = (shown: Shown): Connected | Download =>
  shown.return_url === null
    ? shownTo(shown, { connections: [], error: pending })
    : backTo(shown.return_url, [], pending.code)

/** What a network sends is not ours to refuse field by field. */
const sent = (description: string) => z.string().min(1).max(4_096).optional().describe(description)

export const socialCallback = [
  route('GET /v1/social/callback/{type}', {
    may: 'public',
    operation: 'receiveSocialCallback',
    summary: 'Receive the answer of a consent page',
    description:
      'For the browsers that networks send back; register it as the redirect address of your app at each network. Exchanges the code, connects every account that the consent ' +
      'names, and redirects to the `return_url` of the request with `social_connection_id` or `error` in its query; without a `return_url` it returns the connections, as a page where `Accept` names HTML. 400 ' +
      '`bad_state`, without a redirect, if the state is unknown, was used, has expired, or belongs to another network, or if another browser brings it than the one that went on from `authorization_url`.',
    textParameters: ['type'],
    refuses: ['bad_state'],
    status: [200, 303],
    transaction: true,
    query: z.object({
      state: sent('The state of the consent page’s address.'),
      code: sent('The authorization code.'),
      error: sent('Set instead of `code` if the owner of the account did not consent.'),
    }),
    out: Connected,
    answers: { refusal: (_, { type }) => refusedConsent(type) },
    async run({ em, path, query: { state, code }, headers, now }) {
      if (!/^[\x21-\x7e]*$/.test(code ?? '')) throw badState()
      const begun = returnedState(path.type, state, headers)
      const taken = await takeState(em, { ...begun, code: code || null, code_digest: code ? digest(code) : null }, now)
      if (!taken) throw badState()
      const { id, tenant_id, type, return_url = null } = taken
      const page = asksForPage(headers)
        ? {
            store: storeNameInMail(await em.findOneOrFail(Tenant, { id: tenant_id }, anyTenant)),
            network: networks[type].name,
          }
        : null
      const shown = { return_url, page }
      return new Reply(lateAnswer(shown), { pending: { id, tenant_id, ...shown } })
    },
    wait: {
      async until({ em, pending: { id, tenant_id, ...shown } }) {
        const outcome = outcomeOf(await em.findOneOrFail(SocialAuthorization, { id }, anyTenant))
        if (!outcome) return new NotYet(lateAnswer(shown))
        const { ids, error } = outcome
        if (shown.return_url !== null) return backTo(shown.return_url, ids, error?.code ?? null)
        const connections = await em.find(
          SocialConnection,
          { id: { $in: ids }, tenant_id },
          { ...anyTenant, orderBy: { id: 'asc' } },
        )
        return shownTo(shown, { connections, error })
      },
    },
  }),
]
