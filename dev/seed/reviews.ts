// What visitors think of the demo store's goods: stars of many, reviews of some, one of them a buyer's, and an answer.
import { client } from '../../client/client.ts'
import type { Call } from './call.ts'

type Opinion = [product: string, stars: 1 | 2 | 3 | 4 | 5, text?: string]

const people: { name: string; buys?: string; opinions: Opinion[] }[] = [
  {
    ...{ name: 'olga', buys: 'oak-stool' },
    opinions: [
      ['oak-stool', 5, 'It has stood beside my stove for a year, and nothing moves. The dark one is next.'],
      ['stoneware-mug', 5],
      ['beeswax-candles', 5, 'The whole room smells of honey, and they do not drip.'],
    ],
  },
  {
    name: 'milo',
    opinions: [
      ['oak-stool', 4, 'Lovely wood. I would have liked it two centimetres higher.'],
      ['tea-towel', 5, 'Dries glasses without a trace.'],
      ['enamel-lamp', 5, 'Exactly the light that a kitchen needs.'],
    ],
  },
  {
    name: 'june',
    opinions: [
      ['wool-blanket', 5, 'Heavy, warm, and it does not scratch.'],
      ['stoneware-mug', 4, 'A good size for coffee. The handle fits three fingers.'],
      ['shampoo', 4],
      ['potted-laurel', 3, 'It came with two broken leaves, but it grows.'],
    ],
  },
  {
    name: 'theo',
    opinions: [
      ['serving-board', 5, 'I have cut on it every day. Oil it, and it looks new.'],
      ['tea-towel', 4],
      ['oak-stool', 5],
      ['wool-blanket', 4],
    ],
  },
]
const answer = { to: 'potted-laurel', text: 'Write to us with a picture, and we send you another one.' }

/**
 * Keeps existing records: an earlier start may have been interrupted. Its visitors are gone, so reactions that exist
 * are not sent again.
 */
export async function review(call: Call, storeId: string, o: { api: string; publishable_key: string }): Promise<void> {
  const path = { storeId }
  const known = await call('GET /v1/stores/{storeId}/reactions', { path, query: { limit: 1 } })
  if (known.items.length > 0) return
  const { items: products } = await call('GET /v1/stores/{storeId}/products', { path, query: { limit: 100 } })
  const targetOf = (key: string) => {
    const product = products.find((one) => one.key === key)
    if (!product) throw new Error(`The demo store has no ${key}.`)
    return { product, target: { type: 'product' as const, id: product.id } }
  }
  const said = (value: string) => [{ key: 'text', type: 'text', value }]

  await Promise.all(
    people.map(async ({ name, buys, opinions }) => {
      const visitor = client({ base: o.api, publishableKey: o.publishable_key })
      await visitor('POST /v1/storefront/account/identify', { body: { email: `${name}@tillwright.test` } })
      if (buys) {
        const { product } = targetOf(buys)
        const { id } = await visitor('POST /v1/storefront/carts/current')
        const [location] = await visitor('GET /v1/storefront/locations')
        await visitor('PUT /v1/storefront/carts/{id}', {
          path: { id },
          body: {
            product_items: [{ product_id: product.id, variant_id: product.variants[0]?.id ?? '', quantity: 1 }],
            ...(location ? { pickup_location_id: location.id } : {}),
          },
        })
        const { order_id } = await visitor('POST /v1/storefront/carts/{id}/checkout', {
          path: { id },
          body: { payment_method_key: 'cash' },
        })
        const order = { ...path, id: order_id }
        const { version, status } = await call('GET /v1/stores/{storeId}/orders/{id}', { path: order })
        if (status === 'pending')
          await call('PUT /v1/stores/{storeId}/orders/{id}', { path: order, body: { version, confirm: true } })
      }
      for (const [key, stars, text] of opinions) {
        const { target } = targetOf(key)
        await visitor('POST /v1/storefront/reactions', { body: { target, kind: `star_${stars}` } })
        if (text)
          await visitor('POST /v1/storefront/reactions', { body: { target, kind: 'review', blocks: said(text) } })
      }
    }),
  )
  const { target } = targetOf(answer.to)
  const { items: reviews } = await call('GET /v1/stores/{storeId}/reactions', {
    path,
    query: { target_id: target.id, kind: 'review' },
  })
  if (reviews[0])
    await call('POST /v1/stores/{storeId}/reactions', {
      path,
      body: { target, kind: 'comment', parent_id: reviews[0].id, blocks: said(answer.text) },
    })
}
