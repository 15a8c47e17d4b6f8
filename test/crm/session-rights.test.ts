// A visitor's session acts for a contact only if it proved an address that the contact owns; otherwise on what it made
// itself. A stranger who claims an address, plants a token or waits for a merge gets no record, no link and no address
// of another person.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Route } from '../../api/kit/route.ts'
import { routes } from '../../api/routes.ts'
import { contactColumns } from '../../entities/tables.ts'
import { newAudience, tokenIn } from '../kit/audiences/audiences.ts'
import { newPaidClub, newPaidMember } from '../kit/audiences/paid-members.ts'
import { type Bookable, bookable, dateIn, type Slot } from '../kit/bookings/booking.ts'
import { newSalon, type Salon } from '../kit/business.ts'
import { codeFor, prove } from '../kit/codes.ts'
import { made } from '../kit/content/content.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { cash, connected, type Item, product } from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, http, newEmail, newShop, type Shop, type Visitor } from '../kit/shop.ts'

let shop: Shop
let item: Item
let club: string
beforeAll(async () => {
  shop = await newShop()
  item = (await product(shop, { requires_shipping: false })).item(1)
  await database().query("update forms set schema = '[]' where tenant_id = $1", [shop.store_id])
  club = (await newAudience(shop)).id
})
afterAll(async () => database().end())

const address = {
  name: 'Ada Buyer',
  street1: 'Secret Lane 7',
  city: 'Portland',
  postal_code: '97201',
  country: 'US',
  state: 'OR',
}
const order = async (visitor: Visitor): Promise<string> => {
  const { id } = (await visitor.call('POST', '/carts/current', {}, eitherApi())).body
  await made(visitor.call('PUT', `/carts/${id}`, { product_items: [item], billing_address: address }))
  return (await made(visitor.call('POST', `/carts/${id}/checkout`, cash))).order_id
}
const join = async (visitor: Visitor): Promise<string> =>
  tokenIn((await made(visitor.call('POST', `/audiences/${club}/subscribe`, {}))).member.manage_url)
const link = (token: string) => http('GET', `/v1/customer/audiences/manage?token=${token}`)
const merge = (source: string, target: string) =>
  shop.asOperator('POST', `/contacts/${target}/merge`, { source_contact_id: source })
const preview = async (source: string, target: string) =>
  (await shop.asOperator('POST', `/contacts/${target}/merge/preview`, { source_contact_id: source })).body
/** A visitor with a token of their own, which later sign-ins of others do not change. */
const tokenOf = ({ token }: Visitor) => ({
  'x-service-publishable-key': shop.publishable_key,
  'x-service-visitor-token': token,
})
const withToken = (headers: Record<string, string>, method: 'GET' | 'POST', path: string, body?: object) =>
  http(method, `/v1/storefront${path}`, { headers, body, base: eitherApi() })
const statusOf = ({ status }: Answer) => status
const reads = ['/account/me', '/orders', '/audiences/members'] as const

const readByVisitors = (routes as readonly Route[]).filter(
  ({ method, may }) => method === 'GET' && (may === 'visitor' || may === 'verified' || may === 'customer'),
)
/** Identifiers of the contact's rows in every table but those of its identity, without those that name one of `own`. */
async function idsOf({ store_id }: Shop, contact: string, own: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const { table, column } of contactColumns) {
    if (table === 'contact_channels' || table === 'contact_sessions') continue
    const { rows } = await database().query(
      `select to_jsonb(t) as row from ${table} t where tenant_id = $1 and ${column} = $2`,
      [store_id, contact],
    )
    for (const { row } of rows)
      if (row.id !== contact && !own.some((id) => JSON.stringify(row).includes(id))) ids.push(row.id)
  }
  return ids
}

/** A customer who has signed in, with an order, a membership and an address. */
async function customer(): Promise<{ email: string; ada: Visitor; ordered: string; manage: string }> {
  const email = newEmail('ada')
  const ada = await shop.visitor()
  await prove(ada, email)
  return { email, ada, ordered: await order(ada), manage: await join(ada) }
}

