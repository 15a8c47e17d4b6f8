// Evaluates code that a user wrote: returns a JSON value or throws a named error within half a second, without access to anything else.
import { Worker } from 'node:worker_threads'
import { config } from '../config.ts'
import { newTurns } from '../rules/fair-queue.ts'
import type { SandboxCode, SandboxKind, SandboxReply, SandboxTask } from './sandbox-worker.ts'

const wallMs = 500
const inputMax = 262_144

/** The message is for the user who wrote the code, with its line where known: `TypeError: … (line 2)`. */
export class SandboxError extends Error {
  readonly code: SandboxCode
  constructor(code: SandboxCode, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * `body` is the body of a function over `input` and `nodes`, `expression` an expression over them. Tenants take turns, and the code of one never runs in memory
 * that the code of another used.
 */
export type Evaluation = {
  code: string
  kind: SandboxKind
  input: unknown
  nodes: unknown
  /** A third parameter, under the name by which the code reads it. */
  templates?: { name: string; values: unknown[] }
  tenant?: string
}

type Job = { task: SandboxTask; resolve(value: unknown): void; reject(error: Error): void }
type Thread = { worker: Worker; ready: boolean; job: Job | undefined; timer: NodeJS.Timeout | undefined }

export type Sandbox = {
  /** A JSON value; throws SandboxError. 100 ms of CPU, 500 ms in all once it has a thread, 16 MiB, 256 KiB of code, of input and of output. */
  evaluate(evaluation: Evaluation): Promise<unknown>
}

export function newSandbox(threadsMax: number): Sandbox {
  const threads = new Set<Thread>()
  const turns = newTurns<Job>()

  function start(): void {
    // Without our environment variables. Without a heap limit: users' data is not in it, and a small heap is collected for every new instance.
    const worker = new Worker(new URL('./sandbox-worker.ts', import.meta.url), { name: 'sandbox', env: {}, execArgv: [] })
    const thread: Thread = { worker, ready: false, job: undefined, timer: undefined }
    threads.add(thread)
    worker.on('message', (message: 'ready' | SandboxReply) => {
      if (message === 'ready') thread.ready = true
      else if ('json' in message) end(thread)?.resolve(JSON.parse(message.json))
      else end(thread)?.reject(new SandboxError(message.code, message.message))
      work()
    })
    worker.once('error', (error: Error) => lose(thread, error))
  }

  function end(thread: Thread): Job | undefined {
    const { job } = thread
    clearTimeout(thread.timer)
    thread.job = undefined
    return job
  }

  /** Rejects the job of a thread that ended, and starts another thread in its place. */
  function lose(thread: Thread, error: Error): void {
    if (!threads.delete(thread)) return
    end(thread)?.reject(error)
    thread.worker.terminate().catch(() => {})
    if (thread.ready) start()
    // A thread that failed to start would fail again: waiting jobs are rejected.
    if (threads.size === 0) for (let job = turns.next(); job; job = turns.next()) job.reject(error)
    work()
  }

  function work(): void {
    for (const thread of threads) {
      if (!thread.ready || thread.job) continue
      const job = turns.next()
      if (!job) break
      thread.job = job
      // The engine's interrupt handler is not called for seconds inside some built-ins (joining a string); terminating the thread always works.
      thread.timer = setTimeout(() => lose(thread, new SandboxError('sandbox_timeout', `the code takes longer than ${wallMs} ms`)), wallMs)
      thread.worker.postMessage(job.task)
    }
    // Idle threads do not keep the process running.
    const busy = turns.waiting() > 0 || [...threads].some(({ job }) => job)
    for (const { worker } of threads) {
      if (busy) worker.ref()
      else worker.unref()
    }
  }

  return {
    async evaluate({ code, kind, input, nodes, templates, tenant = '' }) {
      const given = JSON.stringify({ input: input ?? null, nodes: nodes ?? null })
      const values = JSON.stringify(templates?.values ?? [])
      for (const [what, text] of Object.entries({ code, input: given, 'data of its templates': values }))
        if (Buffer.byteLength(text) > inputMax) throw new SandboxError('sandbox_input_too_large', `the ${what} is longer than ${inputMax / 1_024} KiB`)
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      turns.add(tenant, { task: { tenant, code, kind, given, values, name: templates?.name ?? '__t' }, resolve, reject })
      while (threads.size < threadsMax) start()
      work()
      return promise
    },
  }
}

let shared: Sandbox | undefined
/** In threads of this process, started at the first use. */
export const evaluate = (evaluation: Evaluation): Promise<unknown> => {
  shared ??= newSandbox(config.sandboxThreads)
  return shared.evaluate(evaluation)
}
