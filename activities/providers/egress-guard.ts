// Where requests to addresses of users may go: to public addresses, and to those that the operator names. Every check
// that needs no connection is here, and none of them lets anything leave.
import { lookup, Resolver } from 'node:dns/promises'
import net from 'node:net'
import { cut } from '../../rules/excerpts.ts'
import { exceptions, hostName, isPublic } from '../../rules/input/ip-addresses.ts'
import { withoutSources } from './call.ts'

export type EgressCode =
  | 'egress_refused'
  | 'egress_unresolved'
  | 'egress_not_sent'
  | 'egress_no_answer'
  | 'egress_broken_answer'
  | 'egress_answer_too_large'
  | 'egress_too_many_redirects'

/** Nothing was written; a byte was written and no final status line came; or it came, and the rest was lost. */
export type EgressPhase = 'not_sent' | 'no_answer' | 'answered'

/** The message never holds the path, a header or a body: they may be secret. */
export class EgressError extends Error {
  readonly code: EgressCode
  readonly phase: EgressPhase
  /** The status of the answer, where one was seen. */
  readonly status: number | undefined
  constructor(code: EgressCode, what: string, phase: EgressPhase = 'not_sent', status?: number) {
    super(`${code}: ${cut(withoutSources(what), 300)}`)
    this.code = code
    this.phase = phase
    this.status = status
  }
}

const refused = (what: string) => new EgressError('egress_refused', what)

const urlMax = 8_192
const headersMax = 16_384
const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'MKCOL']
/** Headers that concern one connection, or that this client sets. */
const reserved =
  /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|http2-settings|te|trailer|expect|accept-encoding|proxy-.*|alt-used|sec-.*)$/i

export function checkMethod(method: string): void {
  if (!methods.includes(method)) throw refused('this is no method that is sent')
}

/** The address of a request, or of a redirect from `base`. */
export function checkedUrl(text: string, base?: URL): URL {
  if (text.length > urlMax) throw refused(`the address is longer than ${urlMax} characters`)
  if (!URL.canParse(text, base?.href)) throw refused('this is no address')
  const url = new URL(text, base?.href)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused('only http and https are spoken')
  if (url.username || url.password) throw refused('the address holds a user or a password')
  const port = Number(url.port)
  if (url.port && port !== 80 && port !== 443 && port < 1024) throw refused(`port ${port} is not 80, 443 or above 1023`)
  return url
}

/** The headers of a request, with names in lower case. */
export function checkedHeaders(given: Record<string, string> = {}): Record<string, string> {
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

const mailPorts = { smtp: [25, 465, 587], imap: [143, 993] }

/**
 * `plain`: not encrypted, which is allowed only to addresses that EGRESS_ALLOW names. The protocol decides which ports
 * below 1024 are allowed.
 */
export type MailHost = { protocol: keyof typeof mailPorts; host: string; port: number; plain: boolean }

export function checkMailPort({ protocol, port }: MailHost): void {
  const ports = mailPorts[protocol]
  if (!ports.includes(port) && port < 1024) throw refused(`port ${port} is not ${ports.join(', ')} or above 1023`)
}

/** The addresses of a name; `trusted`: the operator allowed the name. */
export type Resolve = (name: string, trusted: boolean) => Promise<string[]>

/**
 * Names are resolved by DNS queries: getaddrinfo would occupy one of four threads for as long as a foreign name server
 * delays its answer, and would apply the search list of our own network. Only a name that the operator allowed is
 * resolved by the system (`localhost`, /etc/hosts).
 */
const nameServers = new Resolver({ timeout: 1_500, tries: 2 })
const addressesOf: Resolve = async (name, trusted) => {
  if (trusted) return (await lookup(name, { all: true })).map(({ address }) => address)
  const answers = await Promise.allSettled([nameServers.resolve4(name), nameServers.resolve6(name)])
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

export type Guard = {
  /** Resolves a host once, and checks its addresses. Throws EgressError. */
  addresses(hostname: string): Promise<string[]>
  /** Every address must be public: a host with one private address is refused, unless the operator allowed it. */
  checkAddresses(host: string, addresses: readonly string[]): void
  /** Mail is not encrypted only to hosts that the operator named. */
  checkPlain(to: MailHost, addresses: readonly string[]): void
}

/** `allow`: hosts, addresses and ranges that are allowed though they are not public. */
export function newGuard(allow: readonly string[], resolve: Resolve = addressesOf): Guard {
  const allowed = exceptions(allow)

  function checkAddresses(host: string, addresses: readonly string[]): void {
    if (allowed.host(host)) return
    if (!addresses.every((address) => isPublic(address) || allowed.address(address)))
      throw refused('the address is not public')
  }

  return {
    async addresses(hostname) {
      const host = hostName(hostname)
      const addresses = net.isIP(host) ? [host] : await resolve(host, allowed.host(host)).catch(() => [])
      if (addresses.length === 0) throw new EgressError('egress_unresolved', 'the name has no address')
      checkAddresses(host, addresses)
      return addresses
    },
    checkAddresses,
    checkPlain({ host, plain }, addresses) {
      if (plain && !allowed.host(host) && !addresses.every((address) => allowed.address(address)))
        throw refused('mail is spoken without encryption only to hosts that the operator named')
    },
  }
}
