// What a caller without a valid credential costs: memory and processor time for each byte that is sent, on every route.
import net from 'node:net'
import { random } from '../../chaos/random.ts'
import { until } from '../../kit/codes.ts'
import type { Operation } from '../document.ts'
import type { Meter as Whole } from './measure.ts'

type Meter = Pick<Whole, 'url' | 'spent' | 'memory' | 'bodyBytes'>

const mib = 1024 * 1024
/** Processor time of one request, and of each mebibyte that it sends. */
const cpuMaxMs = { request: 12, mib: 25 }
/**
 * Memory of one connection: what Node reads ahead, and 16 KiB of a body, copied once. Bodies that are signed as a whole
 * are read before their sender is known.
 */
const memoryMax = { connection: 96 * 1024, signed: mib / 2 }
const isSigned = ({ path }: Operation): boolean => /^\/v1\/webhooks\/stripe(\/|$)/.test(path)
const connections = 12

/** Bodies of less than a mebibyte that cost most to read. */
const bodies: Readonly<Record<string, string>> = {
  'fifty thousand fields': `{${Array.from({ length: 50_000 }, (_, nth) => `"k${nth}":0`).join()}}`,
  'a list of half a million numbers': `{"items":[${'0,'.repeat(500_000)}0]}`,
  'objects at the deepest level': `${'{"a":'.repeat(99)}[${'{},'.repeat(50_000)}{}]${'}'.repeat(99)}`,
  'one long text of escapes': `{"a":"${'\\u0041'.repeat(170_000)}"}`,
}

const forged: Record<string, string> = {
  authorization: `Bearer till_sk_${'x'.repeat(43)}`,
  'x-service-publishable-key': `till_pk_${'x'.repeat(43)}`,
  'x-service-visitor-token': `till_vt_${'x'.repeat(43)}`,
  'stripe-signature': `t=1,v1=${'0'.repeat(64)}`,
}
const callers = { 'an anonymous caller': {}, 'a forger': forged } as const

const pathOf = ({ path }: Operation): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'secret' ? 'x'.repeat(43) : '0199aaaa-0000-7000-8000-000000000000',
  )

/** Bytes of one connection. */
type Held = { memory: number; sent: number }

/** Sends all of a body but its end over each of some connections, and measures what the process holds then. */
async function hold(meter: Meter, head: string, piece: string, pieces: number): Promise<Held> {
  const { hostname, port } = new URL(meter.url)
  const before = await meter.memory()
  const sockets = Array.from({ length: connections }, () => net.connect(Number(port), hostname))
  const ended = new Set<net.Socket>()
  for (const socket of sockets) {
    for (const event of ['data', 'error', 'close'] as const) socket.on(event, () => ended.add(socket))
    socket.write(head)
    socket.write(piece.repeat(pieces))
  }
  // Written, or answered before all of it was: then the rest is discarded.
  const written = () =>
    sockets.every((socket) => ended.has(socket) || (!socket.connecting && socket.writableLength === 0))
  await until(async () => written())
  let last = -1
  await until(async () => {
    const now = await meter.bodyBytes()
    const isStable = now === last
    last = now
    return isStable
  })
  const memory = (await meter.memory()) - before
  const sent = sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0)
  for (const socket of sockets) socket.destroy()
  await until(async () => (await meter.bodyBytes()) === 0)
  return { memory: memory / connections, sent: sent / connections }
}

export type StrangerCosts = {
  routes: number
  seconds: number
  findings: string[]
  worst: { cpu_ms: number; cpu: string; memory: number; held: string }
}

/** Of `count` operations, drawn by the seed. */
export async function strangerCosts(
  meter: Meter,
  operations: readonly Operation[],
  { count, seed, say }: { count: number; seed: number; say(line: string): void },
): Promise<StrangerCosts> {
  const since = performance.now()
  const draw = random(seed, 'strangers')
  const drawn = operations
    .map((operation) => ({ operation, at: draw.next() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, count)
  const costs: StrangerCosts = {
    routes: drawn.length,
    seconds: 0,
    findings: [],
    worst: { cpu_ms: 0, cpu: '', memory: 0, held: 'none' },
  }
  const found = (line: string) => {
    say(line)
    costs.findings.push(line)
  }
  for (const { operation } of drawn) {
    const { name, method, body } = operation
    const path = pathOf(operation)
    for (const [who, headers] of Object.entries(callers)) {
      const texts = body ? Object.entries(bodies) : [['nothing', '']]
      for (const [what, text] of texts as [string, string][]) {
        const request = {
          name,
          method,
          path,
          headers: { ...headers, ...(text ? { 'content-type': body?.type ?? '' } : {}) },
          ...(text ? { body: () => Buffer.from(text) } : {}),
        }
        const most = cpuMaxMs.request + (cpuMaxMs.mib * text.length) / mib
        let spent = Number.POSITIVE_INFINITY
        for (let tries = 0; tries < 4 && spent > most; tries++) spent = Math.min(spent, await meter.spent(request))
        const line = `${name} as ${who} with ${what}`
        if (spent > costs.worst.cpu_ms) Object.assign(costs.worst, { cpu_ms: spent, cpu: line })
        if (spent > most) found(`${line}: ${spent.toFixed(0)} ms of processor time for ${text.length} bytes`)
      }
    }
    if (!body) continue
    const head = (length: string) =>
      `${method} ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: ${body.type}; boundary=x\r\n${Object.entries(forged)
        .map(([key, value]) => `${key}: ${value}\r\n`)
        .join('')}${length}\r\n\r\n`
    const ways = {
      'a body without its end': [`content-length: ${mib - 1}`, 'x'.repeat(1024), 1023],
      'chunks of one byte': ['transfer-encoding: chunked', '1\r\nx\r\n', 16_000],
    } as const
    for (const [what, [length, piece, pieces]] of Object.entries(ways)) {
      const most = memoryMax.connection + (isSigned(operation) ? memoryMax.signed : 0)
      let held = await hold(meter, head(length), piece, pieces)
      if (held.memory > most) held = await hold(meter, head(length), piece, pieces)
      const line = `${name} with ${what}`
      const text = `${(held.memory / 1024).toFixed(0)} KiB for ${(held.sent / 1024).toFixed(0)} KiB on a connection`
      if (held.memory > costs.worst.memory && !isSigned(operation))
        Object.assign(costs.worst, { memory: held.memory, held: `${text}, ${line}` })
      if (held.memory > most) found(`${line}: ${text}`)
    }
  }
  costs.seconds = (performance.now() - since) / 1000
  return costs
}
