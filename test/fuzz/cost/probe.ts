// Loaded into the API under test with `--import`: for how long its event loop was held in one go. Nothing of it is in production.
import http from 'node:http'
import { isMainThread } from 'node:worker_threads'

const port = process.env.COST_PROBE_PORT
// Processes and threads that this one starts are no event loop of the API.
delete process.env.COST_PROBE_PORT

/** Milliseconds of processor time of this thread: however busy the machine is, waiting for a processor is not counted. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** A fixed piece of the work that requests make; what it takes says how fast the machine is now. */
const yard = Array.from({ length: 20_000 }, (_, nth) => ({ a: nth, b: `${nth}` }))
function yardMs(): number {
  const since = cpuMs()
  JSON.parse(JSON.stringify(yard))
  return cpuMs() - since
}

if (port && isMainThread) {
  let before = cpuMs()
  let longest = 0
  // Between two ticks lies at most a millisecond of short turns of the loop, or the one turn that held it.
  const look = () => {
    const now = cpuMs()
    longest = Math.max(longest, now - before)
    before = now
  }
  setInterval(look, 1).unref()
  http
    .createServer(({ url }, response) => {
      look()
      response.end(JSON.stringify({ held_ms: longest, yard_ms: url === '/yard' ? Math.min(yardMs(), yardMs(), yardMs()) : 0 }))
      longest = 0
      before = cpuMs()
    })
    .listen(Number(port), '127.0.0.1')
    .unref()
}
