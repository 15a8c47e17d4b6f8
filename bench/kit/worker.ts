// The worker of the bench: it is started again for measurements that need a fresh one, or one whose statements are
// counted.
import fs from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Process } from '../../dev/parts.ts'
import type { Stack } from '../../dev/stack.ts'
import { startCounter } from './counter.ts'

const idleMs = 3_000

export type BenchWorker = {
  /** Ends the worker and starts another one. */
  restart(): Promise<void>
  /** Megabytes that it uses at this moment. */
  memoryMb(): number
  /**
   * How many statements the worker sends for `work`, by a worker whose connection is read; without those that an idle
   * worker sends in the same time.
   */
  statementsOf(work: () => Promise<void>): Promise<number>
  stop(): Promise<void>
}

export async function startBenchWorker(stack: Stack): Promise<BenchWorker> {
  let running: Process = await stack.startWorker()
  const restart = async (env: Record<string, string> = {}) => {
    await running.stop()
    running = await stack.startWorker(env)
  }
  return {
    restart: () => restart(),
    memoryMb: () => Number(/^VmRSS:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${running.pid}/status`, 'utf8'))?.[1]) / 1024,
    async statementsOf(work) {
      const counter = await startCounter(stack.ports.postgres)
      const url = new URL(String(stack.env.DATABASE_URL))
      url.port = String(counter.port)
      await restart({ DATABASE_URL: url.href })
      await pause(2_000) // its start
      counter.take()
      await pause(idleMs)
      const idle = counter.take().length / idleMs
      const since = performance.now()
      await work()
      const statements = counter.take().length - idle * (performance.now() - since)
      await restart()
      counter.stop()
      return Math.max(0, statements)
    },
    stop: () => running.stop(),
  }
}
