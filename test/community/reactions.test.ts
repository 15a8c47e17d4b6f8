// Reactions over HTTP: who may send what, what is answered, and who sees it.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { proveWith } from '../kit/codes.ts'
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
const said = ({ status, body }: Answer) => [status, body.code]
const saying = (value: string) => ({ blocks: [{ key: 'text', type: 'text', value }] })
const summary = async ({ headers }: Person, id: string): Promise<Answer['body']> =>
  (await http('GET', path(`/summary?targetType=product&targetId=${id}`), { headers })).body
const list = async ({ headers }: Person, query: string): Promise<Answer['body'][]> =>
  (await http('GET', path(`?${query}`), { headers })).body.items

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
  expect([
    first.status,
    changed.status,
    same.status,
    same.body.id === changed.body.id,
    first.body.id === changed.body.id,
  ]).toEqual([201, 201, 200, true, false])
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

test('An author changes content in time, and nothing else of it', async () => {
  const [ann, bob, id] = [await visitor(), await visitor(), await newProduct()]
  const { body: made } = await react(ann, id, 'comment', saying('Good'))
  const put = (who: Person, body: object) => http('PUT', path(`/${made.id}`), { headers: who.headers, body })
  const changed = await put(ann, { ...saying('Better'), kind: 'comment', target: { type: 'product', id } })
  expect([changed.status, changed.body.blocks[0].value, changed.body.editedAt]).toEqual([
    200,
    'Better',
    expect.any(Number),
  ])
  expect(said(await put(bob, saying('Worse')))).toEqual([403, 'forbidden'])
  expect(said(await put(ann, { ...saying('x'), kind: 'review' }))).toEqual([422, 'cannot_change'])
  expect(said(await put(ann, { ...saying('x'), parentId: made.id }))).toEqual([422, 'cannot_change'])
  await database().query('update reactions set created_at = created_at - 900 where id = $1', [made.id])
  expect(said(await put(ann, saying('Late')))).toEqual([403, 'edit_window_closed'])
  await expect(database().query("update reactions set kind = 'note' where id = $1", [made.id])).rejects.toThrow(
    'reactions_subject',
  )
  await expect(database().query('update reactions set target_id = id where id = $1', [made.id])).rejects.toThrow(
    'reactions_',
  )
  const { body: like } = await react(ann, id, 'like')
  expect(said(await http('PUT', path(`/${like.id}`), { headers: ann.headers, body: saying('x') }))).toEqual([
    409,
    'mark_not_editable',
  ])
})

test('A moderator moves a reaction between all states, and its counter follows', async () => {
  const [ann, id] = [await visitor(), await newProduct()]
  const { body: made } = await react(ann, id, 'review', saying('Fine'))
  const moderate = (status: string) =>
    http('POST', path(`/${made.id}/moderate`), { headers: operatorOf(shop).headers, body: { status } })
  const states = ['pending', 'published', 'hidden', 'removed']
  for (const from of states)
    for (const to of states) {
      await moderate(from)
      const answers = [await moderate(to), await moderate(to)]
      expect(answers.map(({ status, body }) => [status, body.status])).toEqual([
        [200, to],
        [200, to],
      ])
      expect((await summary(ann, id)).counts).toEqual(to === 'published' ? { review: 1 } : {})
      expect((await http('GET', path(`/${made.id}`), { headers: ann.headers })).status).toBe(
        to === 'published' || to === 'pending' ? 200 : 404,
      )
    }
  expect(said(await react(ann, id, 'review', saying('Again')))).toEqual([409, 'reaction_removed'])
})

test('Replies are five deep, counted at their parent, and unseen below what is hidden', async () => {
  const [ann, bob, id] = [await visitor(), await visitor(), await newProduct()]
  const thread: string[] = []
  for (let depth = 0; depth <= 5; depth++) {
    const { body } = await react(ann, id, 'comment', {
      ...saying(`Level ${depth}`),
      ...(depth > 0 ? { parentId: thread[depth - 1] } : {}),
    })
    expect([body.depth, body.status]).toEqual([depth, 'published'])
    thread.push(body.id)
  }
  expect(said(await react(ann, id, 'comment', { ...saying('Deeper'), parentId: thread[5] }))).toEqual([422, 'too_deep'])
  expect((await react(bob, id, 'like', { parentId: thread[5] })).status).toBe(201)
  expect(said(await react(bob, await newProduct(), 'like', { parentId: thread[5] }))).toEqual([422, 'parent_mismatch'])
  const [root] = await list(bob, `targetId=${id}&parentId=null`)
  expect([root.id, root.replyCount, root.counts]).toEqual([thread[0], 1, { comment: 1 }])
  await http('POST', path(`/${thread[1]}/moderate`), { headers: operatorOf(shop).headers, body: { status: 'hidden' } })
  expect((await list(bob, `targetId=${id}`)).map((one) => one.id)).toEqual([thread[0]])
  expect((await http('GET', path(`/${thread[4]}`), { headers: bob.headers })).status).toBe(404)
  expect(
    said(
      await http('GET', path(`/summary?targetType=product&targetId=${id}&parentId=${thread[4]}`), {
        headers: bob.headers,
      }),
    ),
  ).toEqual([404, 'not_found'])
  expect(said(await react(bob, id, 'wow', { parentId: thread[4] }))).toEqual([404, 'not_found'])
})

