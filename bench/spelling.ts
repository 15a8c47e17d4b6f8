// What the spelling of businesses costs: a list of 100 products of a business, beside the same list of a store with the
// same rows, in turns.
import { client } from '../client/client.ts'
import type { Measure } from './kit/path.ts'
import { resultOf, timesOf } from './kit/report.ts'
import { fill, newStore } from './kit/shop.ts'

const rounds = 400

export const spelling: Measure = {
  name: 'list-business-100',
  target: { of_floor: 0.95, clients: 1 },
  async measure(_, shop) {
    const { api, operator, db } = shop
    const store = await newStore(shop, 'spelled')
    const body = { key: 'spelled-business', timezone: 'UTC', billingEmail: 'bench@shop.example' }
    const business = await client({ base: api, headers: operator })('POST /v1/businesses', { body })
    const times: [business: number[], store: number[]] = [[], []]
    for (const id of [business.id, store.id]) await fill(db, id, 100)
    const paths = [`/v1/businesses/${business.id}/products?limit=100`, `/v1/stores/${store.id}/products?limit=100`]
    for (let round = -20; round < rounds; round++)
      for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const since = performance.now()
        const answer = await fetch(`${api}${paths[at]}`, { headers: operator })
        await answer.arrayBuffer()
        if (!answer.ok) throw new Error(`${paths[at]}: ${answer.status}`)
        if (round >= 0) times[at].push(performance.now() - since)
      }
    return resultOf('list-business-100', 1, 0, timesOf(times[0]), timesOf(times[1]))
  },
}
