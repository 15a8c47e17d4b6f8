// The worker of the bench: it is started again for measurements that need a fresh one, or one whose statements are counted.
import fs from 'node:fs'
import type { Process } from '../../dev/parts.ts'
import type { Stack } from '../../dev/stack.ts'
import { startCounter } from './counter.ts'

export type BenchWorker = {
  /** Ends the worker and starts another one. */
  restart(): Promise<void>
  /** Megabytes that it uses at this moment. */
  memoryMb(): number
  /** How many statements the worker sends during `work`, by a worker whose connection is read. */
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
      counter.take()
      await work()
      const { length } = counter.take()
      await restart()
      counter.stop()
      return length
    },
    stop: () => running.stop(),
  }
}
