// Random bytes of the system, drawn many at a time: a draw takes ten times as long as the bytes of an id.
import { randomFillSync } from 'node:crypto'

const drawn = 4_096

let left: Buffer = Buffer.alloc(0)

/** At most 4,096, and none of them twice. */
export function randomOf(count: number): Buffer {
  if (left.length < count) left = randomFillSync(Buffer.alloc(drawn))
  const bytes = left.subarray(0, count)
  left = left.subarray(count)
  return bytes
}
