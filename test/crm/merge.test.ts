// A merge loses nothing and leaves nothing behind, beside any requests of visitors and other operators at the same
// moment through another process.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { releaseCheckout } from '../../entities/orders/release.ts'
import { contactColumns } from '../../entities/tables.ts'
import { codeFor, prove } from '../kit/codes.ts'
import { made } from '../kit/content/content.ts'
import { term } from '../kit/content/taxonomies.ts'
import { columnsLikeContacts, rowsNaming } from '../kit/database/contact-names.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { atOnce, cash, type Item, product } from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, newEmail, newShop, type Shop, type Visitor } from '../kit/shop.ts'

jest.setTimeout(60_000)

let orm: Orm
beforeAll(async () => {
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })
})
afterAll(async () => {
  await orm.close(true)
  await database().end()
})

const newContact = (shop: Shop, body: object = {}) =>
  made(shop.asOperator('POST', '/contacts', { email: newEmail(), ...body }))
const merge = (shop: Shop, target: string, source: string) =>
  shop.asOperator('POST', `/contacts/${target}/merge`, { source_contact_id: source }, eitherApi())
const exists = async (shop: Shop, id: string) => (await shop.asOperator('GET', `/contacts/${id}`)).status === 200
const codeOf = ({ status, body }: Answer) => body.code ?? status

async function filled(visitor: Visitor, item: Item): Promise<string> {
  const { id } = (await visitor.call('POST', '/carts/current', {}, eitherApi())).body
  await made(visitor.call('PUT', `/carts/${id}`, { product_items: [item] }, eitherApi()))
  return id
}
const checkOut = (visitor: Visitor, cart: string) => visitor.call('POST', `/carts/${cart}/checkout`, cash, eitherApi())
const submit = (visitor: Visitor) => visitor.call('POST', '/forms/contact/submissions', { fields: [] }, eitherApi())
/** Requests a code without using it. */
async function proofOf(visitor: Visitor, email: string, count = 1): Promise<{ challenge_id: string; code: string }> {
  const { challenge_id } = (await visitor.call('POST', '/account/code', { email })).body
  return { challenge_id, code: await codeFor(email, count) }
}

const namesOf = (id: string) => rowsNaming([id])
/** The ids of the contact's rows in a table. */
const rowsOf = async (table: string, contact: string): Promise<string[]> =>
  (await database().query(`select id from ${table} where contact_id = $1 order by id`, [contact])).rows.map(
    ({ id }) => id,
  )

async function shopWith(): Promise<{ shop: Shop; item: Item }> {
  const shop = await newShop()
  const { item } = await product(shop, { requires_shipping: false })
  await database().query("update forms set schema = '[]' where tenant_id = $1", [shop.store_id])
  return { shop, item: item(1) }
}

test('Every column that names a contact declares what becomes of it when contacts are merged', async () => {
  const declared = contactColumns.map(({ table, column }) => `${table}.${column}`)
  expect(declared.toSorted()).toEqual((await columnsLikeContacts()).toSorted())
  // A row that moves together with another table needs a function there.
  const functions = contactColumns.flatMap((one) => ('by' in one && typeof one.by === 'function' ? [one.table] : []))
  const together = contactColumns.flatMap((one) => ('by' in one && typeof one.by === 'object' ? [one.by.table] : []))
  expect(together.filter((table) => !functions.includes(table))).toEqual([])
})

test('A merge moves all records, channels and terms, and ends sessions that prove nothing', async () => {
  const { shop, item } = await shopWith()
  const [visitor, home] = [await shop.visitor(newEmail('claimed')), await shop.visitor()]
  const ordered = (await made(checkOut(visitor, await filled(visitor, item)))).order_id
  const cart = await filled(visitor, item)
  const submission = (await made(submit(visitor))).id
  const empty = (await home.call('POST', '/carts/current', {})).body.id
  const [topic, other, child] = [await term(shop), await term(shop), await term(shop)]
  const [source, target] = [visitor.contact_id, home.contact_id]
  const file = (id: string, taxonomies: object[]) => made(shop.asOperator('PUT', `/contacts/${id}`, { taxonomies }))
  await file(source, [
    { taxonomy_id: topic.id, entry_ids: [child.id] },
    { taxonomy_id: other.id, entry_ids: [] },
  ])
  await file(target, [{ taxonomy_id: topic.id, entry_ids: [other.id] }])

  const merged = await merge(shop, target, source)
  expect([merged.status, merged.body]).toMatchObject([
    200,
    {
      id: target,
      email: expect.stringMatching(/^claimed/),
      taxonomies: [
        { taxonomy_id: topic.id, entry_ids: [other.id, child.id] },
        { taxonomy_id: other.id, entry_ids: [] },
      ],
    },
  ])
  expect(await namesOf(source)).toEqual([])
  expect(await exists(shop, source)).toBe(false)
  expect(await rowsOf('orders', target)).toEqual([ordered])
  expect(await rowsOf('form_submissions', target)).toEqual([submission])
  // Neither has proved an address: both sign in to the contact again.
  for (const one of [visitor, home])
    for (const path of ['/account/me', '/orders', `/carts/${cart}`])
      expect((await one.call('GET', path)).status).toBe(401)
  const owned = newEmail('owned')
  await made(shop.asOperator('PUT', `/contacts/${target}`, { email: owned }))
  const back = await shop.visitor()
  await prove(back, owned)
  expect((await back.call('POST', '/carts/current', {})).body.id).toBe(cart)
  expect((await back.call('GET', `/carts/${empty}`)).body.status).toBe('open')
  expect((await back.call('GET', `/orders/${ordered}`)).status).toBe(200)
  expect((await checkOut(back, cart)).status).toBe(200)
  const { rows } = await database().query('select entry_id from taxonomy_links where owner_id = $1 order by entry_id', [
    target,
  ])
  expect(rows.map(({ entry_id }) => entry_id)).toEqual([other.id, child.id, other.id].sort())
})

