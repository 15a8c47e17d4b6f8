// A visitor gets access to a contact by verifying its address, never by claiming it.
import { expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { another, codeFor, prove } from '../kit/codes.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { type Answer, database, eitherApi, newEmail, newShop, operator, type Shop, type Visitor } from '../kit/shop.ts'

type Item = { product_id: string; variant_id: string; quantity: number }

async function product(shop: Shop): Promise<Item> {
  const made = await shop.asOperator('POST', '/products', {
    key: 'tea',
    variants: [{ sku: 'tea', prices: [{ market: 'us', currency: 'USD', amount: 500 }], requires_shipping: false }],
  })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return { product_id: made.body.id, variant_id: made.body.variants[0].id, quantity: 1 }
}
const currentCart = async (visitor: Visitor) => (await visitor.call('POST', '/carts/current', {})).body
async function fill(visitor: Visitor, item: Item): Promise<string> {
  const { id } = await currentCart(visitor)
  const filled = await visitor.call('PUT', `/carts/${id}`, { product_items: [item] })
  if (filled.status !== 200) throw new Error(JSON.stringify(filled.body))
  return id
}
const checkout = (visitor: Visitor, cartId: string) =>
  visitor.call('POST', `/carts/${cartId}/checkout`, { payment_method_key: 'cash' })
const contactsOf = async (shop: Shop) =>
  Number((await database().query('select count(*) from contacts where tenant_id = $1', [shop.store_id])).rows[0].count)
const ownersOf = async (shop: Shop, email: string): Promise<string[]> =>
  (
    await database().query('select contact_id from contact_channels where tenant_id = $1 and address = $2 and owned', [
      shop.store_id,
      email,
    ])
  ).rows.map(({ contact_id }) => contact_id)
/** Requests codes without using them. */
async function pending(
  visitor: Visitor,
  email: string,
  count: number,
): Promise<{ challenge_id: string; code: string }> {
  const { challenge_id } = (await visitor.call('POST', '/account/code', { email })).body
  return { challenge_id, code: await codeFor(email, count) }
}

test('A first call creates a visitor, whose token is returned in header and body and stays valid', async () => {
  const shop = await newShop()
  const first = await shop.asVisitor('POST', '/account/identify', {})
  expect(first.status).toBe(200)
  const token = first.body.visitor_token
  expect(token).toMatch(/^till_vt_[\w-]{43}$/)
  expect(first.headers.get('x-service-visitor-token')).toBe(token)
  expect(first.body).toEqual({
    contact: {
      id: expect.any(String),
      store_id: shop.store_id,
      status: 'active',
      taxonomies: [],
      email: null,
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    },
    visitor_token: token,
    is_verified: false,
  })
  const again = await shop.asVisitor('POST', '/account/identify', { email: 'Someone@Tillwright.test' }, token)
  expect(again.headers.get('x-service-visitor-token')).toBeNull()
  expect(again.body).toMatchObject({
    contact: { id: first.body.contact.id, email: 'someone@tillwright.test' },
    visitor_token: token,
  })
  expect(
    (await shop.asVisitor('POST', '/account/identify', { email: 'other@tillwright.test' }, token)).body.contact.email,
  ).toBe('other@tillwright.test')
  expect((await shop.asVisitor('GET', '/account/me', undefined, token)).body).toEqual({
    contact: { ...first.body.contact, email: 'other@tillwright.test' },
    is_verified: false,
  })
  expect((await shop.asVisitor('GET', '/account/me')).status).toBe(401)
  expect((await shop.asVisitor('POST', '/account/verify', { challenge_id: newId(), code: '123456' })).status).toBe(401)
})

test('A bad, foreign or logged out visitor token is refused and never replaced', async () => {
  const [shop, other] = [await newShop(), await newShop()]
  const visitor = await shop.visitor()
  expect((await other.asVisitor('POST', '/account/identify', {}, visitor.token)).status).toBe(401)
  expect((await shop.asVisitor('POST', '/account/identify', {}, 'till_vt_wrong')).status).toBe(401)
  expect((await visitor.call('POST', '/account/logout')).body).toEqual({ success: true })
  for (const [method, path] of [
    ['GET', '/account/me'],
    ['POST', '/account/identify'],
    ['POST', '/account/logout'],
    ['POST', '/carts/current'],
  ] as const) {
    const refused = await visitor.call(method, path, method === 'GET' ? undefined : {})
    expect([refused.status, refused.headers.get('x-service-visitor-token')]).toEqual([401, null])
  }
})

test('Claiming an address reveals nothing of the contact that owns it', async () => {
  const shop = await newShop()
  const email = newEmail()
  const owner = await shop.visitor()
  await prove(owner, email)
  const claimant = await shop.visitor(email)
  expect(claimant.contact_id).not.toBe(owner.contact_id)
  expect((await claimant.call('GET', '/account/me')).body).toMatchObject({
    is_verified: false,
    contact: { id: claimant.contact_id, email },
  })
  expect(await ownersOf(shop, email)).toEqual([owner.contact_id])
})

test('Verifying an unowned address makes the visitor its verified owner', async () => {
  const shop = await newShop()
  const email = newEmail()
  const visitor = await shop.visitor(email)
  const verified = await prove(visitor, email)
  expect(verified.status).toBe(200)
  expect(verified.body).toMatchObject({
    contact: { id: visitor.contact_id, email },
    visitor_token: visitor.token,
    is_verified: true,
  })
  expect((await visitor.call('GET', '/account/me')).body.is_verified).toBe(true)
  expect((await visitor.call('POST', '/account/identify', {})).body).toMatchObject({
    is_verified: true,
    contact: { email },
  })
  expect((await visitor.call('POST', '/account/identify', { email: newEmail() })).body.contact.email).toBe(email)
})

test('A code works without a token, only in its own visit, and cannot be guessed', async () => {
  const shop = await newShop()
  const email = newEmail()
  const asked = await shop.asVisitor('POST', '/account/code', { email })
  expect(asked.body).toEqual({ challenge_id: expect.any(String) })
  const token = asked.headers.get('x-service-visitor-token') as string
  const code = await codeFor(email)
  const verify = (as: string, guess: string) =>
    shop.asVisitor('POST', '/account/verify', { challenge_id: asked.body.challenge_id, code: guess }, as, eitherApi())
  const thief = await shop.visitor(email)
  expect((await verify(thief.token, code)).body.code).toBe('code_expired')
  const wrong = await verify(token, another(code))
  expect([wrong.status, wrong.body.code, wrong.body.tries_left]).toEqual([422, 'code_invalid', 4])
  const answers = await Promise.all(Array.from({ length: 20 }, () => verify(token, code)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ body }) => body.code === 'code_expired')).toHaveLength(19)
})

