// What people think of the demo business's pomade: likes and stars, two reviews of which one is a buyer's, a thread
// with an answer of the business, and a comment with a link, which waits for its moderator.
import { client } from '../../client/client.ts'
import type { Call } from './call.ts'

export const reactedKey = 'pomade'

/**
 * Keeps existing records: an earlier start may have been interrupted. Its visitors are gone, so reactions that exist
 * are not sent again.
 */
export async function praise(call: Call, businessId: string, { api }: { api: string }): Promise<void> {
  const path = { businessId }
  const { publishableKey } = await call('GET /v1/businesses/{businessId}', { path })
  const { items } = await call('GET /v1/businesses/{businessId}/products', { path, query: { query: reactedKey } })
  const product =
    items.find(({ key }) => key === reactedKey) ??
    (await call('POST /v1/businesses/{businessId}/products', {
      path,
      body: {
        key: reactedKey,
        slug: { en: reactedKey },
        blocks: [{ key: 'name', type: 'text', value: 'Pomade' }],
        variants: [{ prices: [{ market: 'us', amount: 1800 }], requiresShipping: false }],
      },
    }))
  const target = { type: 'product' as const, id: product.id }
  const found = await call('GET /v1/businesses/{businessId}/reactions/admin', {
    path,
    query: { targetType: target.type, targetId: target.id, limit: 1 },
  })
  if (found.items.length > 0) return

  const [buyer, reader, passer] = Array.from({ length: 3 }, () => client({ base: api, publishableKey }))
  if (!buyer || !reader || !passer) return
  const variant = product.variants[0]
  if (!variant) throw new Error('The pomade has no variant.')
  await buyer('POST /v1/storefront/account/identify', { body: { email: 'ruth@tillwright.test' } })
  const cart = await buyer('POST /v1/storefront/carts/current')
  await buyer('PUT /v1/storefront/carts/{id}', {
    path: { id: cart.id },
    body: { product_items: [{ product_id: product.id, variant_id: variant.id, quantity: 1 }] },
  })
  const { order_id } = await buyer('POST /v1/storefront/carts/{id}/checkout', {
    path: { id: cart.id },
    body: { payment_method_key: 'cash' },
  })
  const order = { ...path, id: order_id }
  const { version, status } = await call('GET /v1/businesses/{businessId}/orders/{id}', { path: order })
  if (status === 'pending')
    await call('PUT /v1/businesses/{businessId}/orders/{id}', { path: order, body: { version, confirm: true } })

  const react = (by: Call, kind: string, text?: string, parentId?: string) =>
    by('POST /v1/businesses/{businessId}/reactions', {
      path,
      body: {
        target,
        kind,
        ...(text ? { blocks: [{ key: 'text', type: 'text', value: text }] } : {}),
        ...(parentId ? { parentId } : {}),
      },
    })
  await react(buyer, 'star_5')
  await react(buyer, 'review', 'It holds all day, and one tin lasts for months.')
  await react(reader, 'star_4')
  await react(reader, 'review', 'It smells of cedar. I would like a smaller tin.')
  const question = await react(reader, 'comment', 'Does it wash out with cold water?')
  await react(call, 'comment', 'With warm water and a little soap it does.', question.id)
  await react(buyer, 'like', undefined, question.id)
  await react(passer, 'like')
  await react(passer, 'comment', 'Cheaper at https://pomade.example')
}
