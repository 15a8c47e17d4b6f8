// A visitor replaces the contents of the cart with three lines.
import { json, lanesOf, type Path } from '../kit/path.ts'

export const cartUpdate: Path = {
  name: 'cart-update',
  floor: 'statements',
  target: { per_s: 300, p95_ms: 60, sql: 8 },
  async lanes(shop, clients) {
    return lanesOf(await shop.buyers(clients), clients, ({ cart_id, headers }, at) => ({
      method: 'PUT',
      path: `/v1/storefront/carts/${cart_id}`,
      headers: json(headers),
      body: JSON.stringify({ product_items: shop.items(3, at) }),
    }))
  },
}