test('Verifying an owned address moves the visitor’s order and cart to its contact', async () => {
  const shop = await newShop()
  const item = await product(shop)
  const email = newEmail()
  const home = await shop.visitor()
  await prove(home, email)
  const old = await fill(home, item)

  const phone = await shop.visitor(email)
  const ordered = await checkout(phone, await fill(phone, { ...item, quantity: 3 }))
  expect(ordered.status).toBe(200)
  const brought = await fill(phone, { ...item, quantity: 2 })
  expect(await contactsOf(shop)).toBe(2)
  const verified = await prove(phone, email, 2)
  expect(verified.body).toMatchObject({
    contact: { id: home.contact_id, email },
    visitor_token: phone.token,
    is_verified: true,
  })
  expect(await contactsOf(shop)).toBe(1)

  for (const visitor of [home, phone]) {
    expect((await currentCart(visitor)).id).toBe(brought)
    expect((await visitor.call('GET', `/carts/${old}`)).body).toMatchObject({
      status: 'open',
      contact_id: home.contact_id,
    })
    expect((await visitor.call('GET', `/orders/${ordered.body.order_id}`)).status).toBe(200)
  }
  expect((await checkout(home, old)).status).toBe(200)
  expect((await checkout(phone, brought)).status).toBe(200)
})

test('An empty cart does not replace a cart with items', async () => {
  const shop = await newShop()
  const item = await product(shop)
  const email = newEmail()
  const home = await shop.visitor()
  await prove(home, email)
  const old = await fill(home, item)
  const phone = await shop.visitor()
  const empty = (await currentCart(phone)).id
  await prove(phone, email, 2)
  expect((await currentCart(phone)).id).toBe(old)
  expect((await phone.call('GET', `/carts/${empty}`)).body.status).toBe('open')
})

