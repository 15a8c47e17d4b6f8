// What a piece of work costs, on a busy machine too.

/**
 * Processor time of this thread, and not the time that passed: waiting for a processor, for the database or for the disk is not counted, so the load of
 * other processes makes nothing dearer. Where processes share caches the same work still takes somewhat longer: see `usualMs`.
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

/** What takes so long now would take so long on a machine with nothing else to do. One that is faster than that measures nothing less. */
export const usualMs = (cpu_ms: number, yard_ms: number): number => cpu_ms / Math.max(1, yard_ms / yardUsualMs)

/** Usual milliseconds of a piece of work: the least of three, because the first pays for the compiler; one that is at most `enough` is the last. */
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
