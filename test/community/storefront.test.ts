// Reactions of a store: visitors send them through the storefront, operators of the store answer and moderate.
import { beforeAll, expect, test } from '@jest/globals'
import { newShop, type Shop, type Visitor } from '../kit/shop.ts'

let shop: Shop
let [ann, ben]: Visitor[] = []
let target: { type: string; id: string }
beforeAll(async () => {
  shop = await newShop()
  ann = await shop.visitor()
  ben = await shop.visitor()
  target = { type: 'product', id: (await shop.asOperator('POST', '/products', { key: 'stool' })).body.id }
})

const text = (value: string) => ({ blocks: [{ key: 'text', type: 'text', value }] })
const react = (by: Visitor | undefined, kind: string, more: object = {}) =>
  (by as Visitor).call('POST', '/reactions', { target, kind, ...more })
const seen = async (query = '') =>
  (await shop.asVisitor('GET', `/reactions?target_type=product&target_id=${target.id}${query}`)).body.items

test('Visitors rate and review a product of a store, and everyone reads it', async () => {
  expect((await react(ann, 'star_5')).status).toBe(201)
  const review = await react(ann, 'review', text('It carries me.'))
  expect([review.status, review.body]).toMatchObject([201, { store_id: shop.store_id, kind: 'review', stars: 5 }])
  expect(review.body).not.toHaveProperty('business_id')
  expect(await react(ann, 'review', text('It still does.'))).toMatchObject({
    status: 409,
    body: { code: 'already_reviewed', reaction_id: review.body.id },
  })
  const summary = await shop.asVisitor('GET', `/reactions/summary?target_type=product&target_id=${target.id}`)
  expect(summary.body).toMatchObject({ counts: { star_5: 1, review: 1 }, stars: { average: 5, count: 1 }, own: [] })
  expect((await seen('&kind=review')).map(({ id }: { id: string }) => id)).toEqual([review.body.id])
})

test('A visitor without a token becomes one by a reaction', async () => {
  const { status, headers } = await shop.asVisitor('POST', '/reactions', { target, kind: 'like' })
  const token = headers.get('x-service-visitor-token') ?? ''
  expect([status, token]).toEqual([201, expect.stringMatching(/^till_vt_/)])
  const summary = `/reactions/summary?target_type=product&target_id=${target.id}`
  expect((await shop.asVisitor('GET', summary, undefined, token)).body.own).toMatchObject([{ kind: 'like' }])
})

test('An author edits and deletes their reaction, and no other visitor does', async () => {
  const { id } = (await react(ben, 'comment', text('Is it oiled?'))).body
  const path = `/reactions/${id}`
  expect((await ann?.call('PUT', path, text('Mine')))?.body.code).toBe('forbidden')
  expect((await ann?.call('DELETE', path))?.body.code).toBe('forbidden')
  expect((await ben?.call('PUT', path, text('Is it waxed?')))?.body.blocks[0].value).toBe('Is it waxed?')
  expect((await ben?.call('DELETE', path))?.body).toEqual({ success: true })
  expect((await ben?.call('GET', path))?.status).toBe(404)
})

test('An operator answers for the store, moderates, and rates nothing', async () => {
  const { id } = (await react(ben, 'comment', text('Cheaper at https://stools.example'))).body
  expect((await seen('&kind=comment')).length).toBe(0)
  const waiting = await shop.asOperator('GET', '/reactions?status=pending')
  expect(waiting.body.items.map((one: { id: string }) => one.id)).toEqual([id])
  const moderated = await shop.asOperator('POST', `/reactions/${id}/moderate`, { status: 'published', note: 'Fine.' })
  expect(moderated.body).toMatchObject({ status: 'published', note: 'Fine.' })
  const answer = await shop.asOperator('POST', '/reactions', {
    ...{ target, kind: 'comment', parent_id: id },
    ...text('And not of oak.'),
  })
  expect([answer.status, answer.body]).toMatchObject([201, { official: true, depth: 1, customer_info: null }])
  const better = await shop.asOperator('PUT', `/reactions/${answer.body.id}`, text('And not of solid oak.'))
  expect(better.body.blocks[0].value).toBe('And not of solid oak.')
  expect((await shop.asOperator('GET', `/reactions/${id}`)).body).toMatchObject({ reply_count: 1, note: 'Fine.' })
  expect((await seen(`&parent_id=${id}`)).map((one: { note?: string }) => one.note ?? null)).toEqual([null])
  const rated = await shop.asOperator('POST', '/reactions', { target, kind: 'star_5' })
  expect([rated.status, rated.body.code]).toEqual([403, 'customers_only'])
  expect((await shop.asOperator('DELETE', `/reactions/${id}`)).body).toEqual({ success: true })
})

test('What was said of a deleted product of a store is gone with it', async () => {
  const { id } = (await shop.asOperator('POST', '/products', { key: 'stump' })).body
  const said = await ann?.call('POST', '/reactions', { target: { type: 'product', id }, kind: 'love' })
  await shop.asOperator('DELETE', `/products/${id}`)
  expect((await ann?.call('GET', `/reactions/${said?.body.id}`))?.status).toBe(404)
})

test('Reactions of another store are not found', async () => {
  const other = await newShop()
  const [{ id }] = await seen('&kind=review')
  expect((await other.asVisitor('GET', `/reactions/${id}`)).status).toBe(404)
  expect((await other.asOperator('POST', `/reactions/${id}/moderate`, { status: 'hidden' })).status).toBe(404)
  const stranger = await other.visitor()
  expect((await stranger.call('POST', '/reactions', { target, kind: 'like' })).status).toBe(404)
})
