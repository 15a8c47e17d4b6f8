// The result of a case: what it proved, and every fault it found.
import type { World } from './world.ts'

export type Outcome = { shown: string; faults: string[] }
export type Case = {
  name: string
  /** Names and versions of the independent programs. */
  with: string
  run(world: World, say: (line: string) => void): Promise<Outcome>
}
