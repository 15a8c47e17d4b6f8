// Reactions over HTTP: who may send what, what is answered, and who sees it.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Answer, database, http, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newBusiness()
})
afterAll(async () => database().end())

async function newBusiness(settings: object = {}): Promise<Shop> {
  const made = await newShop({ settings })
  await database().query("update tenants set kind = 'business' where id = $1", [made.store_id])
  return made
}

type Person = { headers: Record<string, string> }
const operatorOf = ({ op }: Shop): Person => ({ headers: op.headers })
const path = (rest = '', of = shop) => `/v1/businesses/${of.store_id}/reactions${rest}`
const keyOf = async (of: Shop): Promise<string> =>
  (await database().query('select publishable_key from tenants where id = $1', [of.store_id])).rows[0].publishable_key
async function visitor(of = shop): Promise<Person> {
  const key = { 'x-service-publishable-key': await keyOf(of) }
  const { body } = await http('POST', '/v1/storefront/account/identify', { headers: key, body: {} })
  return { headers: { ...key, 'x-service-visitor-token': body.visitor_token } }
}
async function newProduct(of = shop): Promise<string> {
  const { rows } = await database().query(
    `insert into products (id, created_at, updated_at, tenant_id, key, slug, blocks, taxonomies, status) values (gen_random_uuid(), 1, 1, $1, gen_random_uuid()::text, '{}', '[]', '[]', 'active') returning id`,
    [of.store_id],
  )
  return rows[0].id
}
const react = ({ headers }: Person, id: string, kind: string, more: object = {}, of = shop): Promise<Answer> =>
  http('POST', path('', of), { headers, body: { target: { type: 'product', id }, kind, ...more } })
const saying = (value: string) => ({ blocks: [{ key: 'text', type: 'text', value }] })
const summary = async ({ headers }: Person, id: string): Promise<Answer['body']> =>
  (await http('GET', path(`/summary?targetType=product&targetId=${id}`), { headers })).body
const list = async ({ headers }: Person, query: string): Promise<Answer['body'][]> => (await http('GET', path(`?${query}`), { headers })).body.items

test('A like is counted once, and sent again it is the same one', async () => {
  const [ann, id] = [await visitor(), await newProduct()]
  const first = await react(ann, id, 'like')
  const again = await react(ann, id, 'like')
  expect([first.status, again.status, again.body]).toEqual([201, 200, first.body])
  expect(first.body).toMatchObject({
    businessId: shop.store_id,
    target: { type: 'product', id },
    kind: 'like',
    status: 'published',
    depth: 0,
    customerInfo: { verified: false },
  })
  expect(await summary(ann, id)).toEqual({
    ...{ targetType: 'product', targetId: id, parentId: null, counts: { like: 1 }, stars: { average: null, count: 0 } },
    own: [{ id: first.body.id, kind: 'like', status: 'published' }],
  })
})

test('Other stars of a person replace theirs, and the average is exact', async () => {
  const [ann, bob, id] = [await visitor(), await visitor(), await newProduct()]
  const first = await react(ann, id, 'star_2')
  const changed = await react(ann, id, 'star_5')
  const same = await react(ann, id, 'star_5')
  expect([first.status, changed.status, same.status, same.body.id === changed.body.id, first.body.id === changed.body.id]).toEqual([201, 201, 200, true, false])
  await react(bob, id, 'star_2')
  expect(await summary(bob, id)).toMatchObject({ counts: { star_2: 1, star_5: 1 }, stars: { average: 3.5, count: 2 } })
})

test('A comment with a link of a visitor waits for a moderator, and only its author sees it', async () => {
  const [ann, bob, id] = [await visitor(), await visitor(), await newProduct()]
  const pending = await react(ann, id, 'comment', saying('See https://example.com'))
  const plain = await react(ann, id, 'comment', saying('Fine tea'))
  expect([pending.status, pending.body.status, plain.body.status]).toEqual([201, 'pending', 'published'])
  const [own, theirs] = [await list(ann, `targetId=${id}&contentOnly=true`), await list(bob, `targetId=${id}`)]
  expect([own.length, theirs.map((one) => one.id)]).toEqual([2, [plain.body.id]])
  expect((await list(bob, `targetId=${id}&query=fine`)).length).toBe(1)
  expect((await http('GET', path(`/${pending.body.id}`), { headers: bob.headers })).status).toBe(404)
  expect((await http('GET', path(`/${pending.body.id}`), { headers: operatorOf(shop).headers })).status).toBe(200)
  expect((await summary(bob, id)).counts).toEqual({ comment: 1 })
})
