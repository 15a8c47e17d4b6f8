// Token buckets of one process: how often a key may be used in a second.

/** Buckets of tokens by key: each is filled at `perS` a second up to `burst`. */
export class Buckets {
  readonly #buckets = new Map<string, { left: number; at: number; fullAt: number }>()
  #sweptAt = 0

  #bucket(key: string, perS: number, burst: number, at: number): { left: number; at: number; fullAt: number } {
    const bucket = this.#buckets.get(key) ?? { left: burst, at, fullAt: at }
    bucket.left = Math.min(burst, bucket.left + ((at - bucket.at) / 1000) * perS)
    bucket.at = at
    return bucket
  }

  /** Whether the bucket has a token, which is not taken. */
  has(key: string, perS: number, burst: number): boolean {
    return !this.#buckets.has(key) || this.#bucket(key, perS, burst, performance.now()).left >= 1
  }

  /** Takes a token. False if there is none. */
  take(key: string, perS: number, burst: number): boolean {
    const at = performance.now()
    const bucket = this.#bucket(key, perS, burst, at)
    const isThere = bucket.left >= 1
    if (isThere) bucket.left -= 1
    bucket.fullAt = at + ((burst - bucket.left) / perS) * 1000
    this.#buckets.set(key, bucket)
    this.#sweep(at)
    return isThere
  }

  /**
   * Full buckets are forgotten, once a second at most: with many active callers nothing could be evicted, and every
   * request would scan all buckets.
   */
  #sweep(at: number): void {
    if (this.#buckets.size < 50_000 || at - this.#sweptAt < 1_000) return
    this.#sweptAt = at
    for (const [old, { fullAt }] of this.#buckets) if (fullAt < at) this.#buckets.delete(old)
  }
}