test.each(['source', 'target'] as const)(
  'A merge gives no record to a session that only claimed the address, as its %s',
  async (side) => {
    const { email, ada, ordered, manage } = await customer()
    const evil = await shop.visitor(email)
    const planted = await join(evil)
    const adas = (await ada.call('GET', '/account/me')).body.contact.id
    const [source, target] = side === 'source' ? [evil.contact_id, adas] : [adas, evil.contact_id]
    const previewed = await preview(source, target)
    const evils = (await shop.asOperator('GET', `/contacts/${evil.contact_id}/sessions`)).body.items[0].id
    expect(previewed.sessions).toMatchObject([
      { verified_address: email, ends: false },
      { id: evils, contact_id: evil.contact_id, verified_address: null, verified_at: null, ends: true },
    ])
    expect([previewed.sessions_end, previewed.links_end, previewed.conflicts]).toEqual([1, 2, []])
    const counted = contactColumns.flatMap((one) => one.counted?.as ?? [])
    expect(Object.keys(previewed.moves).toSorted()).toEqual(counted.toSorted())
    expect(previewed.moves).toMatchObject({ memberships: 1, orders: side === 'source' ? 0 : 1, channels: 1 })
    expect((await merge(source, target)).status).toBe(200)

    for (const path of [...reads, `/orders/${ordered}`])
      expect([path, statusOf(await evil.call('GET', path))]).toEqual([path, 401])
    expect((await evil.call('POST', '/carts/current', {})).status).toBe(401)
    // The links that either knew end; the customer reads another one.
    expect([statusOf(await link(planted)), statusOf(await link(manage))]).toEqual([401, 401])
    expect((await ada.call('GET', '/orders')).body.items).toMatchObject([{ id: ordered, billing_address: address }])
    const [member] = (await ada.call('GET', '/audiences/members')).body.items
    expect((await link(tokenIn(member.manage_url))).status).toBe(200)
    const { items } = (await shop.asOperator('GET', `/contacts/${target}/sessions`)).body
    expect(
      items.map(({ status, verified_address }: Record<string, unknown>) => [status, verified_address]).sort(),
    ).toEqual([
      ['active', email],
      ['revoked', null],
    ])
  },
)

test('A merge ends a session that proved an address which the merged contact does not own', async () => {
  const { ada, email } = await customer()
  const bert = await shop.visitor()
  const address = newEmail('bert')
  await prove(bert, address)
  const contact = (await bert.call('GET', '/account/me')).body.contact.id
  // The operator gives the contact another address: no contact owns what the session proved.
  expect((await shop.asOperator('PUT', `/contacts/${contact}`, { email: newEmail() })).status).toBe(200)
  expect((await bert.call('GET', '/account/me')).body.is_verified).toBe(false)
  const adas = (await ada.call('GET', '/account/me')).body.contact.id
  expect((await preview(contact, adas)).sessions.map(({ ends }: { ends: boolean }) => ends)).toEqual([false, true])
  expect((await merge(contact, adas)).status).toBe(200)
  expect((await bert.call('GET', '/account/me')).status).toBe(401)
  expect((await ada.call('GET', '/account/me')).body).toMatchObject({ is_verified: true, contact: { email } })
})

test('A preview names what a merge is refused for, and changes nothing', async () => {
  const paid = await newPaidClub(shop, await connected(shop))
  await newPaidMember(shop, paid)
  await newPaidMember(shop, paid)
  const { rows } = await database().query('select id, contact_id from audience_members where audience_id = $1', [
    paid.audience_id,
  ])
  const [source, target] = rows as [{ id: string; contact_id: string }, { id: string; contact_id: string }]
  const previewed = await preview(source.contact_id, target.contact_id)
  expect(previewed.conflicts).toEqual([
    {
      audience_id: paid.audience_id,
      audience_key: expect.any(String),
      source_member_id: source.id,
      target_member_id: target.id,
    },
  ])
  expect((await merge(source.contact_id, target.contact_id)).body.code).toBe('both_subscribed')
  expect(await preview(source.contact_id, target.contact_id)).toEqual(previewed)
  expect(
    (
      await shop.asOperator('POST', `/contacts/${target.contact_id}/merge/preview`, {
        source_contact_id: target.contact_id,
      })
    ).body.code,
  ).toBe('same_contact')
  expect(
    (await shop.asOperator('POST', `/contacts/${target.contact_id}/merge/preview`, { source_contact_id: club })).status,
  ).toBe(404)
})

