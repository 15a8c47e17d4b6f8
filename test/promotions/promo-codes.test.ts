// A promo code is unique in its store in any spelling, names only existing markets, products and services, and counts
// its own uses.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { service } from '../kit/bookings/booking.ts'
import { made } from '../kit/content/content.ts'
import { product } from '../kit/orders/buying.ts'
import { api, database, eitherApi, newShop, type Shop, secondApi, unique } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})

const tenOff = { type: 'items_percentage', market_key: 'us', bps: 1000 }
const someId = '0199aaaa-0000-7000-8000-0000000000aa'
const create = (body: Record<string, unknown> = {}, at = shop, base?: string) =>
  at.asOperator('POST', '/promo-codes', { code: unique(), discounts: [tenOff], conditions: [], ...body }, base)
const read = (id: string) => shop.asOperator('GET', `/promo-codes/${id}`, undefined, eitherApi())
const update = (id: string, body: unknown) => shop.asOperator('PUT', `/promo-codes/${id}`, body)
const remove = (id: string) => shop.asOperator('DELETE', `/promo-codes/${id}`)
const faults = ({ status, body }: { status: number; body: { errors: { pointer: string; code: string }[] } }) => [
  status,
  ...body.errors.map(({ pointer, code }) => `${pointer} ${code}`),
]

test('A promo code is read as it was written and can be sent back', async () => {
  const code = `Sommer-${unique()}`
  const club = (await made(shop.asOperator('POST', '/audiences', { key: unique(), type: { type: 'open' } }))).id
  const audience = { type: 'audience_percentage', audience_id: club.toUpperCase(), bps: 10_000, applies_to: 'items' }
  const discounts = [
    tenOff,
    { type: 'items_fixed', market_key: 'eu', amount: 500 },
    { type: 'shipping_percentage', market_key: 'us', bps: 10_000 },
    audience,
  ]
  const conditions = [
    { type: 'products', product_ids: [(await product(shop)).id] },
    { type: 'services', service_ids: [await service(shop)] },
    { type: 'min_order_amount', amount: 2000 },
    { type: 'date_range', start: 1_700_000_000, end: null },
    { type: 'max_uses', count: 100 },
    { type: 'max_uses_per_user', count: 1 },
  ]
  const { status, body } = await create({ code: ` ${code}\t`, discounts, conditions })
  expect(status).toBe(201)
  const whole = { ...audience, audience_id: club, tier_ids: [], price_ids: [] }
  expect(body).toEqual({
    id: expect.any(String),
    code,
    status: 'active',
    discounts: [...discounts.slice(0, 3), whole],
    conditions,
    uses: 0,
    created_at: expect.any(Number),
    updated_at: body.created_at,
  })
  expect((await read(body.id)).body).toEqual(body)
  const again = await update(body.id, body)
  expect([again.status, { ...again.body, updated_at: body.updated_at }]).toEqual([200, body])
})

test('A promo code can be created as archived, in any case of the word', async () => {
  expect((await create({ status: 'Archived' })).body.status).toBe('archived')
})

test('An update of a promo code changes only the fields it sends', async () => {
  expect((await create({ conditions: undefined })).body.conditions).toEqual([])
  const { body } = await create({ conditions: [{ type: 'max_uses', count: 5 }] })
  const discounts = [{ type: 'items_fixed', market_key: 'eu', amount: 1 }]
  expect((await update(body.id, { status: 'archived' })).body).toMatchObject({
    ...body,
    status: 'archived',
    updated_at: expect.any(Number),
  })
  expect((await update(body.id, { discounts })).body).toMatchObject({
    code: body.code,
    status: 'archived',
    discounts,
    conditions: body.conditions,
  })
  expect((await update(body.id, { conditions: [] })).body).toMatchObject({ discounts, conditions: [] })
  const code = unique()
  expect((await update(body.id, { code })).body).toMatchObject({ code, status: 'archived', discounts, conditions: [] })
  expect((await read(body.id)).body.code).toBe(code)
})

test('The uses of a promo code cannot be set by a request', async () => {
  const { body } = await create({ uses: 7 })
  expect(body.uses).toBe(0)
  expect((await update(body.id, { ...body, uses: 7 })).body.uses).toBe(0)
})

test('A promo code keeps its key and its limit in columns of their own for the checkout', async () => {
  const kept = async (id: string) =>
    (await database().query('select code_key, max_uses from promo_codes where id = $1', [id])).rows[0]
  const code = unique()
  const counts = [5, 2].map((count) => ({ type: 'max_uses', count }))
  const { body } = await create({ code, conditions: counts })
  expect(await kept(body.id)).toEqual({ code_key: code.toUpperCase(), max_uses: 2 })
  await update(body.id, { status: 'archived' })
  expect(await kept(body.id)).toEqual({ code_key: code.toUpperCase(), max_uses: 2 })
  await update(body.id, { code: `${code}x`, conditions: [{ type: 'max_uses_per_user', count: 1 }] })
  expect(await kept(body.id)).toEqual({ code_key: `${code}X`.toUpperCase(), max_uses: null })
})

