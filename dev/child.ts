// Child processes that never outlive the process that started them. Their pid is their own, so a test kills or pauses
// exactly one.
import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** The text, not the path: the user that the command runs as may not be able to read our folder. */
const leash = fs.readFileSync(new URL('./leash.sh', import.meta.url), 'utf8')
const alive = new Set<Child>()

export type Child = {
  name: string
  pid: number
  /** Resolves with the exit code or the name of the signal. */
  ended: Promise<number | NodeJS.Signals>
  /** False as soon as a SIGKILL is sent. */
  running(): boolean
  /** The last 20,000 characters of its output. */
  tail(): string
  /** The next line of output that matches. Fails with the output if the process ends or the time runs out first. */
  said(pattern: RegExp, timeoutMs?: number): Promise<string>
  kill(signal: NodeJS.Signals): void
  stop(graceMs?: number): Promise<void>
}

export type ChildOptions = {
  name: string
  signal?: 'INT' | 'TERM'
  uid?: number
  gid?: number
  env?: NodeJS.ProcessEnv
  cwd?: string
  log?: string
  onLine?: (line: string) => void
  /** Called when the process ends without a call of `stop` or `kill`. */
  onDeath?: (child: Child, how: number | NodeJS.Signals) => void
}

function linesOf(child: ChildProcess, take: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    let rest = ''
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n')
      rest = parts.pop() ?? ''
      for (const line of parts) take(line)
    })
    stream?.on('end', () => rest && take(rest))
  }
}

/** Starts a command in its own process group, so that Ctrl-C reaches only this process, under leash.sh. */
export function start(command: string, args: string[], o: ChildOptions): Child {
  const child = spawn('/bin/sh', ['-c', leash, 'leash.sh', o.signal ?? 'TERM', command, ...args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: o.env ?? process.env,
    ...(o.cwd === undefined ? {} : { cwd: o.cwd }),
    ...(o.uid === undefined ? {} : { uid: o.uid }),
    ...(o.gid === undefined ? {} : { gid: o.gid }),
  })
  const pid = child.pid
  if (pid === undefined) throw new Error(`${o.name} cannot be started: /bin/sh is missing`)
  const log = o.log ? fs.createWriteStream(o.log, { flags: 'a' }) : null
  const waiting = new Set<(line: string) => void>()
  let printed = ''
  let asked = false
  linesOf(child, (line) => {
    printed = `${printed}${line}\n`.slice(-20_000)
    log?.write(`${line}\n`)
    for (const take of waiting) take(line)
    o.onLine?.(line)
  })
  child.stdin?.on('error', () => {})
  let doomed = false
  const signal = (to: number, name: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    try {
      process.kill(to, name)
    } catch (error) {
      // Processes that end together have all ended before the first one is reported.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
    doomed ||= name === 'SIGKILL'
  }
  const { promise: ended, resolve } = Promise.withResolvers<number | NodeJS.Signals>()
  const self: Child = {
    name: o.name,
    pid,
    ended,
    running: () => !doomed && child.exitCode === null && child.signalCode === null,
    tail: () => printed,
    said: (pattern, timeoutMs = 30_000) =>
      new Promise((yes, no) => {
        const take = (line: string) => pattern.test(line) && done(() => yes(line))
        const fail = (why: string) => done(() => no(new Error(`${o.name} ${why}${printed ? `:\n${printed}` : ''}`)))
        const timer = setTimeout(() => fail(`did not say ${pattern} within ${timeoutMs} ms`), timeoutMs)
        const done = (then: () => void) => {
          clearTimeout(timer)
          waiting.delete(take)
          then()
        }
        waiting.add(take)
        void ended.then((how) => waiting.has(take) && fail(`ended with ${how}`))
      }),
    kill: (name) => signal(pid, name),
    async stop(graceMs = 10_000) {
      asked = true
      signal(pid, `SIG${o.signal ?? 'TERM'}`)
      signal(pid, 'SIGCONT') // a paused process takes no other signal
      const late = new AbortController()
      await Promise.race([ended, sleep(graceMs, null, { signal: late.signal }).catch(() => {})])
      late.abort()
      signal(-pid, 'SIGKILL')
      await ended
    },
  }
  alive.add(self)
  child.once('close', () => {
    child.stdin?.end('ended\n')
    log?.end()
    alive.delete(self)
    const how = child.signalCode ?? child.exitCode ?? 0
    resolve(how)
    if (!asked) o.onDeath?.(self, how)
  })
  return self
}

/** Stops all children, the newest first, including those of an interrupted start. */
export async function stopAll(say: (line: string) => void = () => {}): Promise<void> {
  for (const child of [...alive].reverse()) {
    const since = performance.now()
    await child.stop(30_000)
    say(`${child.name} stopped (${Math.round(performance.now() - since)} ms)`)
  }
}
