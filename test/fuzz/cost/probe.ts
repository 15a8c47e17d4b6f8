// Loaded into the process under test with `--import`: reports how long its event loop was blocked in one turn. It is
// not used in production.
//   GET /
//   { held_ms, spent_ms }: the longest turn, and all turns, since the last such request, in milliseconds of processor
//     time
//   GET /memory  { bytes }: of objects and buffers, after a collection of garbage
//   GET /yard    { yard_ms }: what a fixed piece of work takes now
//   GET /hold    blocks the loop for 100 ms, so that a run can prove that this is detected
//   GET /profile begins a profile, GET /profiled ends it: { functions } where most of the time went
import http from 'node:http'
import { Session } from 'node:inspector/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'
import { cpuMs, yardMs } from '../../kit/stack/processor-time.ts'

const port = process.env.COST_PROBE_PORT
// Child processes and threads have no event loop of the API.
delete process.env.COST_PROBE_PORT

function hold(ms: number): void {
  for (const since = cpuMs(); cpuMs() - since < ms; );
}

const session = new Session()
async function profile(): Promise<void> {
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.start')
}
async function profiled(): Promise<string[]> {
  const { nodes, samples = [], timeDeltas = [] } = (await session.post('Profiler.stop')).profile
  session.disconnect()
  const names = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      `${functionName || '(anonymous)'} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`,
    ]),
  )
  const spent = new Map<string, number>()
  for (const [nth, id] of samples.entries()) {
    const name = names.get(id) ?? ''
    if (!/^\(idle\)|node:inspector/.test(name)) spent.set(name, (spent.get(name) ?? 0) + (timeDeltas[nth] ?? 0) / 1000)
  }
  const most = [...spent].sort(([, a], [, b]) => b - a).slice(0, 6)
  return most.map(([name, ms]) => `${ms.toFixed(0)} ms ${name}`)
}

if (port && isMainThread) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let before = cpuMs()
  let longest = 0
  let from = before
  // Between two ticks lies at most a millisecond of short turns of the loop, or the one turn that blocked it.
  const look = () => {
    const now = cpuMs()
    longest = Math.max(longest, now - before)
    before = now
  }
  setInterval(look, 1).unref()
  const answers: Record<string, () => unknown> = {
    '/': () => ({ held_ms: longest, spent_ms: before - from }),
    '/memory': () => {
      collect()
      collect()
      const { heapUsed, external } = process.memoryUsage()
      return { bytes: heapUsed + external }
    },
    '/yard': () => ({ yard_ms: yardMs() }),
    '/hold': () => void setImmediate(hold, 100),
    '/profile': profile,
    '/profiled': async () => ({ functions: await profiled() }),
  }
  http
    .createServer(async ({ url = '' }, response) => {
      look()
      const answer = JSON.stringify((await answers[url]?.()) ?? {})
      // A connection that stays open ends while the fuzzer is busy with something else.
      response.setHeader('connection', 'close').end(answer)
      before = cpuMs()
      if (url !== '/') return
      longest = 0
      from = before
    })
    .listen(Number(port), '127.0.0.1')
    .unref()
}
