// Reactions follow their person through sign-ins and merges: what both had is one, the older one, and the counters say
// so.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { prove } from '../kit/codes.ts'
import { createdOf, differences, type Forum, newForum, refused, rowsAt, said } from '../kit/reactions.ts'
import { database, newEmail, newShop, type Shop } from '../kit/shop.ts'

jest.setTimeout(120_000)

let shop: Shop
let forum: Forum
const become = (kind: 'store' | 'business') =>
  database().query('update tenants set kind = $2 where id = $1', [shop.store_id, kind])
beforeAll(async () => {
  shop = await newShop()
  await become('business')
  forum = await newForum({ id: shop.store_id, publishable_key: shop.publishable_key, op: shop.op })
})
afterAll(async () => {
  expect(await differences(shop.store_id)).toEqual([])
  await database().end()
})

test('A visitor who signs in on a second device finds the reactions of both, each counted once', async () => {
  const [target, email] = [await forum.product(), newEmail()]
  const [phone, laptop] = [await shop.visitor(), await shop.visitor()]
  const older = await createdOf(forum.react(phone, target, 'like'))
  await createdOf(forum.react(laptop, target, 'like'))
  const star = await createdOf(forum.react(laptop, target, 'star_2'))
  await createdOf(forum.react(phone, target, 'love'))
  const comment = await forum.comment(laptop, target)
  expect((await forum.summary(target)).body.counts).toEqual({ like: 2, love: 1, star_2: 1, comment: 1 })
  expect((await prove(phone, email)).status).toBe(200)
  const proof = await prove(laptop, email, 2)
  const both = {
    ...laptop,
    headers: { ...laptop.headers, 'x-service-visitor-token': proof.body.visitor_token ?? laptop.token },
  }
  for (const device of [phone, both]) {
    const { counts, own, stars } = (await forum.summary(target, device)).body
    expect(counts).toEqual({ like: 1, love: 1, star_2: 1, comment: 1 })
    expect(stars).toEqual({ average: 2, count: 1 })
    expect(own.map(({ kind }: { kind: string }) => kind).sort()).toEqual(
      expect.arrayContaining(['like', 'love', 'star_2']),
    )
    expect(own.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining([older.id, star.id]))
  }
  const edited = await forum.as(phone, 'PUT', `/reactions/${comment.id}`, said('Changed on the other device.'))
  expect([edited.status, edited.body.customerInfo.verified]).toEqual([200, true])
})

test('A merge moves reactions, and of two in one slot the older one stays', async () => {
  const target = await forum.product()
  const [ann, ben] = [await shop.visitor(), await shop.visitor()]
  await createdOf(forum.react(ann, target, 'star_5'))
  await createdOf(forum.react(ben, target, 'star_1'))
  const first = await createdOf(forum.react(ben, target, 'review', said('The first review.')))
  await createdOf(forum.react(ann, target, 'review', said('The second review.')))
  await database().query('update reactions set created_at = created_at - 100 where target_id = $1 and author_id = $2', [
    target.id,
    ben.contact_id,
  ])
  for (const who of [ann, ben])
    await createdOf(forum.react(who, target, 'comment', { ...said('The same words.'), parentId: first.id }))
  for (const who of [ann, ben]) await prove(who, newEmail())
  await become('store')
  const merged = await shop.asOperator('POST', `/contacts/${ann.contact_id}/merge`, {
    source_contact_id: ben.contact_id,
  })
  await become('business')
  expect(merged.status).toBe(200)
  const { counts, stars } = (await forum.summary(target)).body
  expect([stars, counts.review]).toEqual([{ average: 1, count: 1 }, 1])
  const rows = await rowsAt(target, 'published')
  expect(new Set(rows.map(({ author_id }) => author_id))).toEqual(new Set([ann.contact_id]))
  expect(rows.filter(({ kind }) => kind === 'review').map(({ id }) => id)).toEqual([first.id])
  expect(refused(await forum.react(ben, target, 'review', said('Once more.')))).toEqual([409, 'already_reviewed'])
  expect((await forum.as(ann, 'GET', `/reactions/${first.id}`)).body.customerInfo.id).toBe(ann.contact_id)
})
