// A simulator of Stripe's HTTP API that can be killed, slowed down and made to fail. Its ledger records what it did.

import { takeRefusal } from './sim/faults.ts'
import { commit, openJournal } from './sim/journal.ts'
import { meetsClosing } from './sim/reused.ts'
import { listen, serve } from './sim/server.ts'
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
const api = serve(async (req, res) => {
  if (req.url?.startsWith('/_sim/')) return control(req, res)
  if (!meetsClosing(req)) return serveApi(req, res)
})
api.on('connection', (socket) => {
  if (takeRefusal()) socket.destroy()
})
const side = serve(control)

openJournal(STRIPE_SIM_DIR)
// As in the settings of the API: one secret, or those of the endpoints for connected accounts and for the platform,
// with a comma.
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
