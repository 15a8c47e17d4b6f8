// What a test of random sequences tells about a run: how often each case occurred.
import { expect } from '@jest/globals'

/** Prints the cases, with the seed and the seconds since `since`, by performance.now(). */
export function tellCases(met: Record<string, number>, seed: number, since: number): void {
  const rows = Object.entries(met)
    .sort()
    .map(([name, times]) => `${String(times).padStart(6)} ${name}`)
  console.log([`seed ${seed}, ${((performance.now() - since) / 1000).toFixed(1)} s`, ...rows].join('\n'))
}

/**
 * A long run that never met a case proves nothing about it. A short one, as in `npm test`, may miss the rare ones:
 * which races are won is not drawn from its seed. `least`: runs from which on each case must have occurred.
 */
export function mustHaveMet(
  rare: readonly string[],
  times: (name: string) => number,
  runs: number,
  least: number,
): void {
  if (runs >= least) expect(rare.filter((name) => times(name) === 0)).toEqual([])
}
