// The cost of a piece of work, also on a busy machine.
import fs from 'node:fs'

/**
 * Processor time of this thread, not elapsed time: waiting for a processor, the database or the disk is not counted, so
 * other processes' load does not raise it. Where processes share caches the same work still takes somewhat longer: see
 * `usualMs`.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Milliseconds of user and system time of a process, or with `ended` of its children that have ended (Linux: proc(5),
 * in hundredths of a second).
 */
function spentMs(pid: number | string, ended = false): number {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  const [user, system] = fields.slice(ended ? 13 : 11)
  return (Number(user) + Number(system)) * 10
}

/** Processor time of the living processes of this one that run `file`, and of all that have ended. */
export function childrenMs(file: string): number {
  const children = fs.readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean)
  const running = children.filter((pid) => fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(file))
  return running.reduce((sum, pid) => sum + spentMs(pid), spentMs('self', true))
}

const yard = Array.from({ length: 20_000 }, (_, nth) => ({ a: nth, b: `${nth}` }))
function yardOnce(): number {
  const since = cpuMs()
  JSON.parse(JSON.stringify(yard))
  return cpuMs() - since
}

/** What a fixed piece of work takes now: how fast the machine is. */
export const yardMs = (): number => Math.min(yardOnce(), yardOnce(), yardOnce())
/** What it takes on a machine with nothing else to do. */
const yardUsualMs = 9

/** The time scaled to a machine with nothing else to do. A faster machine than that measures no less. */
export const usualMs = (cpu_ms: number, yard_ms: number): number => cpu_ms / Math.max(1, yard_ms / yardUsualMs)

/**
 * Usual milliseconds of a piece of work: the least of three, because the first includes compilation; one that is at
 * most `enough` is the last.
 */
export function processorMs(work: () => unknown, enough = 0): number {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 3 && least > enough; tries++) {
    const since = cpuMs()
    work()
    const spent = cpuMs() - since
    least = Math.min(least, spent > enough ? usualMs(spent, yardMs()) : spent)
  }
  return least
}
