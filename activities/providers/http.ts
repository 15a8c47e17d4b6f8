// Requests to addresses that a user gave, over connections that the guard allows. Every send reports how far it came:
// a failure of which nothing was written may be repeated, any other may not.
import type net from 'node:net'
import type tls from 'node:tls'
import { Agent, type buildConnector } from 'undici'
import { config } from '../../config.ts'
import type { EffectError } from '../../entities/kit/effect-columns.ts'
import { addressProof } from '../../rules/http-verdicts.ts'
import { hostName } from '../../rules/input/ip-addresses.ts'
import { losslessJson } from '../../rules/input/numbers.ts'
import type { Sending, Verdict } from '../kit/once.ts'
import { type Answer, BodyTooLarge, CallFailed, call } from './call.ts'
import { type Connector, newConnector } from './egress-connector.ts'
import {
  checkedHeaders,
  checkedUrl,
  checkMailPort,
  checkMethod,
  type EgressCode,
  EgressError,
  type EgressPhase,
  type Guard,
  type MailHost,
  newGuard,
  type Resolve,
} from './egress-guard.ts'

/**
 * Frozen in an effect's row as it is. `timeout_ms` includes name resolution, connection, redirects, answer and body.
 */
export type HttpRequest = {
  url: string
  method: string
  headers?: Record<string, string>
  body?: string
  timeout_ms: number
}
/**
 * Header names in lower case. `body` is parsed where the content type is JSON, with numbers that are not exact as texts
 * of their digits; else it is `text`, the body as it came.
 */
export type HttpAnswer = { status: number; headers: Record<string, string | string[]>; body: unknown; text: string }

const bodyMax = 1_048_576
/** The largest headers of an answer in bytes. Longer ones cannot be read, so their outcome is unknown. */
const maxHeaderSize = 262_144
const redirectsMax = 3
/** Headers that are sent on to another origin after a redirect. */
const harmless = ['accept', 'accept-language', 'user-agent']

/** Tests replace the DNS by `resolve`, and trust `ca` as well. */
type EgressOptions = { allow: readonly string[]; resolve?: Resolve; ca?: string }

type RequestOptions = { redirects?: number; reuse?: boolean; firstByteBy?: number }

export type Egress = {
  /** Makes every check that needs no connection, when a request is prepared. Throws EgressError. */
  check(request: HttpRequest): Promise<void>
  /**
   * One attempt. `redirects`: how many are followed, GET and HEAD only, at most 3, each checked like the first address.
   * `reuse` keeps the connection for the next request; not for effects, where a server that closes an idle connection
   * cannot be distinguished from a lost answer. Throws EgressError.
   */
  request(request: HttpRequest, options?: RequestOptions): Promise<HttpAnswer>
  /**
   * The send of an effect: no redirects, and a final status line is judged as that of an address that a user chose.
   * Failures are verdicts.
   */
  send(request: HttpRequest, sending: Sending): Promise<{ verdict: Verdict; answer: HttpAnswer | null }>
  /** The checks of `connect` that need no connection. Throws EgressError. */
  checkMailHost(to: MailHost): Promise<void>
  /**
   * A connection on which nothing was written yet, and its TLS options. Throws EgressError, always of phase `not_sent`.
   */
  connect(to: MailHost): Promise<{ socket: net.Socket; tls: tls.ConnectionOptions }>
}

export function newEgress({ allow, resolve, ca }: EgressOptions): Egress {
  const guard = newGuard(allow, resolve)
  const connector = newConnector(guard, ca)
  const agents = newAgents(connector)
  return {
    async check({ url, method, headers }) {
      checkMethod(method)
      checkedHeaders(headers)
      await guard.addresses(checkedUrl(url).hostname)
    },
    request: (given, options = {}) => follow(agents, given, options),
    send: (given, sending) => send(agents, given, sending),
    async checkMailHost(to) {
      checkMailPort(to)
      guard.checkPlain(to, await guard.addresses(to.host))
    },
    connect: (to) => connectMail(guard, connector, to),
  }
}

/** `closing` has a connection for each request; `keeping` uses one again. */
type Agents = { closing: Agent; keeping: Agent }

