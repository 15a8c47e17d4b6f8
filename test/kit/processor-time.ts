// The cost of a piece of work, also on a busy machine.

/**
 * Processor time of this thread, not elapsed time: waiting for a processor, the database or the disk is not counted, so other processes' load does not
 * raise it. Where processes share caches the same work still takes somewhat longer: see `usualMs`.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
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

/** Usual milliseconds of a piece of work: the least of three, because the first includes compilation; one that is at most `enough` is the last. */
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
