// Regression tests of attacks: odd, long, deep and numerous inputs get an answer that a caller can use.
import { expect, test } from '@jest/globals'
import { untilAwaited } from './kit/database/locks.ts'
import {
  apiWith,
  card,
  connected,
  order,
  paidOrder,
  pay,
  paymentOf,
  product,
  sendEvent,
  stripe,
  until,
} from './kit/orders/buying.ts'
import { api, database, http, newShop, operator, unique } from './kit/shop.ts'

async function send(method: 'POST' | 'PUT', path: string, text: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${api()}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  })
  return { status: answer.status, text: await answer.text() }
}

test('The longest possible email address gets its code, as an operator and as a visitor', async () => {
  const shop = await newShop()
  const email = `${unique().padEnd(60, 'a')}@${`${'b'.repeat(60)}.`.repeat(3)}ccccccc.com`
  expect(email).toHaveLength(254 + 1)
  const longest = email.replace('ccccccc', 'cccccc')
  expect((await http('POST', '/v1/auth/code', { body: { email: longest } })).status).toBe(200)
  expect((await shop.asVisitor('POST', '/account/code', { email: longest })).status).toBe(200)
  expect((await http('POST', '/v1/auth/code', { body: { email } })).status).toBe(422)
})

test('The table that counts code requests contains no email address', async () => {
  const email = `counted-${unique()}@tillwright.test`
  await http('POST', '/v1/auth/code', { body: { email } })
  const { rows } = await database().query('select 1 from rate_windows where key like $1', [`%${email}%`])
  expect(rows).toHaveLength(0)
})

test('A locale is a language code of bounded length, and a slug has at most 200 of them', async () => {
  const shop = await newShop()
  const long = await shop.asOperator('POST', '/products', {
    key: 'long',
    slug: { [`en${'-abcdefgh'.repeat(5)}`]: 'x' },
  })
  expect([long.status, long.body.code]).toEqual([422, 'invalid_input'])
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`en-${i.toString(36).padStart(4, '0')}`, 'x']))
  expect((await shop.asOperator('POST', '/products', { key: 'many', slug: many })).status).toBe(422)
})

test('JSON nested too deep is refused in any spelling, and brackets in a text are allowed', async () => {
  const { store_id, op } = await newShop()
  const block = (text: string, value: string) =>
    `{"key":"${unique()}","blocks":[{"key":"k","type":"t","properties":{"a":"${text}"},"value":${value}}]}`
  const path = `/v1/stores/${store_id}/products`
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  for (const text of ['', ']'.repeat(100_000), `\\"${']'.repeat(100_000)}`, `\\\\\\"${'}'.repeat(100_000)}`]) {
    const { status, text: body } = await send('POST', path, block(text, deep), op.headers)
    expect([status, JSON.parse(body).code]).toEqual([400, 'too_deep'])
  }
  for (const text of ['['.repeat(150), `\\"${'{'.repeat(150)}`, `${'['.repeat(150)}\\\\`])
    expect((await send('POST', path, block(text, '[]'), op.headers)).status).toBe(201)
})

test('The answer to a body with very many faults is not larger than the body', async () => {
  const text = `{${Array.from({ length: 49_000 }, (_, at) => `"k${at}":0`).join(',')}}`
  const { op } = await newShop()
  for (const path of ['/v1/stores', '/v1/businesses']) {
    const answer = await send('POST', path, text, op.headers)
    expect(answer.status).toBe(422)
    expect(answer.text.length).toBeLessThan(20_000)
    expect(JSON.parse(answer.text).detail).toBe('The input has more than 100 errors.')
  }
})

test('A card is charged exactly the order’s total in the provider’s units, or not offered', async () => {
  const shop = await newShop()
  await shop.asOperator('POST', '/markets', { key: 'mg', currency: 'MGA' })
  await shop.asOperator('POST', '/markets', { key: 'kw', currency: 'KWD' })
  const amounts = { mg: [12_300, 12_345], kw: [1_230, 1_234] }
  for (const [market, [whole, broken]] of Object.entries(amounts)) {
    for (const [amount, takesCards] of [
      [whole, true],
      [broken, false],
    ] as const) {
      const { body: product } = await shop.asOperator('POST', '/products', {
        key: unique(),
        variants: [{ prices: [{ market, amount }] }],
      })
      const visitor = await shop.visitor()
      const { body: cart } = await visitor.call('POST', '/carts/current')
      const product_items = [{ product_id: product.id, variant_id: product.variants[0].id, quantity: 1 }]
      await visitor.call('PUT', `/carts/${cart.id}`, { market, product_items })
      const { body: quote } = await visitor.call('POST', `/carts/${cart.id}/quote`)
      expect(quote.money.total).toBe(amount)
      expect(quote.payment_methods.map(({ type }: { type: string }) => type)).toEqual(
        takesCards ? ['cash', 'card'] : ['cash'],
      )
      if (takesCards) continue
      const refused = await visitor.call('POST', `/carts/${cart.id}/checkout`, {
        payment_method_key: 'credit_card',
        return_url: 'https://shop.example/',
      })
      expect([refused.status, refused.body.code]).toEqual([422, 'card_total_not_chargeable'])
    }
  }
})

test('The statuses that a route refuses with are in its description', async () => {
  const { body: document } = await http('GET', '/openapi.json')
  const { status } = await http('POST', '/v1/auth/refresh', { body: { refresh_token: 'none' } })
  expect(Object.keys(document.paths['/v1/auth/refresh'].post.responses)).toContain(String(status))
})