test('An address that both have stays once, owned and primary, with the stricter consent', async () => {
  const shop = await newShop()
  const email = newEmail()
  const claimant = await shop.visitor(email)
  const owner = await newContact(shop, { email })
  const channelOf = async (id: string) => (await shop.asOperator('GET', `/contacts/${id}/channels`)).body.items[0]
  const change = async (id: string, body: object) =>
    made(shop.asOperator('PUT', `/contacts/${id}/channels/${(await channelOf(id)).id}`, body))
  await change(owner.id, { consent: { status: 'withdrawn', source: 'letter' } })
  // A change holds for both channels of the address: only older ones differ.
  await database().query(
    "update contact_channels set consent_status = 'granted', consent_source = 'form', status = 'bounced' where contact_id = $1",
    [claimant.contact_id],
  )
  const phone = await made(
    shop.asOperator('POST', `/contacts/${owner.id}/channels`, { type: 'phone', address: '+49 30 901820' }),
  )
  expect((await merge(shop, claimant.contact_id, owner.id)).body).toMatchObject({ id: claimant.contact_id, email })
  const { items } = (await shop.asOperator('GET', `/contacts/${claimant.contact_id}/channels?sort_direction=asc`)).body
  expect(items).toHaveLength(2)
  expect(items).toContainEqual(
    expect.objectContaining({
      address: email,
      owned: true,
      status: 'bounced',
      consent: expect.objectContaining({ status: 'withdrawn', source: 'letter' }),
    }),
  )
  expect(items).toContainEqual(
    expect.objectContaining({ id: phone.id, is_primary: true, contact_id: claimant.contact_id }),
  )
  expect((await shop.asOperator('POST', '/contacts', { email })).body.id).toBe(claimant.contact_id)
})

test('The same merge is answered alike again, and another one of the source is 404', async () => {
  const shop = await newShop()
  const [source, target, third] = [await newContact(shop), await newContact(shop), await newContact(shop)]
  const answers = await atOnce(8, () => merge(shop, target.id, source.id))
  answers.push(await merge(shop, target.id, source.id))
  expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(200))
  for (const { body } of answers) expect(body).toEqual(answers[0]?.body)
  expect(codeOf(await merge(shop, third.id, source.id))).toBe('not_found')
})

test('A merge that is repeated after its target was merged returns the contact that has all', async () => {
  const shop = await newShop()
  const [first, second, third] = [await newContact(shop), await newContact(shop), await newContact(shop)]
  await merge(shop, second.id, first.id)
  await merge(shop, third.id, second.id)
  const again = await merge(shop, second.id, first.id)
  expect([again.status, again.body.id]).toEqual([200, third.id])
  expect(codeOf(await merge(shop, third.id, first.id))).toBe('not_found')
})

test('A merge with itself is 422, and one with a contact of another store is 404', async () => {
  const [shop, other] = [await newShop(), await newShop()]
  const [mine, theirs] = [await newContact(shop), await newContact(other)]
  expect(codeOf(await merge(shop, mine.id, mine.id.toUpperCase()))).toBe('same_contact')
  expect(codeOf(await merge(shop, mine.id, theirs.id))).toBe('not_found')
  expect(codeOf(await merge(shop, theirs.id, mine.id))).toBe('not_found')
  expect([await exists(shop, mine.id), await exists(other, theirs.id)]).toEqual([true, true])
})

test('Of two merges in opposite directions one wins, and nothing is lost', async () => {
  const { shop, item } = await shopWith()
  for (let round = 0; round < 6; round++) {
    const visitors = [await shop.visitor(newEmail()), await shop.visitor(newEmail())] as const
    const orders = []
    for (const visitor of visitors) orders.push((await made(checkOut(visitor, await filled(visitor, item)))).order_id)
    const [a, b] = visitors.map(({ contact_id }) => contact_id) as [string, string]
    const answers = await Promise.all([merge(shop, a, b), merge(shop, b, a)])
    expect(answers.map(codeOf).sort()).toEqual([200, 'not_found'])
    const [winner, gone] = answers[0]?.status === 200 ? [a, b] : [b, a]
    expect(await namesOf(gone)).toEqual([])
    expect(await rowsOf('orders', winner)).toEqual(orders.sort())
    expect((await rowsOf('contact_sessions', winner)).length).toBe(2)
  }
})

