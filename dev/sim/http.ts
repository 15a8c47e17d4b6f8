// An HTTP simulator with a ledger and faults: what a request does is decided by the simulator, how its answer fails by
// the faults.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { addFault, clearFaults, hang, takeFault, takeRefusal, takeReset } from './faults.ts'
import { answerFreely, type FreeAnswer } from './free-answer.ts'
import { commit, openJournal } from './journal.ts'
import { keptServer } from './kept-server.ts'
import { arrived, type Entry, ledger, record } from './ledger.ts'
import { closeReused, meetsClosing } from './reused.ts'

export type Request = {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
  key: string | null
}
/** What a request did: its answer, and whether it had an effect. */
export type Done = FreeAnswer & { effect: boolean; delay_ms?: number }

export type Simulator = {
  /** Carries a request out. */
  act(request: Request): Done
  /** Controls of its own, by their path below `/_sim/`. Undefined: there is no such control. */
  control?(path: string, body: unknown): unknown
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

async function controlled({ control }: Simulator, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://sim')
  const path = url.pathname.replace('/_sim/', '')
  const text = await textOf(request)
  const body: unknown = text === '' ? {} : JSON.parse(text)
  const done = (given: unknown) => answerFreely(response, { body: given ?? {} })
  if (path === 'ledger') return done(ledger(Object.fromEntries(url.searchParams)))
  if (path === 'faults' && request.method === 'DELETE') return done(clearFaults())
  if (path === 'faults') return done(addFault(body as Record<string, unknown>))
  if (path === 'reused') return done(closeReused((body as { closes?: unknown }).closes))
  const given = await control?.(path, body)
  commit()
  return given === undefined
    ? answerFreely(response, { status: 404, body: { error: `no such control: ${path}` } })
    : done(given)
}

async function served(simulator: Simulator, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const method = incoming.method ?? ''
  const path = incoming.url ?? '/'
  const key = [incoming.headers['idempotency-key'] ?? []].flat()[0] ?? null
  const head = { request: '', method, path, account: '', key }
  const note = (entry: Entry, change: Partial<Entry>) => {
    record(Object.assign(entry, change))
    commit()
  }
  const reset = takeReset(head)
  if (reset) {
    note(arrived({ ...head, body: null }), { fault: reset.fault })
    return void incoming.socket.resetAndDestroy()
  }
  const body = await textOf(incoming)
  const entry = arrived({ ...head, body })
  const fault = takeFault({ ...head, body })
  const act = () => {
    const done = simulator.act({ method, path, headers: incoming.headers, body, key })
    note(entry, { effect: done.effect, status: done.status ?? 200, fault: fault?.fault ?? null })
    return done
  }
  const answer = async ({ effect: _, delay_ms = 0, ...free }: Done) => {
    if (delay_ms > 0) await pause(delay_ms)
    return answerFreely(response, free)
  }
  if (!fault) return answer(act())
  const done = fault.after_effect ? act() : undefined
  if (!done) note(entry, { fault: fault.fault, status: null })
  switch (fault.fault) {
    case 'reset_after_read':
      return void incoming.socket.resetAndDestroy()
    case 'hang':
      return hang(() => incoming.socket.destroy())
    case 'delay':
      await pause(fault.delay_ms)
      return answer(done ?? act())
    case 'status':
      note(entry, { status: fault.status })
      return answerFreely(response, {
        status: fault.status,
        body: { error: { message: 'Injected fault.' } },
        ...(fault.headers ? { headers: fault.headers } : {}),
      })
    case 'break_body':
      return answer({ ...(done ?? act()), cut: true })
    default:
      note(entry, { status: fault.status })
      return answerFreely(response, fault)
  }
}

/** Listens, and prints the port when it does. `dir`: where the ledger is written before an answer is sent. */
export function serveSimulator(simulator: Simulator, { port, dir }: { port: number; dir: string }): Server {
  openJournal(dir)
  const server = keptServer((request, response) => {
    const isControl = request.url?.startsWith('/_sim/')
    if (!isControl && meetsClosing(request)) return
    const handled = isControl ? controlled(simulator, request, response) : served(simulator, request, response)
    handled.catch((error: Error) => {
      if (!response.headersSent) response.writeHead(500).end(JSON.stringify({ error: { message: error.message } }))
    })
  })
  server.on('connection', (socket) => {
    if (takeRefusal()) socket.destroy()
  })
  server.listen(port, '127.0.0.1', () => console.log(`listening ${(server.address() as AddressInfo).port}`))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit())
  return server
}
