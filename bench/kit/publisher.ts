// Events as requests commit them, each in a transaction of its own, in a process that does nothing else. It answers with the times of the commits.

import { openOrm, unitOf } from '../../entities/kit/orm.ts'
import { emit } from '../../entities/webhooks/events.ts'

/** `per_s`: so many at even distances; null: as fast as so many `writers` can. */
export type Telling = { url: string; store_id: string; from: number; count: number; per_s: number | null; writers: number; data: object }
/** By number, in milliseconds since 1970. */
export type Told = { committed: number[]; ms: number }

async function tell({ url, store_id, from, count, per_s, writers, data }: Telling): Promise<Told> {
  const orm = await openOrm({ url, pool: writers })
  const committed: number[] = []
  let next = 0
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (next < count) {
        const n = next++
        const wait = per_s === null ? 0 : begun + (n * 1000) / per_s - performance.now()
        if (wait > 0) await new Promise((done) => setTimeout(done, wait))
        await unitOf(orm, store_id).transactional((em) => emit(em, store_id, 'order.created', () => ({ ...data, n: from + n }), Math.floor(Date.now() / 1000)))
        committed[n] = performance.timeOrigin + performance.now()
      }
    }),
  )
  const ms = performance.now() - begun
  await orm.close(true)
  return { committed, ms }
}

process.on('disconnect', () => process.exit())
process.on('message', (asked: Telling) => {
  tell(asked).then(
    (told) => process.send?.({ told }),
    (error: Error) => process.send?.({ error: error.stack }),
  )
})