test('A visitor sees no address that an operator enters, and ends when its owner signs in', async () => {
  const [claim, email] = [newEmail('claim'), newEmail('ada')]
  const evil = await shop.visitor(claim)
  const own = await order(evil)
  const planted = await join(evil)
  expect((await shop.asOperator('PUT', `/contacts/${evil.contact_id}`, { email })).status).toBe(200)
  const hidden = async () =>
    JSON.stringify([
      ...(
        await Promise.all(
          [...reads, `/audiences/${club}/access`, `/orders/${own}`].map((path) => evil.call('GET', path)),
        )
      ).map(({ body }) => body),
      (await evil.call('POST', '/account/identify', {})).body,
      (await evil.call('POST', `/audiences/${club}/subscribe`, {})).body,
    ])
  expect(await hidden()).not.toContain(email)
  const next = await order(evil)
  expect((await evil.call('GET', `/orders/${next}`)).body.email).not.toBe(email)

  const ada = await shop.visitor()
  await prove(ada, email)
  expect((await ada.call('GET', '/account/me')).body.contact.id).toBe(evil.contact_id)
  for (const path of [...reads, `/orders/${own}`]) expect(statusOf(await evil.call('GET', path))).toBe(401)
  expect((await evil.call('POST', '/carts/current', {})).status).toBe(401)
  // Their link ends, too: the membership is that of the person from now on.
  expect(statusOf(await link(planted))).toBe(401)
  const [member] = (await ada.call('GET', '/audiences/members')).body.items
  expect(statusOf(await link(tokenIn(member.manage_url)))).toBe(200)
  // A link that the person was shown stays when they sign in again.
  const again = await shop.visitor()
  await prove(again, email, 2)
  expect(statusOf(await link(tokenIn(member.manage_url)))).toBe(200)
})

