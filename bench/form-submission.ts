// A visitor submits the store's contact form repeatedly.

import { digest } from '../api/kit/caller.ts'
import { client } from '../client/client.ts'
import { json, lanesOf, type Path } from './kit/path.ts'

export const formSubmission: Path = {
  name: 'form-submission',
  floor: 'statements',
  target: { per_s: 200, p95_ms: 60, sql: 5 },
  // A row can be inserted only once, so each replay of the floor inserts a new one too.
  once: 16_000,
  async lanes(shop, clients, each) {
    const path = { storeId: shop.store_id, id: 'contact' }
    const { id, schema } = await client({ base: shop.api, headers: shop.operator })(
      'GET /v1/stores/{storeId}/forms/{id}',
      { path },
    )
    for (const shared of [id, ...schema.map((item) => item.id)]) if (shared) shop.shared.add(shared)
    const buyers = await shop.buyers(clients)
    const asks = Array.from({ length: clients * each }, (_, n) => ({
      buyer: buyers[n % clients] as (typeof buyers)[number],
      n,
    }))
    return lanesOf(asks, clients, ({ buyer: { contact_id, session_id, token, headers }, n }) => {
      const fields = [
        { key: 'name', value: `Ada Buyer ${n}` },
        { key: 'email', value: `ada-${n}@shop.example` },
        { key: 'message', value: `Do you still have number ${n}? ${'I would like two of them. '.repeat(8)}` },
      ]
      return {
        method: 'POST',
        path: `/v1/storefront/forms/${id}/submissions`,
        headers: json(headers),
        body: JSON.stringify({ form_id: id, fields }),
        own: [contact_id, session_id, digest(token)],
      }
    })
  },
}
