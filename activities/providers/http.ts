// Requests to addresses that a user gave: the name is resolved once, addresses must be public, and the connected
// address is checked again before the first byte.
import { lookup, Resolver } from 'node:dns/promises'
import net from 'node:net'
import tls from 'node:tls'
import { Agent, type buildConnector } from 'undici'
import { config } from '../../config.ts'
import type { EffectError } from '../../entities/kit/effect-columns.ts'
import { addressProof } from '../../rules/http-verdicts.ts'
import { exceptions, hostName, isPublic } from '../../rules/input/ip-addresses.ts'
import { losslessJson } from '../../rules/input/numbers.ts'
import type { Sending, Verdict } from '../kit/once.ts'
import { type Answer, BodyTooLarge, CallFailed, call, withoutSources } from './call.ts'

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

export type EgressCode =
  | 'egress_refused'
  | 'egress_unresolved'
  | 'egress_not_sent'
  | 'egress_no_answer'
  | 'egress_broken_answer'
  | 'egress_answer_too_large'
  | 'egress_too_many_redirects'

/** Nothing was written; a byte was written and no final status line came; or it came, and the rest was lost. */
type Phase = 'not_sent' | 'no_answer' | 'answered'

/** The message never holds the path, a header or a body: they may be secret. */
export class EgressError extends Error {
  readonly code: EgressCode
  readonly phase: Phase
  /** The status of the answer, where one was seen. */
  readonly status: number | undefined
  constructor(code: EgressCode, what: string, phase: Phase = 'not_sent', status?: number) {
    super(`${code}: ${withoutSources(what).slice(0, 300)}`)
    this.code = code
    this.phase = phase
    this.status = status
  }
}

const refused = (what: string) => new EgressError('egress_refused', what)

const urlMax = 8_192
const headersMax = 16_384
const bodyMax = 1_048_576
/** The largest headers of an answer in bytes. Longer ones cannot be read, so their outcome is unknown. */
const maxHeaderSize = 262_144
const redirectsMax = 3
const connectMs = 5_000
const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'MKCOL']
/** Headers that concern one connection, or that this client sets. */
const reserved =
  /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|http2-settings|te|trailer|expect|accept-encoding|proxy-.*|alt-used|sec-.*)$/i
/** Headers that are sent on to another origin after a redirect. */
const harmless = ['accept', 'accept-language', 'user-agent']

function checkedUrl(text: string, base?: URL): URL {
  if (text.length > urlMax) throw refused(`the address is longer than ${urlMax} characters`)
  if (!URL.canParse(text, base?.href)) throw refused('this is no address')
  const url = new URL(text, base?.href)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused('only http and https are spoken')
  if (url.username || url.password) throw refused('the address holds a user or a password')
  const port = Number(url.port)
  if (url.port && port !== 80 && port !== 443 && port < 1024) throw refused(`port ${port} is not 80, 443 or above 1023`)
  return url
}

function checkedHeaders(given: Record<string, string> = {}): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': 'Tillwright' }
  for (const [name, value] of Object.entries(given)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw refused('a header has no valid name')
    if (reserved.test(name)) throw refused(`the header ${name} is not yours to set`)
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw refused(`the header ${name} has no valid value`)
    headers[name.toLowerCase()] = value
  }
  if (Object.entries(headers).reduce((size, [name, value]) => size + name.length + value.length, 0) > headersMax)
    throw refused(`the headers are longer than ${headersMax} characters`)
  return headers
}

/**
 * Names are resolved by DNS queries: getaddrinfo would occupy one of four threads for as long as a foreign name server
 * delays its answer, and would apply the search list of our own network. Only a name that the operator allowed is
 * resolved by the system (`localhost`, /etc/hosts).
 */