test('A visitor who proved no address neither reads nor cancels what an operator adds', async () => {
  const salon: Salon = await newSalon()
  const cut: Bookable = await bookable(salon.shop, {
    prices: ['booking', 'us'].map((market) => ({ market, amount: 3000 })),
  })
  const [first, second] = (await cut.free(dateIn(2))).slice(0, 2) as Slot[] as [Slot, Slot]
  const audience = await newAudience(salon.shop)
  const evil = await salon.shop.visitor(newEmail('claim'))
  await made(salon.shop.asOperator('POST', `/audiences/${audience.id}/members`, { contact_id: evil.contact_id }))
  await salon.open()
  const body = ({ from, to }: Slot, more: object = {}) => ({
    items: [{ serviceId: cut.service_id, providerId: cut.provider_id, slots: [{ from, to }] }],
    ...{ paymentMethodId: 'cash', ...more },
  })
  const theirs = (await salon.op('POST', '/bookings', body(first, { contactId: evil.contact_id }))).body.id
  const own = (await salon.as(evil, 'POST', '/bookings', body(second))).body.id
  expect([theirs, own]).toEqual([expect.any(String), expect.any(String)])
  expect((await salon.as(evil, 'GET', '/bookings')).body.items.map(({ id }: { id: string }) => id)).toEqual([own])
  expect(statusOf(await salon.as(evil, 'GET', `/bookings/${theirs}`))).toBe(404)
  expect(statusOf(await salon.as(evil, 'PUT', `/bookings/${theirs}`, { status: 'CANCELLED' }))).toBe(404)
  expect((await evil.call('GET', '/orders')).body.items.map(({ id }: { id: string }) => id)).toEqual([own])
  for (const path of [`/orders/${theirs}`, `/orders/${theirs}/bookings`])
    expect(statusOf(await evil.call('GET', path))).toBe(404)
  const { rows } = await database().query('select source_cart_id from orders where id = $1', [theirs])
  expect(statusOf(await evil.call('GET', `/carts/${rows[0].source_cart_id}`))).toBe(404)
  expect(statusOf(await evil.call('POST', `/carts/${rows[0].source_cart_id}/checkout`, cash))).toBe(404)
  expect((await evil.call('GET', '/audiences/members')).body.items).toEqual([])
  expect((await evil.call('GET', `/audiences/${audience.id}/access`)).body).toEqual({ has_access: false, member: null })
  expect((await evil.call('POST', `/audiences/${audience.id}/subscribe`, {})).body.member.manage_url).toBeNull()

  // Every route that visitors may read: none answers with a record that they did not make.
  const ownRows = await database().query('select id, source_cart_id from orders where id = $1', [own])
  const hidden = await idsOf(salon.shop, evil.contact_id, Object.values(ownRows.rows[0]))
  expect(hidden).toEqual(expect.arrayContaining([theirs, rows[0].source_cart_id]))
  const placeholders = { storeId: salon.shop.store_id, businessId: salon.shop.store_id }
  const answered = new Set<string>()
  for (const kind of ['business', 'store'] as const) {
    await database().query('update tenants set kind = $2 where id = $1', [salon.shop.store_id, kind])
    for (const { path } of readByVisitors.filter((one) => one.path.includes('{businessId}') === (kind === 'business')))
      for (const id of path.replace(/{(storeId|businessId)}/, '').includes('{') ? hidden : hidden.slice(0, 1)) {
        const filled = path.replaceAll(/{(\w+)}/g, (_, name) => placeholders[name as 'storeId'] ?? id)
        const answer = await http('GET', filled, { headers: evil.headers, base: eitherApi() })
        if (answer.status !== 200) continue
        answered.add(path)
        expect([filled, hidden.filter((one) => JSON.stringify(answer.body).includes(one))]).toEqual([filled, []])
      }
  }
  // Lists answer anybody; the records themselves are not found.
  expect([...answered]).toEqual(
    expect.arrayContaining([
      '/v1/storefront/orders',
      '/v1/storefront/audiences/members',
      '/v1/businesses/{businessId}/bookings',
    ]),
  )
  await salon.open()
  // Their own booking they may cancel.
  expect((await salon.as(evil, 'PUT', `/bookings/${own}`, { status: 'CANCELLED' })).body.status).toBe('CANCELLED')

  // The owner of an address that the contact owns sees all of it.
  const email = newEmail('ada')
  await database().query("update tenants set kind = 'store' where id = $1", [salon.shop.store_id])
  expect((await salon.shop.asOperator('PUT', `/contacts/${evil.contact_id}`, { email })).status).toBe(200)
  const ada = await salon.shop.visitor()
  await prove(ada, email)
  await salon.open()
  expect((await salon.as(ada, 'GET', '/bookings')).body.items.map(({ id }: { id: string }) => id).sort()).toEqual(
    [theirs, own].sort(),
  )
  expect((await ada.call('GET', `/audiences/${audience.id}/access`)).body.has_access).toBe(true)
})

