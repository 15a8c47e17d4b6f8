// A part of the stack can be stopped and started again on the same port with the same data.
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

/** A part whose address comes from the environment. */
export function foreign(name: string): Part {
  const refuse = () => {
    throw new Error(`The environment names this ${name}: it cannot be stopped from here.`)
  }
  return { running: () => true, start: async () => {}, stop: async () => refuse(), kill: refuse }
}

const root = fileURLToPath(new URL('..', import.meta.url))

/** Compilation is a third of the cost of a start. The next start reads its result here. */
const NODE_COMPILE_CACHE = `${root}node_modules/.cache/node`

/** Runs one of our files with the Node of this process. */
export const script = (file: string, args: string[], o: ChildOptions): Child =>
  start(process.execPath, [`${root}${file}`, ...args], {
    cwd: root,
    ...o,
    env: { NODE_COMPILE_CACHE, ...(o.env ?? process.env) },
  })

export const processOf = (child: Child): Process => ({
  pid: child.pid,
  child,
  kill: (signal) => child.kill(signal),
  // A worker finishes its sends first.
  stop: () => child.stop(60_000),
})
