// Refusals in the shapes of the APIs that networks have.
import type { Answer, Refusals } from './network.ts'

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
/** A refusal of a whole request. */
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

/** Of RFC 6749, section 5.2. */
export const rfc = (status: number, error: string): Answer => ({
  status,
  body: { error, error_description: `${error} (simulator)` },
})
const grantRefused = (error: string): Answer => rfc(error === 'invalid_client' ? 401 : 400, error)

const message = 'Injected fault.'

export const graphRefusals: Refusals = {
  token: () => graph(400, 190, 'Error validating access token: Session has expired.'),
  grant: (error) => graph(400, error === 'invalid_client' ? 101 : 100, error),
  injected: (status, { code, subcode, is_transient = status >= 500 }) =>
    graph(status, Number(code ?? 2), message, {
      ...(subcode === undefined ? {} : { subcode }),
      transient: is_transient,
    }),
}

export const googleRefusals: Refusals = {
  token: () => ({
    status: 401,
    body: {
      error: {
        code: 401,
        message: 'Invalid Credentials',
        status: 'UNAUTHENTICATED',
        errors: [{ message: 'Invalid Credentials', domain: 'global', reason: 'authError' }],
      },
    },
  }),
  grant: grantRefused,
  injected: (status, { reason }) => google(status, reason ?? (status >= 500 ? 'backendError' : 'badRequest'), message),
}

const xTitles: Record<number, string> = { 401: 'Unauthorized', 403: 'Forbidden', 429: 'Too Many Requests' }
export const xRefusals: Refusals = {
  token: () => x(401, 'Unauthorized', 'Unauthorized'),
  grant: (error) => (error === 'invalid_grant' ? rfc(400, 'invalid_request') : grantRefused(error)),
  injected: (status) =>
    x(status, xTitles[status] ?? (status >= 500 ? 'Service Unavailable' : 'Invalid Request'), message),
}