test('A deleted promo code returns 404, and its name can be used again', async () => {
  const { body } = await create()
  expect((await remove(body.id)).body).toEqual({ success: true })
  expect([(await remove(body.id)).status, (await read(body.id)).status, (await update(body.id, {})).status]).toEqual([
    404, 404, 404,
  ])
  expect((await create({ code: body.code })).status).toBe(201)
})

test('A promo code of another store returns 404', async () => {
  const { body } = await create({}, await newShop())
  const answers = [await read(body.id), await update(body.id, { status: 'archived' }), await remove(body.id)]
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
})

describe('Uniqueness of promo codes', () => {
  const taken = [409, '/code code_taken']

  test('A promo code is unique in any spelling, when created and when updated', async () => {
    const code = `Été-${unique()}`
    const { body } = await create({ code })
    for (const same of [code, code.toUpperCase(), code.toLowerCase(), ` ${code} `, code.normalize('NFD')])
      expect([same, faults(await create({ code: same }))]).toEqual([same, taken])
    const other = await create()
    expect(faults(await update(other.body.id, { code: code.toUpperCase() }))).toEqual(taken)
    expect((await read(other.body.id)).body).toEqual(other.body)
    expect((await update(body.id, { code: code.toUpperCase() })).body.code).toBe(code.toUpperCase())
  })

  test('Two stores may have the same promo code', async () => {
    const { body } = await create()
    expect((await create({ code: body.code }, await newShop())).status).toBe(201)
  })

  test('Of twenty concurrent creations of one code in any case, one succeeds', async () => {
    const code = `rush-${unique()}`
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, turn) =>
        create({ code: turn % 3 === 0 ? code.toUpperCase() : code }, shop, turn % 2 === 0 ? api() : secondApi()),
      ),
    )
    expect(answers.map(({ status, body }) => (status === 201 ? '201' : `${status} ${body.code}`)).sort()).toEqual([
      '201',
      ...Array.from({ length: 19 }, () => '409 code_taken'),
    ])
    expect((await shop.asOperator('GET', `/promo-codes?query=${code}`)).body.items).toHaveLength(1)
  })
})

describe('Refused promo codes', () => {
  const range = { type: 'date_range', start: 2, end: 1 }
  const audience = { type: 'audience_percentage', audience_id: someId, bps: 1 }
  test.each([
    ['no code', { code: '  ' }, '/code', 'invalid_format'],
    ['a code that is too long', { code: 'x'.repeat(65) }, '/code', 'too_big'],
    ['a code with a space within', { code: 'SAVE 10' }, '/code', 'invalid_format'],
    ['a code with a control character', { code: 'SAVE\u000710' }, '/code', 'invalid_format'],
    ['a code with an invisible character', { code: 'SAVE\u200b10' }, '/code', 'invalid_format'],
    ['no discount', { discounts: [] }, '/discounts', 'too_small'],
    [
      'too many discounts',
      { discounts: Array.from({ length: 101 }, (_, at) => ({ ...tenOff, market_key: `m${at}` })) },
      '/discounts',
      'too_big',
    ],
    [
      'too many conditions',
      { conditions: Array.from({ length: 51 }, () => ({ type: 'max_uses', count: 1 })) },
      '/conditions',
      'too_big',
    ],
    ['a discount of no known type', { discounts: [{ ...tenOff, type: 'gift' }] }, '/discounts/0/type', 'invalid_value'],
    ['a discount above 100 %', { discounts: [{ ...tenOff, bps: 10_001 }] }, '/discounts/0/bps', 'too_big'],
    [
      'a discount of nothing',
      { discounts: [{ type: 'items_fixed', market_key: 'us', amount: 0 }] },
      '/discounts/0/amount',
      'too_small',
    ],
    ['an unknown field', { discounts: [{ ...tenOff, percent: 10 }] }, '/discounts/0/percent', 'unknown_field'],
    ['a range that ends before it starts', { conditions: [range] }, '/conditions/0/end', 'invalid_value'],
    ['an invalid status', { status: 'paused' }, '/status', 'invalid_value'],
    [
      'two of one type in one market',
      { discounts: [tenOff, { ...tenOff, market_key: 'eu' }, { ...tenOff, bps: 1 }] },
      '/discounts/2/market_key',
      'duplicate',
    ],
    [
      'two for the same tiers of one audience',
      { discounts: [audience, { ...audience, tier_ids: [someId] }, { ...audience, bps: 1 }] },
      '/discounts/2/audience_id',
      'duplicate',
    ],
    ['an unknown audience', { discounts: [tenOff, audience] }, '/discounts/1/audience_id', 'audience_unknown'],
    [
      'an unknown market',
      { discounts: [audience, tenOff, { ...tenOff, market_key: 'moon' }] },
      '/discounts/2/market_key',
      'market_unknown',
    ],
  ])('A promo code with %s is refused when created and when updated', async (_, body, pointer, code) => {
    expect(faults(await create(body))).toEqual([422, `${pointer} ${code}`])
    const { body: before } = await create()
    expect(faults(await update(before.id, body))).toEqual([422, `${pointer} ${code}`])
    expect((await read(before.id)).body).toEqual(before)
  })

  test.each(['code', 'discounts'])('A new promo code without %s is refused', async (field) => {
    expect(faults(await create({ [field]: undefined }))).toEqual([422, `/${field} required`])
  })

  test('A promo code cannot name another store’s market', async () => {
    const other = await newShop()
    const { body: market } = await other.asOperator('POST', '/markets', { key: unique(), currency: 'GBP' })
    const discounts = [{ ...tenOff, market_key: market.key }]
    expect(faults(await create({ discounts }))).toEqual([422, '/discounts/0/market_key market_unknown'])
    expect((await create({ discounts }, other)).status).toBe(201)
  })

  test('A code whose market was deleted while it was archived cannot be activated', async () => {
    const { body: market } = await shop.asOperator('POST', '/markets', { key: unique(), currency: 'GBP' })
    const { body } = await create({ status: 'archived', discounts: [tenOff, { ...tenOff, market_key: market.key }] })
    expect((await shop.asOperator('DELETE', `/markets/${market.id}`)).status).toBe(200)
    expect((await update(body.id, body)).status).toBe(200)
    expect(faults(await update(body.id, { status: 'active' }))).toEqual([422, '/discounts/1/market_key market_unknown'])
    expect((await update(body.id, { status: 'active', discounts: [tenOff] })).body.status).toBe('active')
  })
})