test('A sign-in changes the token, and one that was planted before reads nothing of the person', async () => {
  const { email, ordered } = await customer()
  const browser = await shop.visitor()
  const planted = tokenOf(browser)
  const before = await order(browser)
  const old = await join(browser)
  const asked = await browser.call('POST', '/account/code', { email })
  const verified = await browser.call('POST', '/account/verify', {
    challenge_id: asked.body.challenge_id,
    code: await codeFor(email, 2),
  })
  expect([verified.status, verified.body.is_verified]).toEqual([200, true])
  expect([verified.body.visitor_token, verified.headers.get('x-service-visitor-token')]).toEqual([
    browser.token,
    browser.token,
  ])
  expect(browser.token).not.toBe(planted['x-service-visitor-token'])
  expect((await browser.call('GET', '/orders')).body.items.map(({ id }: { id: string }) => id).sort()).toEqual(
    [before, ordered].sort(),
  )

  // For ten seconds, requests that were under way with the former token go on: with what its holder made before, and
  // as a visitor who proved nothing.
  const { rows } = await database().query(
    'update orders set created_at = created_at - 5, updated_at = updated_at - 5 where id = $1 returning made_by',
    [before],
  )
  const later = await order(browser)
  await database().query('update orders set created_at = created_at + 5, made_by = $2 where id = $1', [
    later,
    rows[0].made_by,
  ])
  expect((await browser.call('GET', `/orders/${later}`)).status).toBe(200)
  expect(statusOf(await withToken(planted, 'GET', `/orders/${later}`))).toBe(404)
  expect((await withToken(planted, 'GET', '/orders')).body.items.map(({ id }: { id: string }) => id)).toEqual([before])
  expect(statusOf(await withToken(planted, 'GET', `/orders/${ordered}`))).toBe(404)
  expect((await withToken(planted, 'GET', `/audiences/${club}/access`)).body).toEqual({
    has_access: false,
    member: null,
  })
  for (const [method, path, body] of [
    ['GET', '/account/me'],
    ['GET', '/audiences/members'],
    ['POST', `/audiences/${club}/subscribe`, {}],
    ['POST', '/account/code', { email: newEmail() }],
    ['POST', '/account/identify', {}],
    ['POST', '/account/identify', { email: newEmail('evil') }],
    ['POST', '/account/logout', {}],
  ] as const)
    expect([path, statusOf(await withToken(planted, method, path, body))]).toEqual([path, 401])
  const again = await withToken(planted, 'POST', '/account/verify', {
    challenge_id: asked.body.challenge_id,
    code: '123456',
  })
  expect([again.status, again.body.code]).toEqual([422, 'code_expired'])
  // Neither the claim nor the logout changed anything.
  expect((await browser.call('GET', '/account/me')).body.contact.email).toBe(email)
  expect(statusOf(await link(old))).toBe(401)

  await database().query('update contact_sessions set previous_until = previous_until - 11 where tenant_id = $1', [
    shop.store_id,
  ])
  for (const path of reads) expect(statusOf(await withToken(planted, 'GET', path))).toBe(401)
  expect((await browser.call('GET', '/account/me')).body.is_verified).toBe(true)
})

test('The current cart of the person who signed in is not the former token’s', async () => {
  const email = newEmail('ada')
  const home = await shop.visitor()
  await prove(home, email)
  const { id } = (await home.call('POST', '/carts/current', {})).body
  await made(home.call('PUT', `/carts/${id}`, { product_items: [item], billing_address: address }))
  const browser = await shop.visitor()
  const planted = tokenOf(browser)
  await prove(browser, email, 2)
  expect((await browser.call('POST', '/carts/current', {})).body.id).toBe(id)
  expect(statusOf(await withToken(planted, 'POST', '/carts/current', {}))).toBe(401)
  expect(statusOf(await withToken(planted, 'GET', `/carts/${id}`))).toBe(404)
})

test('The former token neither reads nor checks out a cart that the new one made or changed', async () => {
  const browser = await shop.visitor()
  const planted = tokenOf(browser)
  const filled = async () => {
    const { id } = (await browser.call('POST', '/carts/current', {})).body
    await made(browser.call('PUT', `/carts/${id}`, { product_items: [item] }))
    return id as string
  }
  const before = await filled()
  await database().query('update carts set created_at = created_at - 5, updated_at = updated_at - 5 where id = $1', [
    before,
  ])
  await prove(browser, newEmail('ada'))
  // A request that was under way when the token changed goes on.
  expect((await withToken(planted, 'GET', `/carts/${before}`)).status).toBe(200)
  await made(browser.call('PUT', `/carts/${before}`, { billing_address: address }))
  expect(statusOf(await withToken(planted, 'GET', `/carts/${before}`))).toBe(404)
  expect(statusOf(await withToken(planted, 'POST', `/carts/${before}/checkout`, cash))).toBe(404)
  await made(browser.call('POST', `/carts/${before}/checkout`, cash))
  const next = await filled()
  await database().query(
    `update carts c set created_at = s.verified_at, updated_at = s.verified_at
     from contact_sessions s
     where c.id = $1 and s.id = c.made_by`,
    [next],
  )
  expect(statusOf(await withToken(planted, 'GET', `/carts/${next}`))).toBe(404)
})

