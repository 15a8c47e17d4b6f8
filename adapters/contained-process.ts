// Processes that work on what strangers wrote: each reads its own code only, and one that takes too much processor time
// or memory is ended.
import { type ChildProcess, fork } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type JobPool, type Member, newJobPool, type Reports } from './job-pool.ts'

type Limits = {
  /** Milliseconds of processor time of a task: a busy machine causes no timeout. */
  cpuMs: number
  wallMs: number
  /** The errors of a task whose process was ended; `busy`, too, if none starts. */
  errors: { time(): Error; busy(): Error; memory(): Error }
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
/**
 * The process reads its own code and packages only, writes no files, and starts no processes. Symbolic links are
 * resolved, as Node checks real paths.
 */
const readable = (file: string) =>
  [file, '../rules/excerpts.ts', '../package.json', '../node_modules/'].flatMap((path) => {
    const real = fs.realpathSync(here(path))
    return [here(path), path.endsWith('/') ? `${real}/` : real]
  })

type Contained<Task> = Member<Task> & { child: ChildProcess }

/**
 * A process, since a thread whose heap fills within one allocation (a join, a replacement) ends the whole process, in
 * spite of its limits. It has none of our environment variables, and its output, which may hold data of users when V8
 * fails, is discarded.
 */
function start<Task, Reply extends { spent?: true }>(
  file: string,
  what: string,
  { errors }: Limits,
  { ready, reply, gone }: Reports<Reply>,
): Contained<Task> {
  const child = fork(here(file), {
    env: {},
    // Half the processor time of JSON, which pages of many e-mails would otherwise cost on both sides.
    serialization: 'advanced',
    execArgv: [
      '--max-old-space-size=192',
      '--disable-warning=ExperimentalWarning',
      '--permission',
      ...readable(file).map((path) => `--allow-fs-read=${path}`),
    ],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  let started = false
  child.on('message', (message: 'ready' | Reply) => {
    started = true
    if (message === 'ready') ready()
    else reply(message, message.spent)
  })
  child.once('error', gone)
  // The channel of a killed process closes before its end is reported.
  for (const event of ['disconnect', 'exit'])
    child.once(event, () => gone(started ? errors.memory() : new Error(`${what} did not start`)))
  return {
    child,
    // The channel of a process that just ended refuses the task; its end is reported by the events.
    send: (task) => void child.send(task as object, () => {}),
    end: () => child.kill('SIGKILL'),
    hold(on) {
      const change = on ? 'ref' : 'unref'
      child[change]()
      child.channel?.[change]()
    },
  }
}

/**
 * Milliseconds of processor time of the process; null where the system does not provide them (Linux does, in hundredths
 * of a second: proc(5)).
 */
function cpuOf({ pid }: ChildProcess): number | null {
  try {
    const [, rest] = /\) (.*)/.exec(fs.readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    const [user, system] = rest?.split(' ').slice(11) ?? []
    return (Number(user) + Number(system)) * 10
  } catch {
    return null
  }
}

/** Limits the processor time of a task from outside: its own code may be busy without an end. */
function watch(
  { child }: { child: ChildProcess },
  { cpuMs, wallMs, errors }: Limits,
  exceeded: (error: Error) => void,
): () => void {
  const before = cpuOf(child)
  const begun = performance.now()
  let timer: NodeJS.Timeout
  const checkIn = (ms: number) => {
    timer = setTimeout(check, Math.max(20, ms)).unref()
  }
  function check(): void {
    const now = cpuOf(child)
    const left = before === null || now === null ? 0 : before + cpuMs - now
    if (left <= 0) exceeded(errors.time())
    else if (performance.now() - begun >= wallMs) exceeded(errors.busy())
    else checkIn(left)
  }
  checkIn(cpuMs)
  return () => clearTimeout(timer)
}

/**
 * Two processes that run `file` of this folder, and are ended after a minute without a task. A reply with `spent` is
 * the last of its process. `what`: its name in an error.
 */
export const newContainedPool = <Task, Reply extends { spent?: true }>(
  file: string,
  what: string,
  limits: Limits,
): JobPool<Task, Reply> =>
  newJobPool<Task, Reply, Contained<Task>>({
    size: 2,
    start: (reports) => start(file, what, limits, reports),
    watch: (member, exceeded) => watch(member, limits, exceeded),
    startMs: 30_000,
    late: limits.errors.busy,
    idleMs: 60_000,
  })
