// Refusals in the shape of each network.
import type { Answer } from './calls.ts'
import type { Network } from './state.ts'

export const isGraph = (network: Network) => network === 'a' || network === 'b' || network === 'e'

type GraphMore = { subcode?: number; title?: string; user?: string; transient?: boolean }

export const graph = (
  status: number,
  code: number,
  message: string,
  { subcode, title, user, transient }: GraphMore = {},
): Answer => ({
  status,
  body: {
    error: {
      ...{ message, type: 'OAuthException', code },
      ...(subcode === undefined ? {} : { error_subcode: subcode }),
      ...(transient === undefined && subcode === undefined ? {} : { is_transient: transient ?? false }),
      ...(user === undefined ? {} : { error_user_title: title ?? message, error_user_msg: user }),
      fbtrace_id: 'sim',
    },
  },
})
export const graphMissing = (id: string, method = 'get'): Answer =>
  graph(
    400,
    100,
    `Unsupported ${method} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
    { subcode: 33 },
  )
export const graphParameter = (message: string): Answer => graph(400, 100, `(#100) ${message}`)

export const google = (status: number, reason: string, message: string, domain = 'youtube.video'): Answer => ({
  status,
  body: { error: { code: status, message, errors: [{ message, domain, reason }] } },
})

const problem = (name: string) => `https://api.twitter.com/2/problems/${name}`
/** A refusal of network d as a whole. */
export const x = (status: number, title: string, detail: string): Answer => ({
  status,
  body: { detail, type: 'about:blank', title, status },
})
export const xInvalid = (message: string, parameters: Record<string, string[]> = {}): Answer => ({
  status: 400,
  body: {
    errors: [{ parameters, message }],
    title: 'Invalid Request',
    detail: 'One or more parameters to your request was invalid.',
    type: problem('invalid-request'),
  },
})
/** Part of an answer with status 200. */
export const xNotFound = (id: string, parameter = 'id') => ({
  value: id,
  detail: `Could not find tweet with ${parameter}: [${id}].`,
  title: 'Not Found Error',
  resource_type: 'tweet',
  parameter,
  resource_id: id,
  type: problem('resource-not-found'),
})

export const tokenRefused = (network: Network): Answer =>
  isGraph(network)
    ? graph(400, 190, 'Error validating access token: Session has expired.')
    : network === 'c'
      ? {
          status: 401,
          body: {
            error: {
              code: 401,
              message: 'Invalid Credentials',
              status: 'UNAUTHENTICATED',
              errors: [{ message: 'Invalid Credentials', domain: 'global', reason: 'authError' }],
            },
          },
        }
      : x(401, 'Unauthorized', 'Unauthorized')

type Injected = { code?: string; subcode?: number; is_transient?: boolean; reason?: string }
/** An injected error, in the shape of the network. */
export function injected(
  network: Network,
  status: number,
  { code, subcode, is_transient = status >= 500, reason }: Injected,
): Answer {
  const message = 'Injected fault.'
  if (isGraph(network))
    return graph(status, Number(code ?? 2), message, {
      ...(subcode === undefined ? {} : { subcode }),
      transient: is_transient,
    })
  if (network === 'c') return google(status, reason ?? (status >= 500 ? 'backendError' : 'badRequest'), message)
  const titles: Record<number, string> = { 401: 'Unauthorized', 403: 'Forbidden', 429: 'Too Many Requests' }
  return x(status, titles[status] ?? (status >= 500 ? 'Service Unavailable' : 'Invalid Request'), message)
}