function newAgents({ open }: Connector): Agents {
  const connect: buildConnector.connector = (options, callback) => {
    open(options).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
  return {
    closing: new Agent({ allowH2: false, connect, pipelining: 0, maxHeaderSize }),
    keeping: new Agent({ allowH2: false, connect, pipelining: 1, keepAliveTimeout: 4_000, maxHeaderSize }),
  }
}

/** One attempt, with the redirects that it may follow. */
async function follow(
  { closing, keeping }: Agents,
  given: HttpRequest,
  { redirects = 0, reuse = false, firstByteBy }: RequestOptions,
): Promise<HttpAnswer> {
  const endBy = performance.now() + given.timeout_ms
  checkMethod(given.method)
  const follows = given.method === 'GET' || given.method === 'HEAD' ? Math.min(redirects, redirectsMax) : 0
  let headers = checkedHeaders(given.headers)
  let url = checkedUrl(given.url)
  for (let hop = 0; ; hop++) {
    const answer = await call(reuse ? keeping : closing, url.origin, {
      path: url.pathname + url.search,
      method: given.method,
      // No compression: a decoded body could exceed the limit many times.
      headers: { ...headers, 'accept-encoding': 'identity' },
      // The body is sent to the first address only.
      ...(given.body === undefined || hop > 0 ? {} : { body: given.body }),
      timeoutMs: Math.max(1, endBy - performance.now()),
      ...(firstByteBy === undefined ? {} : { firstByteBy }),
      bodyMax,
    }).catch((error) => Promise.reject(egressError(error, hop)))
    const location = [answer.headers.location].flat()[0]
    if (follows === 0 || ![301, 302, 303, 307, 308].includes(answer.status) || location === undefined)
      return read(answer)
    if (hop === follows)
      throw new EgressError('egress_too_many_redirects', `more than ${follows} redirects`, 'answered', answer.status)
    // Not read: it ends with its connection or at the limit.
    answer.body().catch(() => {})
    const next = checkedUrl(location, url)
    if (next.origin !== url.origin)
      headers = Object.fromEntries(Object.entries(headers).filter(([name]) => harmless.includes(name)))
    url = next
  }
}

async function send(agents: Agents, given: HttpRequest, { firstByteBy, endBy }: Sending): ReturnType<Egress['send']> {
  try {
    const timeout_ms = Math.min(given.timeout_ms, endBy - performance.now())
    const answer = await follow(agents, { ...given, timeout_ms }, { firstByteBy })
    return { verdict: decided(given.method, answer.status), answer }
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    return { verdict: failed(given.method, error), answer: null }
  }
}

async function connectMail(guard: Guard, { open, trust }: Connector, to: MailHost): ReturnType<Egress['connect']> {
  checkMailPort(to)
  const socket = await open({ hostname: to.host, port: String(to.port), protocol: 'tcp:' }).catch((error) =>
    Promise.reject(egressError(error, 0)),
  )
  try {
    guard.checkPlain(to, [socket.remoteAddress ?? ''])
  } catch (error) {
    socket.destroy()
    throw error
  }
  return { socket, tls: trust(hostName(to.host)) }
}

function egressError(error: unknown, hop: number): EgressError {
  const failed = error instanceof CallFailed ? error : new CallFailed(false, error)
  const { cause } = failed
  // A refusal after a redirect is one after a request was sent.
  const phase: EgressPhase = failed.written || hop > 0 ? 'no_answer' : 'not_sent'
  if (cause instanceof EgressError)
    return new EgressError(cause.code, cause.message.slice(cause.code.length + 2), phase)
  // Where every address failed, the error is an AggregateError without a message.
  const { message, errors } = (cause ?? {}) as { message?: string; errors?: Error[] }
  return new EgressError(
    failed.written ? 'egress_no_answer' : 'egress_not_sent',
    message || errors?.[0]?.message || 'no connection',
    phase,
  )
}

async function read({ status, headers, body }: Answer): Promise<HttpAnswer> {
  const broken = (code: EgressCode, what: string) => new EgressError(code, what, 'answered', status)
  const text = await body().catch((error) => {
    throw error instanceof BodyTooLarge
      ? broken('egress_answer_too_large', error.message)
      : broken('egress_broken_answer', `the answer broke off after status ${status}`)
  })
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding !== 'identity' && text !== '')
    throw broken('egress_broken_answer', 'the body is encoded, though that was not asked for')
  const known = Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined),
  )
  const isJson = /^application\/(.+\+)?json\s*(;|$)/i.test(String(headers['content-type'] ?? ''))
  return { status, headers: known, body: isJson ? parsed(text) : text, text }
}

/** Levels of nesting: JSON.stringify overflows the stack at some thousand. */
const depthMax = 1_000
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)))

/** The text itself where it is not JSON, or is nested too deep to be written again. */
function parsed(text: string): unknown {
  try {
    const value = losslessJson(text)
    return isDeeper(value, depthMax) ? text : value
  } catch {
    return text
  }
}

function decided(method: string, status: number, error?: EffectError): Verdict {
  const proof = addressProof(method, status)
  if (proof === 'done') return { kind: 'succeeded', evidence: { status }, ...(error ? { error } : {}) }
  return {
    kind: proof === 'refused' ? 'rejected' : 'unknown',
    evidence: { status },
    error: error ?? {
      code: 'http_status',
      message: `the address answered with status ${status}`,
      provider_status: status,
    },
  }
}

/** The verdict of a failure: it is proved that nothing was sent, or a status was seen, or the outcome is unknown. */
function failed(method: string, { code, message, phase, status }: EgressError): Verdict {
  const error: EffectError = { code, message }
  if (phase === 'not_sent') return { kind: 'not_sent', error, ...(code === 'egress_refused' ? { final: true } : {}) }
  if (status === undefined) return { kind: 'unknown', evidence: {}, error }
  return decided(method, status, { ...error, provider_status: status })
}

let shared: Egress | undefined
/** Created at its first use, as the settings are. */
export const egress = (): Egress => {
  shared ??= newEgress({ allow: config.egressAllow })
  return shared
}
