// Evaluation of a graph's code with warm threads, beside a thread that only answers.
import { Worker } from 'node:worker_threads'
import { newSandbox } from '../../activities/automation/sandbox.ts'
import type { Measure } from '../kit/path.ts'
import { resultOf } from '../kit/report.ts'

const count = 2_000
const evaluation = {
  code: 'return input.order.lines.reduce((sum, { total }) => sum + total, 0)',
  kind: 'body' as const,
  nodes: {},
  tenant: 'one',
}
const input = { order: { lines: Array.from({ length: 20 }, (_, n) => ({ id: n, total: n * 100 })) } }

async function timed(call: () => Promise<unknown>): Promise<{ ms: number; each: number[] }> {
  for (let n = 0; n < 100; n++) await call()
  const each: number[] = []
  const begun = performance.now()
  for (let n = 0; n < count; n++) {
    const since = performance.now()
    await call()
    each.push(performance.now() - since)
  }
  return { ms: performance.now() - begun, each }
}

export const sandbox: Measure = {
  name: 'sandbox',
  target: { p50_ms: 2, clients: 1 },
  async measure() {
    const { evaluate } = newSandbox(2)
    const echo = new Worker(
      `require('node:worker_threads').parentPort.on('message', (given) => require('node:worker_threads').parentPort.postMessage(given))`,
      {
        eval: true,
      },
    )
    const floor = () =>
      new Promise((done) => {
        echo.once('message', done)
        echo.postMessage(JSON.stringify(input))
      })
    const result = resultOf('sandbox', 1, 0, await timed(() => evaluate({ ...evaluation, input })), await timed(floor))
    await echo.terminate()
    return result
  },
}
