// Random bytes of the system, drawn many at a time: a draw takes ten times as long as the bytes of an id.
import { randomFillSync } from 'node:crypto'

const drawn = 4_096

let pool: Buffer = Buffer.alloc(0)

/** At most 4,096, and none of them twice. */
export function randomOf(count: number): Buffer {
  if (pool.length < count) pool = randomFillSync(Buffer.alloc(drawn))
  const bytes = pool.subarray(0, count)
  pool = pool.subarray(count)
  return bytes
}