test('Concurrent merges of several contacts leave every order with one that exists', async () => {
  const { shop, item } = await shopWith()
  for (let round = 0; round < 3; round++) {
    const visitors = await atOnce(4, () => shop.visitor(newEmail()))
    await Promise.all(visitors.map(async (visitor) => made(checkOut(visitor, await filled(visitor, item)))))
    const ids = visitors.map(({ contact_id }) => contact_id)
    const pairs = ids.flatMap((target) =>
      ids.filter((source) => source !== target).map((source) => [target, source] as const),
    )
    const answers = await Promise.all(pairs.map(([target, source]) => merge(shop, target, source)))
    for (const answer of answers) expect([200, 'not_found']).toContain(codeOf(answer))
    const left = []
    for (const id of ids) if (await exists(shop, id)) left.push(id)
    for (const id of ids) if (!left.includes(id)) expect(await namesOf(id)).toEqual([])
    expect(left.length).toBe(4 - answers.filter(({ status }) => status === 200).length)
    expect((await Promise.all(left.map((id) => rowsOf('orders', id)))).flat()).toHaveLength(4)
  }
})

test('Carts, checkouts, submissions and sign-ins beside a merge succeed and reach the target', async () => {
  const { shop, item } = await shopWith()
  for (let round = 0; round < 6; round++) {
    const [sourceEmail, targetEmail] = [newEmail(), newEmail()]
    const [source, target] = [
      await newContact(shop, { email: sourceEmail }),
      await newContact(shop, { email: targetEmail }),
    ]
    const [buying, browsing, signingIn, atTarget] = await atOnce(4, () => shop.visitor())
    if (!buying || !browsing || !signingIn || !atTarget) throw new Error('no visitors')
    const join = async (visitor: Visitor, email: string, count: number) =>
      made(visitor.call('POST', '/account/verify', await proofOf(visitor, email, count)))
    await join(buying, sourceEmail, 1)
    await join(browsing, sourceEmail, 2)
    await join(atTarget, targetEmail, 1)
    const cart = await filled(buying, item)
    await filled(atTarget, item)
    await filled(signingIn, item)
    const proof = await proofOf(signingIn, sourceEmail, 3)
    const answers = await Promise.all([
      checkOut(buying, cart),
      merge(shop, target.id, source.id),
      browsing.call('POST', '/carts/current', {}, eitherApi()),
      submit(browsing),
      signingIn.call('POST', '/account/verify', proof, eitherApi()),
      atTarget.call('POST', '/carts/current', {}, eitherApi()),
      browsing.call('POST', '/account/identify', { email: newEmail('claimed') }, eitherApi()),
      shop.asOperator('POST', `/contacts/${target.id}/channels`, { type: 'email', address: newEmail() }, eitherApi()),
    ])
    expect(answers.map(codeOf)).toEqual([200, 200, 200, 201, 200, 200, 200, 201])
    expect(await namesOf(source.id)).toEqual([])
    expect(await rowsOf('orders', target.id)).toEqual([answers[0].body.order_id])
    expect(await rowsOf('form_submissions', target.id)).toHaveLength(1)
    for (const visitor of [buying, browsing, signingIn, atTarget])
      expect((await visitor.call('GET', '/account/me')).body.contact.id).toBe(target.id)
  }
})

test('The cart of a failed checkout reaches the target of a merge at the same moment', async () => {
  const { shop, item } = await shopWith()
  const [visitor, home] = [await shop.visitor(), await shop.visitor()]
  const { order_id } = await made(checkOut(visitor, await filled(visitor, item)))
  // As an unpaid card's, whose hold is over.
  await database().query('update orders set hold_until = now() where id = $1', [order_id])
  const other = await database().connect()
  try {
    await other.query('begin')
    await other.query('select 1 from orders where id = $1 for update', [order_id])
    const em = unitOf(orm, shop.store_id)
    const released = em.transactional((at) => releaseCheckout(at, order_id, Math.floor(Date.now() / 1000)))
    await untilAwaited(other, { like: 'select id, tenant_id, status%from orders%' })
    const merged = merge(shop, home.contact_id, visitor.contact_id)
    await untilAwaited(other, { like: 'select id, taxonomies from contacts%' })
    await other.query('commit')
    await released
    expect((await merged).status).toBe(200)
  } finally {
    other.release()
  }
  expect(await namesOf(visitor.contact_id)).toEqual([])
  const { rows } = await database().query(
    "select product_items from carts where contact_id = $1 and status = 'open' and is_current",
    [home.contact_id],
  )
  expect(rows).toEqual([{ product_items: [item] }])
})
