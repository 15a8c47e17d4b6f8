// Waits for what a page or the API shows sooner or later.
import { setTimeout as pause } from 'node:timers/promises'

/** Looks every 50 ms until something is found, and returns it. Fails after a minute, naming `what`. */
export async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  const end = performance.now() + 60_000
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > end) throw new Error(`waited a minute for ${what}`)
    await pause(50)
  }
}
