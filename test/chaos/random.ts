// A seed decides every draw: the same seed and name draw the same values beside any other draws.

export type Random = {
  /** In [0, 1). */
  next(): number
  /** A whole number, both ends included. */
  whole(min: number, max: number): number
  chance(share: number): boolean
  pick<T>(from: readonly T[]): T
  /** One of the values, as often as its weight says. */
  weighted<T>(from: readonly (readonly [weight: number, value: T])[]): T
}

/** FNV-1a: turns names into unrelated numbers. */
function hash(text: string): number {
  let state = 0x811c9dc5
  for (const char of text) state = Math.imul(state ^ (char.codePointAt(0) as number), 0x01000193)
  return state >>> 0
}

/** mulberry32 of the seed and the names: `random(7, 'round 3', 'buyer 4')`. */
export function random(seed: number, ...names: string[]): Random {
  let state = hash([seed, ...names].join('/'))
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const whole = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    whole,
    chance: (share) => next() < share,
    pick: <T>(from: readonly T[]) => from[whole(0, from.length - 1)] as T,
    weighted<T>(from: readonly (readonly [number, T])[]) {
      let left = next() * from.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, value] of from) {
        left -= weight
        if (left < 0) return value
      }
      return (from.at(-1) as readonly [number, T])[1]
    },
  }
}
