// The networks that requests and bodies are counted for, by the IP address of a client.
import { isIP } from 'node:net'

/** The groups of four digits of an IPv6 address. */
function groupsOf(ip: string): string[] {
  // The last four bytes may be written as an IPv4 address.
  const plain = ip.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [head = '', tail] = plain.split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const after = tail === undefined ? [] : tail.split(':').filter((group) => group !== '')
  while (tail !== undefined && groups.length + after.length < 8) groups.push('0')
  return [...groups, ...after].map((group) => Number.parseInt(group, 16).toString(16))
}

/**
 * The address without what proxies write around it: brackets, a port, a zone. Text that is no address is returned as it
 * is.
 */
function addressOf(text: string): string {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(text)?.[1] ?? text
  return bare.replace(/%.*$/, '')
}

function prefixOf(text: string, length: number): string {
  const ip = addressOf(text)
  if (isIP(ip) !== 6) return ip
  const groups = groupsOf(ip)
  // An IPv4 address in the form of IPv6, `::ffff:192.0.2.7` or `::ffff:c000:207`.
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff')
    return groups
      .slice(6)
      .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
      .join('.')
  return groups.slice(0, length).join(':')
}

/**
 * The network that requests are counted for: an IPv4 address, or the /64 of an IPv6 address, as one client has 2^64 of
 * those.
 */
export const networkOf = (ip: string): string => prefixOf(ip, 4)

/** The network that may hold bytes: the /48 of an IPv6 address, as a customer of a provider has up to 2^16 networks. */
export const siteOf = (ip: string): string => prefixOf(ip, 3)
