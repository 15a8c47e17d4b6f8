// Memberships: whether a visitor has access, joining an open audience, and an import of 1,000 addresses.
import { digest } from '../../api/kit/caller.ts'
import { client } from '../../client/client.ts'
import { newId } from '../../entities/kit/ids.ts'
import { json, lanesOf, type Measure, type Path } from '../kit/path.ts'
import { resultOf, timesOf } from '../kit/report.ts'
import type { Buyer, Shop } from '../kit/shop.ts'

async function openAudience({ api, operator, store_id, shared }: Shop): Promise<string> {
  const call = client({ base: api, headers: operator })
  const path = { storeId: store_id }
  const { id } = await call('POST /v1/stores/{storeId}/audiences', {
    path,
    body: { key: `bench-${newId()}`, type: { type: 'open' } },
  })
  await call('PUT /v1/stores/{storeId}/audiences/{id}', { path: { ...path, id }, body: { status: 'active' } })
  shared.add(id)
  return id
}

const ownOf = ({ contact_id, session_id, token }: Buyer): string[] => [contact_id, session_id, digest(token)]

export const access: Path = {
  name: 'access',
  floor: 'statements',
  target: { sql: 2, of_floor: 0.45 },
  async lanes(shop, clients) {
    const [audience, buyers] = [await openAudience(shop), await shop.buyers(clients)]
    for (const { headers } of buyers) {
      const call = client({ base: shop.api, headers })
      const path = { audienceId: audience }
      await call('POST /v1/storefront/audiences/{audienceId}/subscribe', { path, body: {} })
      // Repeated requests are counted by their status alone.
      const { has_access } = await call('GET /v1/storefront/audiences/{audienceId}/access', { path })
      if (!has_access) throw new Error('access: a member of the measurement has no access')
    }
    return lanesOf(buyers, clients, (buyer) => ({
      method: 'GET',
      path: `/v1/storefront/audiences/${audience}/access`,
      headers: buyer.headers,
      own: ownOf(buyer),
    }))
  },
}

export const subscribeOpen: Path = {
  name: 'subscribe-open',
  floor: 'statements',
  target: { sql: 7, of_floor: 0.45 },
  once: 6_000,
  async lanes(shop, clients, each) {
    const [audience, buyers] = [await openAudience(shop), await shop.buyers(clients * each)]
    return lanesOf(buyers, clients, (buyer) => ({
      method: 'POST',
      path: `/v1/storefront/audiences/${audience}/subscribe`,
      headers: json(buyer.headers),
      body: '{}',
      own: ownOf(buyer),
    }))
  },
}

const rows = 1_000
const rounds = 5

export const memberImport: Measure = {
  name: 'import-1000',
  target: { p95_ms: 1_500, clients: 1 },
  async measure(_, shop) {
    const path = { storeId: shop.store_id, audienceId: await openAudience(shop) }
    const call = client({ base: shop.api, headers: shop.operator })
    const each: number[] = []
    for (let round = 0; round < rounds; round++) {
      const body = {
        rows: Array.from({ length: rows }, (_, n) => ({
          email: `import-${round}-${n}@shop.example`,
          fields: { city: 'Portland', round },
        })),
      }
      const since = performance.now()
      const { members_added } = await call('POST /v1/stores/{storeId}/audiences/{audienceId}/members/import', {
        path,
        body,
      })
      each.push(performance.now() - since)
      if (members_added !== rows) throw new Error(`${members_added} members instead of ${rows}`)
    }
    return resultOf('import-1000', 1, 0, timesOf(each), null)
  },
}
