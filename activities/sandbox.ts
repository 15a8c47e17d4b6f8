// Evaluates code that a user wrote: returns a JSON value or throws a named error within half a second, without access to anything else.
import { Worker } from 'node:worker_threads'
import { type Member, newJobPool, type Reports } from '../adapters/job-pool.ts'
import { config } from '../config.ts'
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

export type Sandbox = {
  /** A JSON value; throws SandboxError. 100 ms of CPU, 500 ms in all once it has a thread, 16 MiB, 256 KiB of code, of input and of output. */
  evaluate(evaluation: Evaluation): Promise<unknown>
}

type Thread = Member<SandboxTask>

function startThread({ ready, reply, gone }: Reports<SandboxReply>): Thread {
  // Without our environment variables. Without a heap limit: users' data is not in it, and a small heap is collected for every new instance.
  const worker = new Worker(new URL('./sandbox-worker.ts', import.meta.url), { name: 'sandbox', env: {}, execArgv: [] })
  worker.on('message', (message: 'ready' | SandboxReply) => (message === 'ready' ? ready() : reply(message)))
  worker.once('error', gone)
  return {
    send: (task) => worker.postMessage(task),
    end: () => worker.terminate().catch(() => {}),
    hold: (on) => (on ? worker.ref() : worker.unref()),
  }
}

/** The engine's interrupt handler is not called for seconds inside some built-ins (joining a string); terminating the thread always works. */
function watchThread(_thread: Thread, exceeded: (error: Error) => void): () => void {
  const timer = setTimeout(() => exceeded(new SandboxError('sandbox_timeout', `the code takes longer than ${wallMs} ms`)), wallMs)
  return () => clearTimeout(timer)
}

export function newSandbox(threadsMax: number): Sandbox {
  const threads = newJobPool<SandboxTask, SandboxReply, Thread>({ size: threadsMax, start: startThread, watch: watchThread, startMs: 30_000, idleMs: null })
  return {
    async evaluate({ code, kind, input, nodes, templates, tenant = '' }) {
      const given = JSON.stringify({ input: input ?? null, nodes: nodes ?? null })
      const values = JSON.stringify(templates?.values ?? [])
      for (const [what, text] of Object.entries({ code, input: given, 'data of its templates': values }))
        if (Buffer.byteLength(text) > inputMax) throw new SandboxError('sandbox_input_too_large', `the ${what} is longer than ${inputMax / 1_024} KiB`)
      const reply = await threads.run(tenant, { tenant, code, kind, given, values, name: templates?.name ?? '__t' })
      if ('code' in reply) throw new SandboxError(reply.code, reply.message)
      return JSON.parse(reply.json)
    },
  }
}

let shared: Sandbox | undefined
/** In threads of this process, started at the first use. */
export const evaluate = (evaluation: Evaluation): Promise<unknown> => {
  shared ??= newSandbox(config.sandboxThreads)
  return shared.evaluate(evaluation)
}
