// With how many drawn values a property is tested: with few in each run, because each run draws others, and with many
// in `npm run models`.
const times = Number(process.env.DRAWS ?? 1)

/** The number of draws in a run of all tests. DRAWS multiplies it. */
export const draws = (count: number): number => count * times