test('Verifying an address that an operator entered finds its contact', async () => {
  const shop = await newShop()
  const email = newEmail()
  const [contact, now] = [newId(), Math.floor(Date.now() / 1000)]
  await database().query(
    "insert into contacts (id, tenant_id, created_at, updated_at, status, taxonomies) values ($1, $2, $3, $3, 'active', '[]')",
    [contact, shop.store_id, now],
  )
  await database().query(
    "insert into contact_channels (id, tenant_id, created_at, updated_at, contact_id, type, address, owned) values ($1, $2, $3, $3, $4, 'email', $5, true)",
    [newId(), shop.store_id, now, contact, email],
  )
  const visitor = await shop.visitor()
  expect((await prove(visitor, email)).body.contact.id).toBe(contact)
})

test('Signing in where another visitor is signed in gives no access to the other contact', async () => {
  const shop = await newShop()
  const item = await product(shop)
  const [first, second] = [newEmail(), newEmail()]
  const secondHome = await shop.visitor()
  await prove(secondHome, second)
  const shared = await shop.visitor()
  await prove(shared, first)
  const ordered = await checkout(shared, await fill(shared, item))
  const cart = await fill(shared, item)
  expect((await prove(shared, second, 2)).body.contact.id).toBe(secondHome.contact_id)
  expect((await shared.call('GET', `/orders/${ordered.body.order_id}`)).status).toBe(404)
  expect((await shared.call('GET', `/carts/${cart}`)).status).toBe(404)
  const back = await shop.visitor()
  expect((await prove(back, first, 2)).body.contact.id).toBe(shared.contact_id)
  expect((await currentCart(back)).id).toBe(cart)
})

test('Verifying an unowned address while signed in creates a separate contact', async () => {
  const shop = await newShop()
  const item = await product(shop)
  const anna = await shop.visitor()
  await prove(anna, newEmail('anna'))
  const ordered = await checkout(anna, await fill(anna, item))
  const bertsAddress = newEmail('bert')
  const contact = (await anna.call('GET', '/account/me')).body.contact.id
  expect((await prove(anna, bertsAddress, 1)).body.contact.id).not.toBe(contact)
  const bertsHome = await shop.visitor()
  await prove(bertsHome, bertsAddress, 2)
  expect((await bertsHome.call('GET', `/orders/${ordered.body.order_id}`)).status).toBe(404)
})

test('One address is a separate contact in each store', async () => {
  const [shop, other] = [await newShop(), await newShop()]
  const email = newEmail()
  const here = await prove(await shop.visitor(), email)
  const there = await prove(await other.visitor(), email, 2)
  expect(here.body.contact.id).not.toBe(there.body.contact.id)
  expect(there.body.contact.store_id).toBe(other.store_id)
})

test('Concurrent verifications of one address give one contact with one current cart', async () => {
  for (let round = 0; round < 6; round++) {
    const shop = await newShop()
    const item = await product(shop)
    const email = newEmail()
    const visitors = await Promise.all([shop.visitor(), shop.visitor(), shop.visitor(), shop.visitor()])
    const carts = []
    for (const visitor of visitors) carts.push(await fill(visitor, item))
    const proofs: { challenge_id: string; code: string }[] = []
    for (const [at, visitor] of visitors.entries()) proofs.push(await pending(visitor, email, at + 1))
    // The contact's other visits continue meanwhile.
    const busy = visitors.map((visitor) => visitor.call('POST', '/carts/current', {}, eitherApi()))
    const answers: Answer[] = await Promise.all(
      visitors.map((visitor, at) => visitor.call('POST', '/account/verify', proofs[at], eitherApi())),
    )
    await Promise.all(busy)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const [owner] = await ownersOf(shop, email)
    expect(new Set(answers.map(({ body }) => body.contact.id))).toEqual(new Set([owner]))
    const current = await Promise.all(visitors.map(currentCart))
    expect(new Set(current.map(({ id }) => id)).size).toBe(1)
    expect(carts).toContain(current[0]?.id)
    for (const cart of carts)
      expect((await visitors[0]?.call('GET', `/carts/${cart}`))?.body).toMatchObject({
        status: 'open',
        product_items: [item],
        contact_id: owner,
      })
  }
})