test('A new promo code names only existing products and services; deleted ones may stay in it', async () => {
  const other = await newShop()
  const [mine, theirs] = [await product(shop), await product(other)]
  const naming = (product_id: string, service_id: string) => [
    { type: 'products', product_ids: [mine.id, product_id] },
    { type: 'services', service_ids: [service_id] },
  ]
  const unknown = [422, '/conditions/0/product_ids/1 product_unknown', '/conditions/1/service_ids/0 service_unknown']
  const wrong = { conditions: naming(theirs.id, await service(other)) }
  const made = await create({ conditions: naming(mine.id, await service(shop)) })
  expect(made.status).toBe(201)
  expect(faults(await create(wrong))).toEqual(unknown)
  expect(faults(await update(made.body.id, wrong))).toEqual(unknown)
  expect((await shop.asOperator('DELETE', `/products/${mine.id}`)).status).toBe(200)
  expect((await update(made.body.id, { conditions: made.body.conditions })).status).toBe(200)
})

describe('The list of promo codes', () => {
  let small: Shop
  const ids: Record<string, string> = {}
  beforeAll(async () => {
    small = await newShop()
    for (const code of ['SPRING10', 'Spring20', 'Summer_5', 'Summer%5', 'Autumn'])
      ids[code] = (await create({ code }, small)).body.id
    await small.asOperator('PUT', `/promo-codes/${ids.Spring20}`, { status: 'archived' })
  })
  const codesOf = async (query: string) =>
    (
      await small.asOperator('GET', `/promo-codes?sort_field=code&sort_direction=asc&${query}`, undefined, eitherApi())
    ).body.items.map(({ code }: { code: string }) => code)

  test('The list of promo codes contains one store’s codes in full', async () => {
    const { body } = await small.asOperator('GET', '/promo-codes')
    expect(body.items.map(({ code }: { code: string }) => code)).toEqual([
      'Autumn',
      'Summer%5',
      'Summer_5',
      'Spring20',
      'SPRING10',
    ])
    expect(body.items[0]).toEqual((await small.asOperator('GET', `/promo-codes/${ids.Autumn}`)).body)
    expect(body.cursor).toBeNull()
  })

  test('A query finds codes by their start, in any case, and treats no character as a wildcard', async () => {
    expect(await codesOf('query=spring')).toEqual(['SPRING10', 'Spring20'])
    expect(await codesOf('query=pring')).toEqual([])
    expect(await codesOf('query=summer_')).toEqual(['Summer_5'])
    expect(await codesOf('query=summer%25')).toEqual(['Summer%5'])
    expect(await codesOf('query=%5C')).toEqual([])
  })

  test('The status filter narrows the list alone or with other filters', async () => {
    expect(await codesOf('status=ARCHIVED')).toEqual(['Spring20'])
    expect(await codesOf('status=active&query=s')).toEqual(expect.arrayContaining(['SPRING10', 'Summer_5', 'Summer%5']))
    expect((await small.asOperator('GET', '/promo-codes?status=paused')).status).toBe(422)
  })

  test('A list by ids ignores every other filter', async () => {
    const asked = `ids=${ids.SPRING10}&ids=${ids.Spring20}`
    expect(await codesOf(`${asked}&status=archived&query=autumn`)).toEqual(['SPRING10', 'Spring20'])
    const { body } = await create()
    expect(await codesOf(`ids=${body.id}`)).toEqual([])
  })

  test('The list of promo codes is paged in the order of the codes', async () => {
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await small.asOperator(
        'GET',
        `/promo-codes?limit=2&sort_field=code&sort_direction=asc&cursor=${cursor}`,
      )
      seen.push(...body.items.map(({ code }: { code: string }) => code))
      cursor = body.cursor
    } while (cursor && seen.length < 10)
    expect([...seen].sort()).toEqual(Object.keys(ids).sort())
  })
})
