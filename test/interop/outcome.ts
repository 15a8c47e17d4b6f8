// How a case ended: what it showed, and every fault that it found.
import type { World } from './world.ts'

export type Outcome = { shown: string; faults: string[] }
export type Case = {
  name: string
  /** Names and versions of the foreign programs. */
  with: string
  run(world: World, say: (line: string) => void): Promise<Outcome>
}