test('A deleted mark is no longer counted, and content with replies stays empty', async () => {
  const [ann, bob, id] = [await visitor(), await visitor(), await newProduct()]
  const remove = (who: Person, reaction: string) => http('DELETE', path(`/${reaction}`), { headers: who.headers })
  const { body: like } = await react(ann, id, 'like')
  expect([
    said(await remove(bob, like.id)),
    (await remove(ann, like.id)).status,
    (await summary(ann, id)).counts,
  ]).toEqual([[403, 'forbidden'], 200, {}])
  const { body: root } = await react(ann, id, 'comment', saying('Question'))
  const { body: reply } = await react(bob, id, 'comment', { ...saying('Answer'), parentId: root.id })
  expect((await remove(ann, root.id)).status).toBe(200)
  const left = (await http('GET', path(`/${root.id}`), { headers: bob.headers })).body
  expect(left).toMatchObject({ status: 'removed', blocks: [], customerInfo: null, replyCount: 1 })
  expect((await summary(bob, id)).counts).toEqual({})
  expect((await list(bob, `targetId=${id}`)).map((one) => one.id)).toEqual([reply.id, root.id])
  expect((await remove(bob, reply.id)).status).toBe(200)
  expect(await list(bob, `targetId=${id}`)).toEqual([])
})

test('Marks have no content, content has no references, and stars are for customers and targets', async () => {
  const [ann, id] = [await visitor(), await newProduct()]
  const reference = { blocks: [{ key: 'p', type: 'product', value: id, properties: { on_delete: 'restrict' } }] }
  expect(said(await react(ann, id, 'like', saying('x')))).toEqual([422, 'content_not_allowed'])
  expect(said(await react(ann, id, 'review'))).toEqual([422, 'content_required'])
  expect(said(await react(ann, id, 'comment', reference))).toEqual([422, 'reference_not_allowed'])
  expect(said(await react(operatorOf(shop), id, 'star_5'))).toEqual([403, 'customers_only'])
  expect(said(await react(ann, crypto.randomUUID(), 'like'))).toEqual([404, 'not_found'])
  const { body: comment } = await react(operatorOf(shop), id, 'comment', saying('See https://example.com'))
  expect([comment.official, comment.customerInfo, comment.status]).toEqual([true, null, 'published'])
  expect(said(await react(ann, id, 'star_3', { parentId: comment.id }))).toEqual([422, 'parent_mismatch'])
  const first = await react(ann, id, 'review', saying('Once'))
  const second = await react(ann, id, 'review', saying('Twice'))
  expect([second.status, second.body.code, second.body.reactionId]).toEqual([409, 'already_reviewed', first.body.id])
})

test('A deleted product takes its reactions along', async () => {
  const [ann, id] = [await visitor(), await newProduct()]
  const { body: made } = await react(ann, id, 'comment', saying('Gone soon'))
  await react(ann, id, 'star_4')
  expect(
    (await http('DELETE', `/v1/businesses/${shop.store_id}/products/${id}`, { headers: operatorOf(shop).headers }))
      .status,
  ).toBe(200)
  expect((await http('GET', path(`/${made.id}`), { headers: operatorOf(shop).headers })).status).toBe(404)
  expect([await list(ann, `targetId=${id}`), said(await react(ann, id, 'like'))]).toEqual([[], [404, 'not_found']])
  const { rows } = await database().query(
    'select (select count(*) from reaction_counts where target_id = $1) + (select count(*) from ratings where target_id = $1) as left',
    [id],
  )
  expect(Number(rows[0].left)).toBe(0)
})

test('Settings decide who may react, and what waits', async () => {
  const strict = await newBusiness({ reactions: { anonymous: 'none', moderation: 'all' } })
  const marksOnly = await newBusiness({ reactions: { anonymous: 'marks', reviewers: 'buyers' } })
  const [eve, bob] = [await visitor(strict), await visitor(marksOnly)]
  const [at, other] = [await newProduct(strict), await newProduct(marksOnly)]
  expect(said(await react(eve, at, 'like', {}, strict))).toEqual([403, 'sign_in_required'])
  expect(said(await react(bob, other, 'comment', saying('x'), marksOnly))).toEqual([403, 'sign_in_required'])
  expect((await react(bob, other, 'like', {}, marksOnly)).status).toBe(201)
  expect(said(await react(bob, other, 'star_5', {}, marksOnly))).toEqual([403, 'purchase_required'])
  const bad = await http('PUT', `/v1/businesses/${shop.store_id}`, {
    headers: operatorOf(shop).headers,
    body: { settings: { reactions: { anonymous: 'some' } } },
  })
  expect(bad.status).toBe(422)
})

test('Two contacts that become one have each reaction once', async () => {
  const [ann, bob, id, other] = [await visitor(), await visitor(), await newProduct(), await newProduct()]
  for (const who of [ann, bob]) {
    for (const kind of ['like', 'star_2']) await react(who, id, kind)
    await react(who, id, 'review', saying('Mine'))
  }
  const { body: review } = await react(bob, other, 'comment', saying('Only his'))
  const contactOf = async ({ headers }: Person) =>
    (await http('GET', '/v1/storefront/account/me', { headers })).body.contact.id
  for (const { headers } of [ann, bob]) await proveWith(headers)
  const [target, source] = [await contactOf(ann), await contactOf(bob)]
  await database().query("update tenants set kind = 'store' where id = $1", [shop.store_id])
  const merged = await shop.asOperator('POST', `/contacts/${target}/merge`, { source_contact_id: source })
  await database().query("update tenants set kind = 'business' where id = $1", [shop.store_id])
  expect(merged.status).toBe(200)
  expect(await summary(ann, id)).toMatchObject({
    counts: { like: 1, star_2: 1, review: 1 },
    stars: { average: 2, count: 1 },
  })
  expect((await http('GET', path(`/${review.id}`), { headers: ann.headers })).body.customerInfo.id).toBe(target)
})
