// An address is reached only if it is public unicast, or if the operator named it: everything that is not known to be public is private.
import ipaddr from 'ipaddr.js'

type Address = ReturnType<typeof ipaddr.parse>
type Network = ReturnType<typeof ipaddr.parseCIDR>

/**
 * IANA's special-purpose registry, IPv4, and what is multicast, reserved or not a host's. Our own list: the library's range names lag behind the
 * registry, and call 6to4's relays and a platform's own services unicast.
 */
const closed4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Azure's machines are told their secrets here, though it looks public.
  '168.63.129.16/32',
].map((text) => ipaddr.parseCIDR(text))

/** Only 2000::/3 is given out at all: loopback, mapped forms, NAT64, ULA, link-local and multicast are outside it. */
const open6 = ipaddr.parseCIDR('2000::/3')
/** Protocol assignments with Teredo and ORCHID, documentation, 6to4, AS112. */
const closed6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map((text) => ipaddr.parseCIDR(text))

const within = (address: Address, [base, bits]: Network): boolean => address.kind() === base.kind() && address.match(base, bits)

/** As a resolver or a socket prints them. Null: no address, an IPv6 address with a zone, or IPv4 in another spelling than four decimal numbers. */
function addressOf(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  return ipaddr.IPv6.isValid(text) && !text.includes('%') ? ipaddr.IPv6.parse(text) : null
}

/** Whether this is the public unicast address of one host (IANA's special-purpose registries; design: automation, Outbound HTTP). */
export function isPublic(text: string): boolean {
  const address = addressOf(text)
  if (!address) return false
  if (address.kind() === 'ipv4') return !closed4.some((network) => within(address, network))
  return within(address, open6) && !closed6.some((network) => within(address, network))
}

/** `Example.COM.` and `example.com` are one host; brackets belong to an address, not to its text. */
export const hostName = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')

export type Exceptions = { host(host: string): boolean; address(text: string): boolean }

/** What EGRESS_ALLOW opens: networks (`127.0.0.0/8`), addresses (`::1`) and names (`localhost`, that one alone). */
export function exceptions(entries: readonly string[]): Exceptions {
  const networks: Network[] = []
  const names = new Set<string>()
  for (const entry of entries) {
    const address = addressOf(hostName(entry))
    if (ipaddr.isValidCIDR(entry)) networks.push(ipaddr.parseCIDR(entry))
    else if (address) networks.push([address, address.kind() === 'ipv4' ? 32 : 128] as Network)
    else names.add(hostName(entry))
  }
  return {
    host: (host) => names.has(hostName(host)),
    address: (text) => {
      const address = addressOf(text)
      return address !== null && networks.some((network) => within(address, network))
    },
  }
}
