// One request at a time against an API that reports how long it blocked its event loop, and a PostgreSQL that logs
// every slow statement.
import { freePort } from '../../../dev/ports.ts'
import { apiHeap, type Stack } from '../../../dev/stack.ts'
import { until } from '../../kit/codes.ts'
import { database } from '../../kit/shop.ts'
import { cpuMs, usualMs } from '../../kit/stack/processor-time.ts'
import { senderTo } from '../send.ts'

/** The limit of a request: processor time of the API's main thread in one turn of its event loop. */
export const heldMaxMs = 50
/** The limit of a statement from its beginning to its end, on a machine without other load. */
export const statementMaxMs = 500
export type CostRequest = {
  name: string
  method: string
  path: string
  query?: string
  headers: Record<string, string>
  body?: (attempt: number) => unknown
}
/** `held_ms` is what `cpu_ms` would be on a machine with nothing else to do. */
export type Sample = { status: number; held_ms: number; cpu_ms: number; statements: string[]; text: string }
export type Meter = {
  /** Of the API that is measured. */
  url: string
  /** Milliseconds of processor time that a request costs in all, scaled as `held_ms`. */
  spent(request: CostRequest): Promise<number>
  /** Bytes of objects and buffers of the process. */
  memory(): Promise<number>
  /** Bytes of bodies that it holds, as its metrics say. */
  bodyBytes(): Promise<number>
  ask(request: CostRequest, attempt?: number): Promise<Sample>
  /** The functions that a request spends its time in. */
  explain(request: CostRequest, attempt: number): Promise<string[]>
  /** Throws unless it detects a blocked event loop and a slow statement. */
  prove(): Promise<void>
  heard(line: string): void
  close(): Promise<void>
}

/** The statement and its duration, if a line of PostgreSQL's log has one. */
export function slowStatement(line: string): { ms: number; text: string } | undefined {
  const [text, ms] = /duration: ([\d.]+) ms {2}.{0,400}/.exec(line) ?? []
  return text && ms ? { ms: Number(ms), text } : undefined
}

/**
 * Milliseconds that pass while a process gets one of processor time: how much a busy machine adds to a statement, of
 * which only its duration is known.
 */
function passingPerMs(): number {
  const [since, cpu] = [performance.now(), cpuMs()]
  while (cpuMs() - cpu < 40);
  return Math.max(1, (performance.now() - since) / (cpuMs() - cpu))
}

type Probe = {
  env: Record<string, string>
  ask(path: string): Promise<{ held_ms: number; spent_ms: number; yard_ms: number; bytes: number; functions: string[] }>
}

/** For a process that is measured: its settings, and a way to query it. */
export async function probeFor(): Promise<Probe> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  return {
    env: {
      COST_PROBE_PORT: String(port),
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${new URL('./probe.ts', import.meta.url).pathname}`,
    },
    ask: async (path) => (await fetch(`${url}${path}`)).json() as never,
  }
}

export async function openMeter(stack: Stack): Promise<Meter> {
  const probe = await probeFor()
  const api = await stack.startApi({ ...probe.env, NODE_OPTIONS: `${probe.env.NODE_OPTIONS} ${apiHeap}` })
  await database().query(`alter system set log_min_duration_statement = ${statementMaxMs}`)
  await database().query('select pg_reload_conf()')
  await until(
    async () =>
      (await database().query('show log_min_duration_statement')).rows[0].log_min_duration_statement ===
      `${statementMaxMs}ms`,
  )

  const sender = senderTo(api.url)
  let statements: { ms: number; text: string }[] = []
  let marks = 0
  let marked = 0
  /** Resolves when every line that PostgreSQL logged before was read. */
  async function hearAll(): Promise<void> {
    const mark = ++marks
    await database().query(`do $$ begin raise log 'cost mark %', ${mark}; end $$`)
    await until(async () => marked >= mark)
  }
  async function send({ method, path, query = '', headers, body }: CostRequest, attempt: number) {
    const given = body?.(attempt)
    const sent = given === undefined ? undefined : Buffer.isBuffer(given) ? given : Buffer.from(JSON.stringify(given))
    const type: Record<string, string> = sent ? { 'content-type': 'application/json' } : {}
    return sender.send({ method, path, query, headers: { ...type, ...headers }, sent })
  }

  return {
    url: api.url,
    async spent(request) {
      await probe.ask('/')
      await send(request, 0)
      const { spent_ms } = await probe.ask('/')
      return spent_ms > 10 ? usualMs(spent_ms, (await probe.ask('/yard')).yard_ms) : spent_ms
    },
    memory: async () => (await probe.ask('/memory')).bytes,
    bodyBytes: async () =>
      Number(/^tillwright_body_bytes (\d+)/m.exec(await (await fetch(`${api.url}/metrics`)).text())?.[1]),
    heard(line) {
      marked = Math.max(marked, Number(/cost mark (\d+)$/.exec(line)?.[1] ?? 0))
      const statement = slowStatement(line)
      if (statement) statements.push(statement)
    },
    async ask(request, attempt = 0) {
      statements = []
      await probe.ask('/')
      const answer = await send(request, attempt)
      const { held_ms: cpu_ms } = await probe.ask('/')
      const held_ms = cpu_ms > heldMaxMs ? usualMs(cpu_ms, (await probe.ask('/yard')).yard_ms) : cpu_ms
      if (answer.ms > statementMaxMs) await hearAll()
      const busy = statements.length > 0 ? passingPerMs() : 1
      const slow = statements.filter(({ ms }) => ms / busy > statementMaxMs).map(({ text }) => text)
      return { status: answer.status, held_ms, cpu_ms, statements: slow, text: answer.text }
    },
    async explain(request, attempt) {
      await probe.ask('/profile')
      await send(request, attempt)
      return (await probe.ask('/profiled')).functions
    },
    async prove() {
      await probe.ask('/')
      await probe.ask('/hold')
      const { held_ms } = await probe.ask('/')
      if (held_ms < 90)
        throw new Error(`the API blocked its event loop for 100 ms, but the probe measured ${held_ms} ms`)
      statements = []
      await database().query(`select pg_sleep(${statementMaxMs / 1000 + 0.02})`)
      await hearAll()
      if (!statements.some(({ text }) => text.includes('pg_sleep')))
        throw new Error(`no log line reports a statement of more than ${statementMaxMs} ms`)
    },
    async close() {
      await sender.close()
      await api.stop()
    },
  }
}
