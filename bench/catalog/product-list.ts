// A page of 20 products of the storefront, newest first. It must cost the same in a store of 100,000.
import type { Path } from '../kit/path.ts'
import { fill, newStore } from '../kit/shop.ts'

const ask = (key: string) => ({
  method: 'GET' as const,
  path: '/v1/storefront/products?limit=20',
  headers: { 'x-service-publishable-key': key },
})

export const productList: Path = {
  name: 'product-list',
  floor: 'statements',
  target: { per_s: 300 },
  lanes: async ({ key }, clients) => Array.from({ length: clients }, () => [ask(key)]),
}

let largeKey: Promise<string> | undefined

export const productListLarge: Path = {
  name: 'product-list-100000',
  floor: 'statements',
  target: { per_s: 300, like: 'product-list' },
  async lanes(shop, clients) {
    largeKey ??= (async () => {
      const made = await newStore(shop, 'large')
      await fill(shop.db, made.id, 100_000)
      return made.publishable_key
    })()
    const key = await largeKey
    return Array.from({ length: clients }, () => [ask(key)])
  },
}
