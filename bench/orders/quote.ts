// The quote of a cart of two lines with shipping.
import { json, lanesOf, type Path } from '../kit/path.ts'

export const quote: Path = {
  name: 'quote',
  floor: 'statements',
  target: { per_s: 300 },
  async lanes(shop, clients) {
    return lanesOf(await shop.buyers(clients), clients, ({ cart_id, headers }) => ({
      method: 'POST',
      path: `/v1/storefront/carts/${cart_id}/quote`,
      headers: json(headers),
      body: '{}',
    }))
  },
}
