// A lab with a receiver of webhooks, an API, workers for deliveries, a store and the ORM that publishes its events.
import type { Process } from '../../../dev/parts.ts'
import { type Orm, openOrm } from '../../../entities/kit/database/orm.ts'
import { database, newShop, type Shop } from '../shop.ts'
import { type Lab, startLab } from '../stack/lab.ts'
import { type Receiver, startReceiver } from './receiver.ts'

export type DeliveryLab = {
  lab: Lab
  receiver: Receiver
  orm: Orm
  shop: Shop
  workers: Process[]
  stop(): Promise<void>
}

/** `settings`: of the API and the workers. */
export async function startDeliveryLab(
  name: string,
  settings: Record<string, string>,
  workerCount = 1,
): Promise<DeliveryLab> {
  const lab = await startLab(name, settings, { queues: ['deliveries', 'mail'] })
  const receiver = await startReceiver(lab.stack.dir)
  const [workers] = await Promise.all([
    Promise.all(Array.from({ length: workerCount }, () => lab.startWorker(settings))),
    lab.stack.startApi(settings),
  ])
  const orm = await openOrm({ url: lab.stack.env.DATABASE_URL as string, pool: 6 })
  return {
    ...{ lab, receiver, orm, workers },
    shop: await newShop(),
    async stop() {
      await orm.close(true)
      await database().end()
      await receiver.stop()
      await lab.stop()
    },
  }
}
