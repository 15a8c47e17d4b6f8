// An HTTP simulator with a ledger and faults: what a request does is decided by the simulator, how its answer fails by
// the faults.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Controls, serveControls } from './control.ts'
import { answerUnder, note } from './exchange.ts'
import { type Fault, takeFault, takeRefusal, takeReset } from './faults.ts'
import type { FreeAnswer } from './free-answer.ts'
import { openJournal } from './journal.ts'
import { keptServer } from './kept-server.ts'
import { arrived, ledger, record } from './keyed-ledger.ts'
import { meetsClosing } from './reused.ts'
import { bytesOf } from './server.ts'

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
  /** Controls of its own, beside the ledger and the faults. */
  controls?: Controls
}

async function served(simulator: Simulator, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const method = incoming.method ?? ''
  const path = incoming.url ?? '/'
  const key = [incoming.headers['idempotency-key'] ?? []].flat()[0] ?? null
  const head = { request: '', method, path, account: '', key }
  const reset = takeReset(head)
  if (reset) {
    note({ entry: arrived({ ...head, body: null }), record }, { fault: reset.fault })
    return void incoming.socket.resetAndDestroy()
  }
  const body = (await bytesOf(incoming)).toString()
  const exchange = {
    entry: arrived({ ...head, body }),
    record,
    prepare: () => () => {
      const { effect, delay_ms = 0, ...answer } = simulator.act({ method, path, headers: incoming.headers, body, key })
      return { answer, change: { effect }, delay_ms }
    },
    refuse: ({ status, headers = {} }: Fault): FreeAnswer => ({
      status,
      headers,
      body: { error: { message: 'Injected fault.' } },
    }),
  }
  return answerUnder(takeFault({ ...head, body }), exchange, response)
}

/** Listens, and prints the port when it does. `dir`: where the ledger is written before an answer is sent. */
export function serveSimulator(simulator: Simulator, { port, dir }: { port: number; dir: string }): Server {
  openJournal(dir)
  const controls: Controls = {
    'GET /_sim/ledger': (_, query) => ledger(Object.fromEntries(query)),
    ...simulator.controls,
  }
  const server = keptServer((request, response) => {
    const isControl = request.url?.startsWith('/_sim/')
    if (!isControl && meetsClosing(request)) return
    const handled = isControl ? serveControls(controls, request, response) : served(simulator, request, response)
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