test('A second sign-in changes the token again', async () => {
  const email = newEmail('ada')
  const visitor = await shop.visitor()
  const tokens = [visitor.token]
  for (const count of [1, 2]) {
    await prove(visitor, email, count)
    tokens.push(visitor.token)
  }
  expect(new Set(tokens).size).toBe(3)
  const [first] = tokens as [string]
  expect(statusOf(await shop.asVisitor('GET', '/account/me', undefined, first))).toBe(401)
})

const now = () => Math.floor(Date.now() / 1000)
const set = (visitor: Visitor, columns: string) =>
  database().query(`update contact_sessions set ${columns} where tenant_id = $1 and contact_id = $2`, [
    shop.store_id,
    visitor.contact_id,
  ])

test('A token that was not used for ninety days, or was given a year ago, is refused', async () => {
  const visitor = await shop.visitor()
  const status = async () => statusOf(await visitor.call('GET', '/account/me'))
  await set(visitor, `used_at = ${now() - 89 * 86_400}`)
  expect(await status()).toBe(200)
  // The use was recorded.
  const { rows } = await database().query('select used_at from contact_sessions where contact_id = $1', [
    visitor.contact_id,
  ])
  expect(Number(rows[0].used_at)).toBeGreaterThan(now() - 60)
  await set(visitor, `used_at = ${now() - 91 * 86_400}`)
  expect(await status()).toBe(401)
  expect((await shop.asOperator('GET', `/contacts/${visitor.contact_id}/sessions`)).body.items).toMatchObject([
    { status: 'revoked', revoked_at: null },
  ])
  await set(visitor, `used_at = ${now()}, created_at = 1`)
  expect(await status()).toBe(401)
  await set(visitor, `created_at = ${now() - 364 * 86_400}`)
  expect(await status()).toBe(200)
  await prove(visitor, newEmail())
  await set(visitor, `created_at = 1`)
  expect(await status()).toBe(200)
  await set(visitor, `verified_at = ${now() - 366 * 86_400}`)
  expect(await status()).toBe(401)
})

test('Sessions of version 0.2.0 go on, unless their contact has records of others', async () => {
  const asBefore = (table: string, columns: string, contact: string) =>
    database().query(`update ${table} set ${columns} where tenant_id = $1 and contact_id = $2`, [
      shop.store_id,
      contact,
    ])
  const guest = await shop.visitor()
  const ordered = await order(guest)
  const cart = (await guest.call('POST', '/carts/current', {})).body.id
  for (const table of ['orders', 'carts']) await asBefore(table, 'made_by = null', guest.contact_id)
  await asBefore('contact_sessions', 'used_at = null', guest.contact_id)
  expect([
    statusOf(await guest.call('GET', `/orders/${ordered}`)),
    statusOf(await guest.call('GET', `/carts/${cart}`)),
  ]).toEqual([200, 200])

  const { ada, ordered: hers } = await customer()
  const contact = (await ada.call('GET', '/account/me')).body.contact.id
  await asBefore('orders', 'made_by = null', contact)
  await asBefore('contact_sessions', 'verified_address = null, used_at = null', contact)
  expect((await ada.call('GET', `/orders/${hers}`)).status).toBe(200)
  expect((await ada.call('GET', '/account/me')).body.is_verified).toBe(true)

  // What a merge of the earlier version left behind: an unproved session at the customer's contact, and a contact that
  // others were merged into.
  const [moved, native] = [await shop.visitor(), await shop.visitor()]
  await asBefore('contact_sessions', `contact_id = '${contact}'`, moved.contact_id)
  const source = await shop.visitor()
  await database().query(
    'insert into contact_merges (id, tenant_id, created_at, updated_at, source_id, target_id, account_id) values (gen_random_uuid(), $1, 1, 1, $2, $3, $4)',
    [shop.store_id, source.contact_id, native.contact_id, shop.op.account_id],
  )
  for (const visitor of [moved, native])
    for (const path of reads) expect(statusOf(await visitor.call('GET', path))).toBe(401)
})

