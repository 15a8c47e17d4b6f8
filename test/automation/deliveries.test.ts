// What happens is told to whoever asked for it: at least once, under one id, signed, and for as long as it takes.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { type Orm, openOrm } from '../../entities/orm.ts'
import { until } from '../kit/codes.ts'
import { type Lab, startLab } from '../kit/lab.ts'
import { type Received, type Receiver, startReceiver } from '../kit/receiver.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'
import { type DeliveryRow, deliveriesOf, type Hook, newWebhook, secret, tell } from '../kit/telling.ts'

jest.setTimeout(60_000)

let lab: Lab
let receiver: Receiver
let orm: Orm
let shop: Shop

beforeAll(async () => {
  const settings = { DELIVERY_RETRY_S: '0,0.3,0.3,0.3', DELIVERY_TIMEOUT_MS: '1000', RECONCILE_EVERY_MS: '1000' }
  lab = await startLab('deliveries', settings)
  receiver = await startReceiver(lab.stack.dir)
  await Promise.all([lab.stack.startApi(settings), lab.startWorker(settings)])
  orm = await openOrm({ url: lab.stack.env.DATABASE_URL as string, pool: 4 })
  shop = await newShop()
})

afterAll(async () => {
  await orm.close(true)
  await database().end()
  await receiver.stop()
  await lab.stop()
})

const settledOnes = (hook: Hook, count: number, status = 'succeeded'): Promise<DeliveryRow[]> =>
  until(async () => {
    const rows = await deliveriesOf(hook)
    return rows.length === count && rows.every((row) => row.status === status) && rows
  }, 30_000)
const verified = (one: Received, key = secret) => new Webhook(key).verify(one.body, one.headers)

test('an event arrives with its body, the subscriber’s headers and a signature that the standard’s own library believes', async () => {
  const hook = await newWebhook(shop, receiver, { headers: { 'X-Own': 'yes', authorization: 'Bearer own' } })
  await tell(orm, shop.store_id, [{ id: 'o1', note: 'Grüße "und" \\ mehr', amount: 12 }])
  const [row] = await settledOnes(hook, 1)
  const [one, ...more] = await receiver.arrivals(hook.path)
  expect(more).toEqual([])
  expect(verified(one as Received)).toEqual({
    id: row?.event_id,
    type: 'order.created',
    created_at: expect.any(Number),
    store_id: shop.store_id,
    data: { id: 'o1', note: 'Grüße "und" \\ mehr', amount: 12 },
  })
  expect(one).toMatchObject({
    method: 'POST',
    headers: { 'webhook-id': row?.event_id, 'content-type': 'application/json', 'x-own': 'yes', authorization: 'Bearer own' },
  })
  expect(() => verified({ ...(one as Received), body: `${one?.body} ` })).toThrow()
})
