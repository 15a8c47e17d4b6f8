// A simulator of Stripe's HTTP API that can be killed, slowed down and made to fail. Its ledger records what it did.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { takeRefusal } from './sim/faults.ts'
import { commit, openJournal } from './sim/journal.ts'
import { serveApi } from './stripe/api.ts'
import { expireOverdue } from './stripe/checkout.ts'
import { controlOf } from './stripe/control.ts'
import { resumeEvents, setTarget } from './stripe/events.ts'

const {
  STRIPE_SIM_PORT = '0',
  STRIPE_SIM_CONTROL_PORT = '0',
  STRIPE_SIM_DIR = '.dev/stripe',
  STRIPE_SIM_WEBHOOK_URL = '',
  STRIPE_SIM_WEBHOOK_SECRET = '',
} = process.env

let port = Number(STRIPE_SIM_PORT)

function serve(handle: (req: IncomingMessage, res: ServerResponse) => Promise<void>): Server {
  const server = createServer((req, res) => {
    handle(req, res).catch((error: Error) => {
      // A client that disconnected during the read is not an error.
      if (req.destroyed && !req.complete) return
      console.error(JSON.stringify({ msg: 'failed', path: req.url, error: error.stack }))
      if (!res.headersSent) res.writeHead(500).end()
    })
  })
  server.keepAliveTimeout = 65_000
  return server
}

const listen = (server: Server, at: number) =>
  new Promise<number>((resolve, reject) => {
    server.once('error', reject)
    server.listen(at, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

const control = controlOf({
  isUp: () => api.listening,
  up: async () => {
    if (!api.listening) await listen(api, port)
  },
  down: () => {
    api.close()
    // On the next turn, so that the caller on this port gets its response.
    setImmediate(() => api.closeAllConnections())
  },
})
const api = serve((req, res) => (req.url?.startsWith('/_sim/') ? control(req, res) : serveApi(req, res)))
api.on('connection', (socket) => {
  if (takeRefusal()) socket.destroy()
})
const side = serve(control)

openJournal(STRIPE_SIM_DIR)
// As in the settings of the API: one secret, or those of the endpoints for connected accounts and for the platform, with a comma.
const [secret = '', platform_secret = secret] = STRIPE_SIM_WEBHOOK_SECRET.split(',')
setTarget({ url: STRIPE_SIM_WEBHOOK_URL, secret, platform_secret })
if (STRIPE_SIM_WEBHOOK_URL) resumeEvents()
setInterval(() => {
  expireOverdue()
  commit()
}, 250)

port = await listen(api, port)
const control_port = await listen(side, Number(STRIPE_SIM_CONTROL_PORT))
console.log(JSON.stringify({ msg: 'listening', port, control_port }))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0))