/** The sessions of contacts are as version 0.2.0 wrote them a minute ago. */
const asOfEarlierVersion = (...contacts: string[]) =>
  database().query(
    `update contact_sessions
     set verified_address = null, verified_at = verified_at - 60
     where tenant_id = $1 and contact_id = any ($2)`,
    [shop.store_id, contacts],
  )

test('A session of version 0.2.0 whose address was removed proves none that comes later', async () => {
  const [ada, bert] = [await shop.visitor(), await shop.visitor()]
  const address = newEmail('bert')
  await prove(ada, newEmail('ada'))
  const contact = (await ada.call('GET', '/account/me')).body.contact.id
  await asOfEarlierVersion(contact)
  // The operator gives the contact to another person.
  expect((await shop.asOperator('PUT', `/contacts/${contact}`, { email: address })).status).toBe(200)
  expect((await ada.call('GET', '/account/me')).body.is_verified).toBe(false)
  await prove(bert, address)
  expect((await bert.call('GET', '/account/me')).body).toMatchObject({ is_verified: true, contact: { id: contact } })
  for (const path of reads) expect(statusOf(await ada.call('GET', path))).toBe(401)
})

test.each(['added after', 'there before'])(
  'A session of version 0.2.0 proves no address %s it at the contact of a merge',
  async (when) => {
    const [ada, bert] = [await shop.visitor(), await shop.visitor()]
    await prove(ada, newEmail('ada'))
    const source = (await ada.call('GET', '/account/me')).body.contact.id
    expect((await shop.asOperator('PUT', `/contacts/${source}`, { email: newEmail() })).status).toBe(200)
    await prove(bert, newEmail('bert'))
    const target = (await bert.call('GET', '/account/me')).body.contact.id
    await asOfEarlierVersion(source, target)
    if (when === 'there before')
      await database().query('update contact_channels set created_at = created_at - 120 where contact_id = $1', [
        target,
      ])
    const isProved = when === 'there before'
    const ends = (await preview(source, target)).sessions.map(
      ({ contact_id, ends: isOver }: Record<string, unknown>) => [contact_id, isOver],
    )
    expect(new Map(ends)).toEqual(
      new Map([
        [source, true],
        [target, !isProved],
      ]),
    )
    expect((await merge(source, target)).status).toBe(200)
    expect(statusOf(await ada.call('GET', '/account/me'))).toBe(401)
    expect(statusOf(await bert.call('GET', '/account/me'))).toBe(isProved ? 200 : 401)
  },
)

test('A link that a visitor kept ends at the first proof of an address, without a session, too', async () => {
  const email = newEmail('ada')
  const evil = await shop.visitor(newEmail())
  const planted = await join(evil)
  expect((await shop.asOperator('PUT', `/contacts/${evil.contact_id}`, { email })).status).toBe(200)
  expect((await evil.call('POST', '/account/logout', {})).status).toBe(200)
  const ada = await shop.visitor()
  await prove(ada, email)
  expect((await ada.call('GET', '/account/me')).body.contact.id).toBe(evil.contact_id)
  expect(statusOf(await link(planted))).toBe(401)
})

test('A claim that was identified before a sign-in changes nothing of the contact after it', async () => {
  const claim = newEmail('evil')
  const browser = await shop.visitor()
  const planted = tokenOf(browser)
  // The claim is identified, and waits for the session, which a sign-in has locked.
  const signIn = await database().connect()
  await signIn.query('begin')
  await signIn.query(
    `update contact_sessions
     set previous_digest = token_digest, previous_until = $3, token_digest = md5('x')
     where tenant_id = $1 and contact_id = $2`,
    [shop.store_id, browser.contact_id, now() + 10],
  )
  const claimed = withToken(planted, 'POST', '/account/identify', { email: claim })
  await untilAwaited(signIn)
  await signIn.query('commit')
  signIn.release()
  expect(statusOf(await claimed)).toBe(401)
  const { rows } = await database().query('select 1 from contact_channels where tenant_id = $1 and address = $2', [
    shop.store_id,
    claim,
  ])
  expect(rows).toEqual([])
})