test('An amount of 123.00 stays exact at a provider that counts no minor digits', async () => {
  const shop = await newShop()
  const account = await connected(shop)
  for (const { id } of (await shop.asOperator('GET', '/markets')).body.items)
    await shop.asOperator('DELETE', `/markets/${id}`)
  await shop.asOperator('POST', '/markets', { key: 'mg', currency: 'MGA' })
  await shop.asOperator(
    'DELETE',
    `/markets/${(await shop.asOperator('GET', '/markets?sort_field=key&sort_direction=desc')).body.items[0].id}`,
  )
  const tea = await product(shop, { prices: [{ market: 'mg', amount: 12_300 }] })
  const { order_id, session } = await order(shop, [tea.item()], card)
  expect((await stripe(account, `/checkout/sessions/${session}`)).amount_total).toBe(123)
  const { payment_intent } = await pay(session)
  const payment = await until(async () => {
    const read = await paymentOf(shop, order_id)
    return read.status === 'paid' && read
  })
  expect([payment.captured_amount, payment.error]).toEqual([12_300, null])
  const refund = (refund_id: string, amount: number) =>
    shop.asOperator('POST', `/orders/${order_id}/refunds`, { refund_id, amount })
  const [whole, broken] = [await refund(crypto.randomUUID(), 2_300), await refund(crypto.randomUUID(), 2_350)]
  expect([whole.body.status, whole.body.amount]).toEqual(['succeeded', 2_300])
  expect([broken.body.status, broken.body.error.code]).toEqual(['failed', 'amount_not_refundable'])
  expect(
    (await stripe(account, `/refunds?payment_intent=${payment_intent}`)).data.map(
      ({ amount }: { amount: number }) => amount,
    ),
  ).toEqual([23])
})

test('Connections that break in a transaction fail their requests alone', async () => {
  const shop = await newShop()
  const visitor = await shop.visitor()
  const { body: cart } = await visitor.call('POST', '/carts/current')
  const small = await apiWith({ DATABASE_POOL: '2' })
  const holder = await database().connect()
  try {
    await holder.query('begin')
    await holder.query('select 1 from carts where id = $1 for update', [cart.id])
    for (let lost = 0; lost < 4; lost++) {
      const answer = visitor.call('PUT', `/carts/${cart.id}`, { promo_code: null, forms: [] }, small.url)
      const [pid] = await untilAwaited(holder)
      await database().query('select pg_terminate_backend($1)', [pid])
      expect((await answer).status).toBe(503)
    }
    await holder.query('rollback')
    expect((await visitor.call('PUT', `/carts/${cart.id}`, { forms: [] }, small.url)).status).toBe(200)
    expect((await http('GET', '/ready', { base: small.url })).body.database).toBe(true)
  } finally {
    holder.release()
    await small.stop()
  }
})

test('No shared cache stores a visitor’s responses', async () => {
  const shop = await newShop()
  const visitor = await shop.visitor()
  for (const path of ['/account/me', '/orders', '/products', `/orders/${crypto.randomUUID()}`])
    expect((await visitor.call('GET', path)).headers.get('cache-control')).toBe('no-store')
})

test('An unknown token is refused and counts towards its network’s limit', async () => {
  const shop = await newShop()
  const few = await apiWith({ RATE_VISITOR_PER_S: '5' })
  try {
    const statuses = await Promise.all(
      Array.from(
        { length: 30 },
        async (_, at) => (await shop.asVisitor('GET', '/account/me', undefined, `made-up-${at}`, few.url)).status,
      ),
    )
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
  } finally {
    await few.stop()
  }
})

test('Of an owner who archives a store and an admin who changes its status, the owner wins', async () => {
  const shop = await newShop()
  const admin = await operator()
  await shop.asOperator('POST', '/members', { email: admin.email, role: 'admin' })
  const holder = await database().connect()
  try {
    await holder.query('begin')
    await holder.query("update tenants set status = 'ARCHIVED' where id = $1", [shop.store_id])
    const answer = shop.as(admin, 'PUT', `/v1/stores/${shop.store_id}`, { status: 'DRAFT' })
    await untilAwaited(holder)
    await holder.query('commit')
    expect((await answer).status).toBe(403)
    expect((await shop.asOperator('GET', '')).body.status).toBe('ARCHIVED')
  } finally {
    holder.release()
  }
})

test('A refund that names a refund of another store is counted for its own payment alone', async () => {
  const [shop, other] = [await newShop(), await newShop()]
  const account = await connected(shop)
  await connected(other)
  const [mine, theirs] = [
    await paidOrder(shop, [(await product(shop)).item()]),
    await paidOrder(other, [(await product(other)).item()]),
  ]
  const refund_id = crypto.randomUUID()
  const { body: refund } = await other.asOperator('POST', `/orders/${theirs.order_id}/refunds`, {
    refund_id,
    amount: 100,
  })
  const object = {
    id: `re_${unique()}`,
    amount: 400,
    currency: 'usd',
    status: 'succeeded',
    payment_intent: mine.payment_intent,
    metadata: { refund: refund.id },
  }
  expect((await sendEvent({ id: `evt_${unique()}`, type: 'refund.created', account, data: { object } })).status).toBe(
    200,
  )
  expect((await paymentOf(shop, mine.order_id)).refunded_amount).toBe(400)
  expect((await paymentOf(other, theirs.order_id)).refunded_amount).toBe(100)
})
