// Goals for a quiet machine, on one that may be busy: how much longer work takes now is measured beside what has a
// goal.
import os from 'node:os'

/**
 * How many times longer than alone one thread computes now: 1 on a quiet machine. Between two pauses of the processor
 * nothing is known, so it is read more than once around what it is compared with.
 */
export function slowdown(): number {
  const since = performance.now()
  const before = process.cpuUsage()
  const usedMs = () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  while (usedMs() < 80);
  return Math.max(1, (performance.now() - since) / usedMs())
}

/**
 * The most that something with this goal may take before a check fails: twice the goal, and as much more as the machine
 * was slower meanwhile, but never more than four times. The figures themselves are printed beside the goal.
 */
export function limitOf(goalMs: number, slowdowns: readonly number[]): number {
  const mean = slowdowns.reduce((sum, one) => sum + one, 0) / slowdowns.length
  return goalMs * Math.min(4, 2 * mean)
}

export const load = (slowdowns: readonly number[]): string => {
  const mean = slowdowns.reduce((sum, one) => sum + one, 0) / slowdowns.length
  return `load ${os.loadavg()[0]?.toFixed(1)} on ${os.cpus().length} processors, ${mean.toFixed(1)} times slower than alone`
}
