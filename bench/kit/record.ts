// Records the statements of a request, with an API process whose connection is read, beside the measurement.
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Stack } from '../../dev/stack.ts'
import { newId } from '../../entities/kit/ids.ts'
import { type Counter, type Statement, startCounter } from './counter.ts'
import type { Floor, Run } from './load.ts'
import type { Ask, Path } from './path.ts'
import type { Shop } from './shop.ts'

export type Recorded = { ask: Ask; statements: Statement[]; number: string | undefined }
export type Recorder = { record(asks: readonly Ask[]): Promise<Recorded[]>; stop(): Promise<void> }

async function once(base: string, counter: Counter, ask: Ask): Promise<Recorded> {
  counter.take()
  const answer = await fetch(`${base}${ask.path}`, {
    method: ask.method,
    headers: ask.headers,
    ...(ask.body === undefined ? {} : { body: ask.body }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${ask.method} ${ask.path}: ${answer.status} ${text}`)
  await pause(30) // its work after the response counts too
  const { number } = JSON.parse(text) as { number?: number }
  return { ask, statements: counter.take(), number: number === undefined ? undefined : String(number) }
}

export async function startRecorder(stack: Stack): Promise<Recorder> {
  const counter = await startCounter(stack.ports.postgres)
  const url = new URL(String(stack.env.DATABASE_URL))
  url.port = String(counter.port)
  const api = await stack.startApi({ DATABASE_URL: url.href })
  return {
    async record(asks) {
      await fetch(`${api.url}/ready`) // the statements of a new connection belong to no request
      const recorded: Recorded[] = []
      for (const ask of asks) recorded.push(await once(api.url, counter, ask))
      return recorded
    },
    async stop() {
      await api.stop()
      counter.stop()
    },
  }
}

export const perRequest = (recorded: readonly Recorded[]): number =>
  recorded.reduce((all, { statements }) => all + statements.length, 0) / Math.max(1, recorded.length)

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const sha256 = /\b[0-9a-f]{64}\b/g
let lastNumber = 900_000_000

/**
 * The recorded statements for another request: its ids replace the recorded ones, and created rows get new ids and
 * digests.
 */
function replayOf(
  template: number,
  { ask: known, statements, number }: Recorded,
  ask: Ask,
  shared: ReadonlySet<string>,
): Run {
  const swaps: Record<string, string> = {}
  for (const [found] of JSON.stringify(statements).matchAll(uuid)) if (!shared.has(found)) swaps[found] ??= newId()
  const inserts = JSON.stringify(statements.filter(({ text }) => /\binsert into\b/.test(text)))
  for (const [found] of inserts.matchAll(sha256)) swaps[found] ??= randomBytes(32).toString('hex')
  known.own?.forEach((id, at) => {
    swaps[id] = ask.own?.[at] ?? id
  })
  if (number !== undefined) swaps[number] = String(++lastNumber)
  return { template, swaps }
}

/** The statements of the recorded requests of each client. */
export async function floorOf(
  path: Path,
  shop: Shop,
  recorded: readonly Recorded[],
  clients: number,
  url: string,
): Promise<Floor> {
  const templates = recorded.map(({ statements }) => statements)
  const lanes: Run[][] = path.once
    ? (await path.lanes(shop, clients, Math.ceil(path.once / clients))).map((asks, lane) =>
        asks.map((ask) => replayOf(lane, recorded[lane] as Recorded, ask, shop.shared)),
      )
    : Array.from({ length: clients }, (_, lane) => [{ template: lane, swaps: {} }])
  return { kind: 'statements', url, templates, lanes, once: path.once !== undefined }
}
