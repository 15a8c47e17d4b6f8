// Start of an API process and of a worker until they are ready, beside an empty Node process. The database is migrated
// and Temporal runs.
import { execFileSync } from 'node:child_process'
import type { Stack } from '../dev/stack.ts'
import type { Times } from './kit/load.ts'
import type { Measure } from './kit/path.ts'
import { resultOf } from './kit/report.ts'

const rounds = 5

async function timed(work: () => Promise<void | (() => Promise<void>)>): Promise<Times> {
  const each: number[] = []
  for (let n = 0; n < rounds; n++) {
    const since = performance.now()
    const undo = await work()
    each.push(performance.now() - since)
    await undo?.()
  }
  return { ms: each.reduce((sum, one) => sum + one, 0), each }
}

const bare = async () => void execFileSync(process.execPath, ['--eval', '0'])

const startOf = (name: string, start: (stack: Stack) => Promise<{ stop(): Promise<void> }>): Measure => ({
  name,
  measure: async (stack) =>
    resultOf(
      name,
      1,
      0,
      await timed(async () => {
        const started = await start(stack)
        return () => started.stop()
      }),
      await timed(bare),
    ),
})

export const apiStart = startOf('api-start', (stack) => stack.startApi())
export const workerStart = startOf('worker-start', (stack) => stack.startWorker())