const nameServers = new Resolver({ timeout: 1_500, tries: 2 })
async function addressesOf(name: string, trusted: boolean): Promise<string[]> {
  if (trusted) return (await lookup(name, { all: true })).map(({ address }) => address)
  const answers = await Promise.allSettled([nameServers.resolve4(name), nameServers.resolve6(name)])
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

/** Tests replace the DNS by `resolve`, and trust `ca` as well. */
export type EgressOptions = {
  allow: readonly string[]
  resolve?: (name: string, trusted: boolean) => Promise<string[]>
  ca?: string
}

export type Egress = {
  /** Makes every check that needs no connection, when a request is prepared. Throws EgressError. */
  check(request: HttpRequest): Promise<void>
  /**
   * One attempt. `redirects`: how many are followed, GET and HEAD only, at most 3, each checked like the first address.
   * `reuse` keeps the connection for the next request; not for effects, where a server that closes an idle connection
   * cannot be distinguished from a lost answer. Throws EgressError.
   */
  request(
    request: HttpRequest,
    more?: { redirects?: number; reuse?: boolean; firstByteBy?: number },
  ): Promise<HttpAnswer>
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

/**
 * `plain`: not encrypted, which is allowed only to addresses that EGRESS_ALLOW names. The protocol decides which ports
 * below 1024 are allowed.
 */
export type MailHost = { protocol: keyof typeof mailPorts; host: string; port: number; plain: boolean }

const mailPorts = { smtp: [25, 465, 587], imap: [143, 993] }

export function newEgress({ allow, resolve = addressesOf, ca }: EgressOptions): Egress {
  const allowed = exceptions(allow)
  const check = (host: string, addresses: readonly string[]) => {
    if (allowed.host(host)) return
    // Every address must be public: a name with one private address is refused.
    if (!addresses.every((address) => isPublic(address) || allowed.address(address)))
      throw refused('the address is not public')
  }

  async function checkedAddresses(hostname: string): Promise<string[]> {
    const host = hostName(hostname)
    const addresses = net.isIP(host) ? [host] : await resolve(host, allowed.host(host)).catch(() => [])
    if (addresses.length === 0) throw new EgressError('egress_unresolved', 'the name has no address')
    check(host, addresses)
    return addresses
  }

  const trust = (host: string) => ({
    servername: net.isIP(host) ? '' : host,
    // Explicit, so that no environment variable can switch it off.
    rejectUnauthorized: true,
    ...(ca ? { ca } : {}),
  })

  async function open({ hostname, port, protocol }: buildConnector.Options): Promise<net.Socket> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new EgressError('egress_not_sent', `no connection within ${connectMs} ms`)),
      connectMs,
    ).unref()
    let socket: net.Socket | undefined
    try {
      const addresses = (await Promise.race([checkedAddresses(hostname), late.promise])).map((address) => ({
        address,
        family: net.isIP(address),
      }))
      const host = hostName(hostname)
      socket = net.connect({
        host,
        port: Number(port) || (protocol === 'https:' ? 443 : 80),
        // Not called where the host is an address, which was checked above.
        lookup: (_host, _options, callback) => callback(null, addresses),
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: 1_000,
        noDelay: true,
      })
      await Promise.race([ready(socket, 'connect'), late.promise])
      check(host, [socket.remoteAddress ?? ''])
      if (protocol !== 'https:') return socket
      const secure = tls.connect({
        socket,
        host,
        ALPNProtocols: ['http/1.1'],
        ...trust(host),
      })
      socket = secure
      await Promise.race([ready(secure, 'secureConnect'), late.promise])
      return secure
    } catch (error) {
      socket?.destroy()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  const checkMailPort = ({ protocol, port }: MailHost) => {
    const known = mailPorts[protocol]
    if (!known.includes(port) && port < 1024) throw refused(`port ${port} is not ${known.join(', ')} or above 1023`)
  }
  const checkPlain = ({ host, plain }: MailHost, addresses: readonly string[]) => {
    if (plain && !allowed.host(host) && !addresses.every((address) => allowed.address(address)))
      throw refused('mail is spoken without encryption only to hosts that the operator named')
  }

  const connect: buildConnector.connector = (options, callback) => {
    open(options).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
  const closing = new Agent({ allowH2: false, connect, pipelining: 0, maxHeaderSize })
  const keeping = new Agent({ allowH2: false, connect, pipelining: 1, keepAliveTimeout: 4_000, maxHeaderSize })

  async function request(
    given: HttpRequest,
    { redirects = 0, reuse = false, firstByteBy }: { redirects?: number; reuse?: boolean; firstByteBy?: number } = {},
  ) {
    const endBy = performance.now() + given.timeout_ms
    if (!methods.includes(given.method)) throw refused('this is no method that is sent')
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

  return {
    async check(given) {
      if (!methods.includes(given.method)) throw refused('this is no method that is sent')
      checkedHeaders(given.headers)
      await checkedAddresses(checkedUrl(given.url).hostname)
    },
    async checkMailHost(to) {
      checkMailPort(to)
      checkPlain(to, await checkedAddresses(to.host))
    },
    async connect(to) {
      checkMailPort(to)
      const socket = await open({ hostname: to.host, port: String(to.port), protocol: 'tcp:' }).catch((error) =>
        Promise.reject(egressError(error, 0)),
      )
      try {
        checkPlain(to, [socket.remoteAddress ?? ''])
      } catch (error) {
        socket.destroy()
        throw error
      }
      return { socket, tls: trust(hostName(to.host)) }
    },
    request,
    async send(given, { firstByteBy, endBy }) {
      try {
        const timeout_ms = Math.min(given.timeout_ms, endBy - performance.now())
        const answer = await request({ ...given, timeout_ms }, { firstByteBy })
        return { verdict: decided(given.method, answer.status), answer }
      } catch (error) {
        if (!(error instanceof EgressError)) throw error
        const why: EffectError = { code: error.code, message: error.message }
        if (error.phase === 'not_sent')
          return {
            verdict: { kind: 'not_sent', error: why, ...(error.code === 'egress_refused' ? { final: true } : {}) },
            answer: null,
          }
        if (error.status === undefined) return { verdict: { kind: 'unknown', evidence: {}, error: why }, answer: null }
        return { verdict: decided(given.method, error.status, { ...why, provider_status: error.status }), answer: null }
      }
    },
  }
}

function ready(socket: net.Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.once(event, resolve)
  // Not `once`: an error before undici adds its own listener would end the process.
  socket.on('error', reject)
  socket.once('close', () => reject(new Error('the connection was closed')))
  promise.catch(() => {})
  return promise
}

function egressError(error: unknown, hop: number): EgressError {
  const failed = error instanceof CallFailed ? error : new CallFailed(false, error)
  const { cause } = failed
  // A refusal after a redirect is one after a request was sent.
  const phase: Phase = failed.written || hop > 0 ? 'no_answer' : 'not_sent'
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

let known: Egress | undefined
/** Created at its first use, as the settings are. */
export const egress = (): Egress => {
  known ??= newEgress({ allow: config.egressAllow })
  return known
}
