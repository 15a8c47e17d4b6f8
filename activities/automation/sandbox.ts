// Evaluates code that a user wrote: returns a JSON value or throws a named error after a tenth of a second of CPU,
// without access to anything else.
import { Worker } from 'node:worker_threads'
import { type Member, newJobPool, type Reports } from '../../adapters/job-pool.ts'
import { config } from '../../config.ts'
import type { Owner } from '../../rules/fair-queue.ts'
import type { SandboxCode, SandboxKind, SandboxMessage, SandboxReply, SandboxTask } from './sandbox-worker.ts'

/** Milliseconds between two looks at a thread that has not answered. */
const lookMs = 500
/** CPU time of a thread that does not end its code itself, in milliseconds. */
const stuckMs = 300
/** Milliseconds in all, for a machine that is too busy to run the thread. */
const wallMs = 10_000
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
 * `body` is the body of a function over `input` and `nodes`, `expression` an expression over them. Accounts and their
 * tenants take turns, and the code of one never runs in memory that the code of another used.
 */
export type Evaluation = {
  code: string
  kind: SandboxKind
  input: unknown
  nodes: unknown
  /** A third parameter, under the name by which the code reads it. */
  templates?: { name: string; values: unknown[] }
  owner?: Owner
}

export type Sandbox = {
  /**
   * A JSON value; throws SandboxError. 100 ms of CPU, 10 s in all once it has a thread, 16 MiB, 256 KiB of code, of
   * input and of output.
   */
  evaluate(evaluation: Evaluation): Promise<unknown>
}

/** `usedMs`: the CPU time of its present task; null where Node does not tell it (before 24). */
type Thread = Member<SandboxTask> & { usedMs(): Promise<number | null> }

function startThread({ ready, reply, gone }: Reports<SandboxReply>): Thread {
  let before = 0
  // Without our environment variables. Without a heap limit: users' data is not in it, and a small heap is collected
  // for every new instance.
  const worker = new Worker(new URL('./sandbox-worker.ts', import.meta.url), { name: 'sandbox', env: {}, execArgv: [] })
  worker.on('message', ({ used_ms, answer }: SandboxMessage) => {
    before = used_ms
    if (answer) reply(answer)
    else ready()
  })
  worker.once('error', gone)
  return {
    send: (task) => worker.postMessage(task),
    end: () => worker.terminate().catch(() => {}),
    hold: (on) => (on ? worker.ref() : worker.unref()),
    async usedMs() {
      if (!('cpuUsage' in worker)) return null
      const { user, system } = await worker.cpuUsage()
      return (user + system) / 1_000 - before
    },
  }
}

/**
 * The engine's interrupt handler is not called for seconds inside some built-ins (joining a string); terminating the
 * thread always works. Its CPU time counts:
 * a busy machine, or an answer that this process has not read yet, ends no code.
 */
function watchThread(thread: Thread, exceeded: (error: Error) => void): () => void {
  let over = false
  const end = () => exceeded(new SandboxError('sandbox_timeout', `the code needs more than ${stuckMs} ms`))
  const last = setTimeout(end, wallMs)
  const looks = setInterval(async () => {
    const used = await thread.usedMs().catch(() => null)
    if (!over && (used === null || used > stuckMs)) end()
  }, lookMs)
  return () => {
    over = true
    clearTimeout(last)
    clearInterval(looks)
  }
}

const unowned: Owner = { account: '', tenant: '' }

export function newSandbox(threadsMax: number): Sandbox {
  const threads = newJobPool<SandboxTask, SandboxReply, Thread>({
    size: threadsMax,
    start: startThread,
    watch: watchThread,
    startMs: 30_000,
    late: () => new Error('the machine is too busy to start a sandbox'),
    idleMs: null,
  })
  return {
    async evaluate({ code, kind, input, nodes, templates, owner = unowned }) {
      const inputs = JSON.stringify({ input: input ?? null, nodes: nodes ?? null })
      const values = JSON.stringify(templates?.values ?? [])
      for (const [what, text] of Object.entries({ code, input: inputs, 'data of its templates': values }))
        if (Buffer.byteLength(text) > inputMax)
          throw new SandboxError('sandbox_input_too_large', `the ${what} is longer than ${inputMax / 1_024} KiB`)
      const reply = await threads.run(owner, {
        tenant: owner.tenant,
        code,
        kind,
        inputs,
        values,
        name: templates?.name ?? '__t',
      })
      if ('code' in reply) throw new SandboxError(reply.code, reply.message)
      return JSON.parse(reply.json)
    },
  }
}

let shared: Sandbox | undefined
/** Evaluates in threads of this process, which start at the first use. */
export const evaluate = (evaluation: Evaluation): Promise<unknown> => {
  shared ??= newSandbox(config.sandboxThreads)
  return shared.evaluate(evaluation)
}
