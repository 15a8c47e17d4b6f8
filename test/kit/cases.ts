// What a test of random sequences tells about a run: how often each case occurred.

/** Prints the cases, with the seed and the seconds since `since`, by performance.now(). */
export function tellCases(met: Record<string, number>, seed: number, since: number): void {
  const rows = Object.entries(met)
    .sort()
    .map(([name, times]) => `${String(times).padStart(6)} ${name}`)
  console.log([`seed ${seed}, ${((performance.now() - since) / 1000).toFixed(1)} s`, ...rows].join('\n'))
}
