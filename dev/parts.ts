// A part of the stack can be taken away and brought back on the same port with the same data, as often as a test wants.
import { fileURLToPath } from 'node:url'
import { type Child, type ChildOptions, start } from './child.ts'

export type Part = {
  running(): boolean
  start(): Promise<void>
  stop(): Promise<void>
  kill(signal: NodeJS.Signals): void
}

/** A process of ours: an API or a worker. */
export type Process = { pid: number; child: Child; kill(signal: NodeJS.Signals): void; stop(): Promise<void> }

export function part(begin: () => Promise<Child>): Part {
  let child: Child | undefined
  return {
    running: () => child?.running() ?? false,
    async start() {
      if (child?.running()) return
      await child?.ended
      child = await begin()
    },
    stop: async () => child?.stop(20_000),
    kill: (signal) => child?.kill(signal),
  }
}

/** Stands for a part whose address the environment gave. */
export function foreign(name: string): Part {
  const refuse = () => {
    throw new Error(`the environment names this ${name}: it is not ours to stop`)
  }
  return { running: () => true, start: async () => {}, stop: async () => refuse(), kill: refuse }
}

const root = fileURLToPath(new URL('..', import.meta.url))

/** Compiling our files and the packages is a third of what a start costs: the next one reads it here. */
const NODE_COMPILE_CACHE = `${root}node_modules/.cache/node`

/** One of our own files, run by the same Node as we are. */
export const script = (file: string, args: string[], o: ChildOptions): Child =>
  start(process.execPath, [`${root}${file}`, ...args], { cwd: root, ...o, env: { NODE_COMPILE_CACHE, ...(o.env ?? process.env) } })

export const processOf = (child: Child): Process => ({
  pid: child.pid,
  child,
  kill: (signal) => child.kill(signal),
  // A worker finishes what it sent before it leaves.
  stop: () => child.stop(60_000),
})