test('A cart that the contact gets elsewhere at the same moment stays open beside the moved one', async () => {
  const shop = await newShop()
  const item = await product(shop)
  const email = newEmail()
  const home = await shop.visitor()
  await prove(home, email)
  const phone = await shop.visitor()
  const brought = await fill(phone, item)
  const proof = await pending(phone, email, 2)
  const other = await database().connect()
  const [cart, now] = [newId(), Math.floor(Date.now() / 1000)]
  try {
    await other.query('begin')
    await other.query(
      `insert into carts (id, tenant_id, contact_id, created_at, updated_at, market, product_items, booking_items, forms) values ($1, $2, $3, $4, $4, 'us', '[]', '[]', '[]')`,
      [cart, shop.store_id, home.contact_id, now],
    )
    const answer = phone.call('POST', '/account/verify', proof)
    await untilAwaited(other, { like: 'update carts%' })
    await other.query('commit')
    expect((await answer).body).toMatchObject({ contact: { id: home.contact_id }, is_verified: true })
  } finally {
    other.release()
  }
  expect((await currentCart(home)).id).toBe(brought)
  expect((await phone.call('GET', `/carts/${cart}`)).body.status).toBe('open')
})

test('An address that a merge gives the visitor meanwhile is verified by the same request', async () => {
  const shop = await newShop()
  const [visitor, email] = [await shop.visitor(), newEmail()]
  const proof = await pending(visitor, email, 1)
  const other = await database().connect()
  try {
    await other.query('begin')
    await other.query(
      "insert into contact_channels (id, tenant_id, created_at, updated_at, contact_id, type, address) values ($1, $2, 1, 1, $3, 'email', $4)",
      [...[newId(), shop.store_id, visitor.contact_id, email]],
    )
    const answer = visitor.call('POST', '/account/verify', proof)
    await untilAwaited(other, { like: '%contact_channels%' })
    await other.query('commit')
    expect(await answer).toMatchObject({
      status: 200,
      body: { contact: { id: visitor.contact_id, email }, is_verified: true },
    })
  } finally {
    other.release()
  }
  expect(await ownersOf(shop, email)).toEqual([visitor.contact_id])
})

test('Two codes of one visit used at once attach it to one contact', async () => {
  const shop = await newShop()
  const [first, second] = [newEmail(), newEmail()]
  await prove(await shop.visitor(), first)
  await prove(await shop.visitor(), second)
  for (let round = 0; round < 5; round++) {
    const visitor = await shop.visitor()
    await currentCart(visitor)
    const proofs = [await pending(visitor, first, round + 2), await pending(visitor, second, round + 2)]
    // Both are identified before one of them replaces the token that they carry.
    const holder = await database().connect()
    let both: Promise<Answer[]> | undefined
    try {
      await holder.query('begin')
      await holder.query('select 1 from contact_sessions where tenant_id = $1 for update', [shop.store_id])
      both = Promise.all(proofs.map((proof) => visitor.call('POST', '/account/verify', proof, eitherApi())))
      await untilAwaited(holder, { count: 2 })
    } finally {
      // Ends its transaction.
      holder.release(true)
    }
    const answers = await both
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    // Each answer has a token, and the one that was committed last is valid: it may have been answered first.
    const tokens = answers.map(({ headers }) => headers.get('x-service-visitor-token') as string)
    const visits = await Promise.all(tokens.map((token) => shop.asVisitor('GET', '/account/me', undefined, token)))
    const [me, ...others] = visits.filter(({ status }) => status === 200)
    expect(others).toEqual([])
    expect(answers.map(({ body }) => body.contact.id)).toContain(me?.body.contact.id)
    expect([first, second]).toContain(me?.body.contact.email)
  }
  expect(await contactsOf(shop)).toBe(2)
})

test('An operator token is no visitor token, and the storefront needs the publishable key', async () => {
  const shop = await newShop()
  const op = await operator()
  expect((await shop.as(op, 'GET', '/v1/storefront/account/me')).status).toBe(401)
  expect((await shop.as(op, 'POST', '/v1/storefront/account/identify', {})).status).toBe(401)
})
