// Child processes of the bench. They end when their channel to it closes.
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Job, Measured } from './load.ts'
import type { Published, Publishing } from './publisher.ts'

export const begin = (file: string, args: string[] = []): ChildProcess =>
  fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  })

export const next = <T>(child: ChildProcess): Promise<T> =>
  new Promise((done, fail) => {
    const ended = (code: number | null) => fail(new Error(`a process of the bench ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      done(message as T)
    })
  })

export type Load = { run(job: Job): Promise<Measured>; stop(): void }

export function startLoad(): Load {
  const child = begin('./load.ts')
  return {
    async run(job) {
      child.send(job)
      const { measured, error } = await next<{ measured?: Measured; error?: string }>(child)
      if (!measured) throw new Error(error)
      return measured
    },
    stop: () => void child.disconnect(),
  }
}

export const floorQueue = 'floor'

export async function startFloorWorker(address: string): Promise<{ stop(): void }> {
  const child = begin('./floor-worker.ts', [address, floorQueue])
  await next(child)
  return { stop: () => void child.disconnect() }
}

export function startPublisher(): { run(job: Publishing): Promise<Published>; stop(): void } {
  const child = begin('./publisher.ts')
  return {
    async run(job) {
      child.send(job)
      const { published, error } = await next<{ published?: Published; error?: string }>(child)
      if (!published) throw new Error(error)
      return published
    },
    stop: () => void child.disconnect(),
  }
}
