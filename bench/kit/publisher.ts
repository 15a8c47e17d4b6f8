// Publishes events as requests do, each in its own transaction, in a process of its own, and returns the times of the
// commits.
import { openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { emit } from '../../entities/webhooks/events.ts'

/** `per_s`: events per second at even intervals; null: as fast as `writers` connections permit. */
export type Publishing = {
  url: string
  store_id: string
  from: number
  count: number
  per_s: number | null
  writers: number
  data: object
}
/** `committed`: by number, in milliseconds since 1970. */
export type Published = { committed: number[]; ms: number }

async function publish({ url, store_id, from, count, per_s, writers, data }: Publishing): Promise<Published> {
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
        await unitOf(orm, store_id).transactional((em) =>
          emit(em, store_id, 'order.created', () => ({ ...data, n: from + n }), Math.floor(Date.now() / 1000)),
        )
        committed[n] = performance.timeOrigin + performance.now()
      }
    }),
  )
  const ms = performance.now() - begun
  await orm.close(true)
  return { committed, ms }
}

process.on('disconnect', () => process.exit())
process.on('message', (job: Publishing) => {
  publish(job).then(
    (published) => process.send?.({ published }),
    (error: Error) => process.send?.({ error: error.stack }),
  )
})
