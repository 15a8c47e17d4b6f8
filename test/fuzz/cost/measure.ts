// One request at a time against an API that tells for how long it held its event loop, and a PostgreSQL that tells of every slow statement.
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../../dev/ports.ts'
import type { Stack } from '../../../dev/stack.ts'
import { database } from '../../kit/shop.ts'
import { senderTo } from '../send.ts'

/** What no request may exceed. */
export const heldMaxMs = 50
export const statementMaxMs = 500
/** What the probe's yardstick takes on a machine with nothing else to do: on a slower or a busy one, more time is allowed in proportion. */
const yardMs = 9

export type Asking = { name: string; method: string; path: string; query?: string; headers: Record<string, string>; body?: (attempt: number) => unknown }
export type Sample = { status: number; held_ms: number; ms: number; statements: string[]; text: string }
type Meter = { url: string; ask(asking: Asking, attempt?: number): Promise<Sample>; heard(line: string): void; close(): Promise<void> }

/** `env`: of the process that is measured. */
export async function openMeter(stack: Stack, env: Record<string, string> = {}): Promise<Meter> {
  const port = await freePort()
  const probe = new URL('./probe.ts', import.meta.url).pathname
  const api = await stack.startApi({
    ...env,
    COST_PROBE_PORT: String(port),
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${probe} --max-semi-space-size=8 --max-old-space-size=384`,
  })
  await database().query(`alter system set log_min_duration_statement = ${statementMaxMs}`)
  await database().query('select pg_reload_conf()')
  const sender = senderTo(api.url)
  const take = async (at = '') => (await (await fetch(`http://127.0.0.1:${port}/${at}`)).json()) as { held_ms: number; yard_ms: number }
  let statements: string[] = []
  return {
    url: api.url,
    heard(line) {
      const [, found] = /duration: [\d.]+ ms\s+(.*)/.exec(line) ?? []
      if (found) statements.push(line.slice(line.indexOf('duration:'), 400))
    },
    async ask({ method, path, query = '', headers, body }, attempt = 0) {
      const given = body?.(attempt)
      const sent = given === undefined ? undefined : Buffer.isBuffer(given) ? given : Buffer.from(JSON.stringify(given))
      statements = []
      await take()
      const type: Record<string, string> = sent ? { 'content-type': 'application/json' } : {}
      const answer = await sender.send({ method, path, query, headers: { ...type, ...headers }, sent })
      const { held_ms } = await take()
      const slow = held_ms > heldMaxMs ? Math.max(1, (await take('yard')).yard_ms / yardMs) : 1
      if (answer.ms > statementMaxMs) await pause(20)
      return { status: answer.status, held_ms: held_ms / slow, ms: answer.ms, statements, text: answer.text }
    },
    async close() {
      await sender.close()
      await api.stop()
    },
  }
}
