// A simulator of five social networks that can be killed and made to fail: each host is a folder, and the ledger
// records what every request did.
// `/` is a wall: what the public sees.
//   SOCIAL_PORT, SOCIAL_DIR, and the SOCIAL_…_CLIENT_ID and …_SECRET of the API, which it accepts as its apps. Its
//     controls are under /_sim.

import { takeRefusal } from './sim/faults.ts'
import { openJournal } from './sim/journal.ts'
import { meetsClosing } from './sim/reused.ts'
import { listen, serve } from './sim/server.ts'
import { serveNetworks } from './social/api.ts'
import { control } from './social/control.ts'
import { showWall } from './social/wall.ts'

const { SOCIAL_PORT = '0', SOCIAL_DIR = '.dev/social' } = process.env

openJournal(SOCIAL_DIR)
const server = serve(async (req, res) => {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://sim')
  if (pathname === '/') return showWall(searchParams, res)
  if (pathname.startsWith('/_sim/')) return control(req, res)
  if (!meetsClosing(req)) return serveNetworks(req, res)
})
server.on('connection', (socket) => {
  if (takeRefusal()) socket.destroy()
})
console.log(JSON.stringify({ msg: 'listening', port: await listen(server, Number(SOCIAL_PORT)) }))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0))
