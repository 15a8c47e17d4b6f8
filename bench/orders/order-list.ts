// A page of 20 orders, newest first, after a few thousand checkouts.
import type { Path } from '../kit/path.ts'

export const orderList: Path = {
  name: 'order-list',
  floor: 'statements',
  async lanes({ store_id, operator, db }, clients) {
    await db.query('analyze orders') // autovacuum would do it within a minute; these rows were inserted within seconds
    return Array.from({ length: clients }, () => [
      { method: 'GET', path: `/v1/stores/${store_id}/orders?limit=20`, headers: operator },
    ])
  },
}
