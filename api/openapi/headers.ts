// Headers of requests and answers, declared once for all operations.
import type { Route } from '../kit/route.ts'
import { saidBy } from '../kit/surface.ts'
import type { Json } from './schemas.ts'

const text = (description: string, more: Json = {}): Json => ({ description, schema: { type: 'string', ...more } })

/** Headers of answers, which operations refer to. */
export const headers: Record<string, Json> = {
  XRequestId: text('The id of the request, as sent or made by the server. It is also in every problem and in the log.'),
  XServiceVisitorToken: text(
    'The token of the visitor that this request created. Send it with every later request. Later responses do not have this header.',
  ),
  RetryAfter: {
    description: 'Seconds after which the same request may be repeated.',
    schema: { type: 'integer', minimum: 0 },
  },
  WwwAuthenticate: text(
    'The credential that is missing or invalid: `Bearer`, `Publishable-Key`, `Visitor-Token`, `Member-Link` or `Channel-Secret`.',
  ),
  ETag: text('Version of the answer, for `If-None-Match`, and of a file for `If-Range`.'),
  AcceptRanges: text('`bytes`: parts of the file can be requested with `Range`.'),
  ContentRange: text('The bytes of this part and the size of the file: `bytes 0-99/1234`; `bytes */1234` with 416.'),
  Location: text('Where the outcome can be read, or with 303 the address that the browser goes on to.', {
    format: 'uri-reference',
  }),
  CacheControl: text('How long the file may be cached.'),
}

const names: Record<string, string> = {
  XRequestId: 'X-Request-Id',
  XServiceVisitorToken: 'X-Service-Visitor-Token',
  RetryAfter: 'Retry-After',
  WwwAuthenticate: 'WWW-Authenticate',
  ETag: 'ETag',
  AcceptRanges: 'Accept-Ranges',
  ContentRange: 'Content-Range',
  Location: 'Location',
  CacheControl: 'Cache-Control',
}

const refs = (...keys: string[]): Json =>
  Object.fromEntries(keys.map((key) => [names[key], { $ref: `#/components/headers/${key}` }]))

/** The headers of an answer with this status. */
export function headersOf(route: Route, status: number): Json {
  const of = ['XRequestId']
  if (status < 300 && route.contact === 'created') of.push('XServiceVisitorToken')
  if (status === 202 || status === 303) of.push('Location')
  if (status === 401) of.push('WwwAuthenticate')
  if (status === 429 || status === 503) of.push('RetryAfter')
  if (route.answers.types && [200, 206, 304].includes(status)) of.push('ETag', 'CacheControl', 'AcceptRanges')
  if (route.answers.tagged && [200, 304].includes(status)) of.push('ETag')
  if (route.answers.types && [206, 416].includes(status)) of.push('ContentRange')
  return refs(...of)
}

/** Parameters that operations refer to. */
export const parameters: Record<string, Json> = {
  XRequestId: {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description:
      'An id of your own for this request: 1 to 128 printable characters without spaces. It is echoed, logged and part of every problem. Any other value is ignored, and the server makes an id.',
    // Without constraints, as any other value is accepted and ignored.
    schema: { type: 'string' },
  },
}

/** The request header of routes that answer with a tag. */
const ifNoneMatch = {
  'If-None-Match': { description: '`ETag` of the answer that you have: 304 without a body while it is the same.' },
}

export const headerParametersOf = (route: Route): Json[] => [
  ...Object.entries<{ description: string; required?: true }>({
    ...route.request.headers,
    ...(route.answers.tagged ? ifNoneMatch : {}),
  }).map(([name, { description, required }]) => ({
    name,
    in: 'header',
    required: required ?? false,
    description: saidBy(route, description),
    schema: { type: 'string' },
  })),
  { $ref: '#/components/parameters/XRequestId' },
]
