// Which IP addresses outbound requests may reach: public unicast addresses and the operator's exceptions. Addresses not
// known to be public are refused.
import ipaddr from 'ipaddr.js'

type Address = ReturnType<typeof ipaddr.parse>
type Network = ReturnType<typeof ipaddr.parseCIDR>

/**
 * IANA's special-purpose registry for IPv4, multicast and reserved networks. A list of our own: the library's ranges
 * lag behind the registry, and classify 6to4 relays and platform services as unicast.
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
  // Azure's metadata service, although the address is public unicast.
  '168.63.129.16/32',
].map((text) => ipaddr.parseCIDR(text))

/** Only 2000::/3 is allocated: loopback, mapped forms, NAT64, ULA, link-local and multicast are outside of it. */
const open6 = ipaddr.parseCIDR('2000::/3')
/** Protocol assignments with Teredo and ORCHID, documentation, 6to4, AS112. */
const closed6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map((text) =>
  ipaddr.parseCIDR(text),
)

const isIn = (address: Address, [base, bits]: Network): boolean =>
  address.kind() === base.kind() && address.match(base, bits)

/**
 * Parses an address as resolvers and sockets print it. Null for other text, an IPv6 address with a zone, or IPv4 not in
 * four decimal numbers.
 */
function addressOf(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  return ipaddr.IPv6.isValid(text) && !text.includes('%') ? ipaddr.IPv6.parse(text) : null
}

/** Whether the text is a public unicast address (IANA's special-purpose registries). */
export function isPublic(text: string): boolean {
  const address = addressOf(text)
  if (!address) return false
  if (address.kind() === 'ipv4') return !closed4.some((network) => isIn(address, network))
  return isIn(address, open6) && !closed6.some((network) => isIn(address, network))
}

/** The canonical form of a host: `Example.COM.` → `example.com`, `[::1]` → `::1`. */
export const hostName = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')

export type Exceptions = { host(host: string): boolean; address(text: string): boolean }

/** The exceptions of EGRESS_ALLOW: networks (`127.0.0.0/8`), addresses (`::1`) and exact names (`localhost`). */
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
      return address !== null && networks.some((network) => isIn(address, network))
    },
  }
}
