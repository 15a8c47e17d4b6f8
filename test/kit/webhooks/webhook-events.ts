// Webhooks for tests, and events published without an order around each.
//   const hook = await newWebhook(shop, receiver, { events: ['order.created'] })
//   await publish(orm, shop.store_id, [{ n: 1 }])
//   → one event each, each in a transaction of its own, like a request's
import { type Orm, unitOf } from '../../../entities/kit/database/orm.ts'
import { emit } from '../../../entities/webhooks/events.ts'
import type { EventType } from '../../../rules/webhooks/events.ts'
import { database, type Shop, unique } from '../shop.ts'
import type { Receiver } from './receiver.ts'

export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
export type Hook = { id: string; path: string; url: string }

export async function newWebhook(shop: Shop, receiver: Receiver, more: Record<string, unknown> = {}): Promise<Hook> {
  const path = `/${unique()}`
  const url = `${receiver.url}${path}`
  const body = { key: unique(), url, events: [{ event: 'order.created' }], headers: {}, secret, enabled: true, ...more }
  const made = await shop.asOperator('POST', '/webhooks', body)
  if (made.status !== 201) throw new Error(`no webhook: ${made.status} ${JSON.stringify(made.body)}`)
  return { id: made.body.id, path, url }
}

/** When each was committed, in milliseconds since 1970. */
export async function publish(
  orm: Orm,
  storeId: string,
  data: readonly object[],
  type: EventType = 'order.created',
  atOnce = 4,
): Promise<number[]> {
  const times: number[] = []
  const one = async (n: number) => {
    await unitOf(orm, storeId).transactional((em) =>
      emit(em, storeId, type, () => data[n], Math.floor(Date.now() / 1000)),
    )
    times[n] = performance.timeOrigin + performance.now()
  }
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < data.length) await one(next++)
    }),
  )
  return times
}

export type DeliveryRow = {
  id: string
  event_id: string
  status: string
  attempts: number
  due_in_s: number | null
  provider_status_code: number | null
  response_body: string | null
  error: { code: string; message: string } | null
  data: Record<string, unknown>
}

/** All deliveries of a webhook, in the order of their events. */
export async function deliveriesOf({ id }: { id: string }): Promise<DeliveryRow[]> {
  const { rows } = await database().query<DeliveryRow>(
    `select d.id, d.event_id, d.status, d.attempts, extract(epoch from d.due_at - clock_timestamp())::float8 as due_in_s, d.provider_status_code, d.response_body, d.error, e.data
     from deliveries d join events e on e.id = d.event_id where d.webhook_id = $1 order by e.id`,
    [id],
  )
  return rows
}
