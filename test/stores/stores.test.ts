// A new store can sell at once, belongs to its creator, and has a unique key.
import { expect, test } from '@jest/globals'
import { database, eitherApi, http, newShop, newStore, operator, secondApi, unique } from '../kit/shop.ts'

const body = (key: string) => ({
  key,
  timezone: 'Europe/Berlin',
  emails: { billing: 'Billing@Tillwright.test', support: null },
})

test('A new store has markets, a location, forms and a publishable key, and its creator is super', async () => {
  const op = await operator()
  const key = `tea-${unique()}`
  const made = await http('POST', '/v1/stores', { body: body(key), headers: op.headers })
  expect(made.status).toBe(201)
  expect(made.body).toEqual({
    id: expect.any(String),
    key,
    timezone: 'Europe/Berlin',
    languages: ['en'],
    emails: { billing: 'billing@tillwright.test', support: null },
    settings: { auto_confirm_paid: true },
    status: 'ACTIVE',
    is_network: false,
    publishable_key: expect.stringMatching(/^till_pk_[\w-]{43}$/),
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
  })
  const { id } = made.body
  const rows = async (sql: string) => (await database().query(sql, [id])).rows
  const zone = {
    id: expect.any(String),
    name: 'Everywhere',
    countries: [],
    states: [],
    postal_codes: [],
    tax_bps: 0,
    shipping_methods: [],
  }
  const payment_methods = [
    { key: 'cash', type: 'cash' },
    { key: 'credit_card', type: 'card' },
  ]
  expect(
    await rows(
      'select key, currency, tax_mode, zones, payment_methods from markets where tenant_id = $1 order by created_at, id',
    ),
  ).toEqual([
    { key: 'us', currency: 'USD', tax_mode: 'exclusive', zones: [zone], payment_methods },
    { key: 'eu', currency: 'EUR', tax_mode: 'inclusive', zones: [zone], payment_methods },
  ])
  expect(await rows('select key, address, is_pickup_location from locations where tenant_id = $1')).toEqual([
    { key: 'default', address: null, is_pickup_location: false },
  ])
  expect(await rows('select key from forms where tenant_id = $1 order by key')).toEqual([
    { key: 'contact' },
    { key: 'order-notes' },
    { key: 'service-intake' },
  ])
  expect(await rows('select name, value from counters where tenant_id = $1')).toEqual([
    { name: 'order', value: '1000' },
  ])
  expect(await rows('select account_id, role from team_members where tenant_id = $1')).toEqual([
    { account_id: op.account_id, role: 'super' },
  ])
})

test('Of twenty concurrent creations of one store key, one succeeds', async () => {
  const op = await operator()
  const key = `race-${unique()}`
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      http('POST', '/v1/stores', { body: body(key), headers: op.headers, base: eitherApi() }),
    ),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  for (const { status, body } of answers.filter((one) => one.status !== 201))
    expect([status, body.code]).toEqual([409, 'key_taken'])
  const other = await newShop()
  expect(
    (await http('PUT', `/v1/stores/${other.store_id}`, { body: { key }, headers: other.op.headers })).body.code,
  ).toBe('key_taken')
  expect((await other.asOperator('GET', '')).body.key).toBe(other.store.key)
})

test('An invalid new store is refused field by field', async () => {
  const op = await operator()
  const post = async (wrong: object) =>
    (await http('POST', '/v1/stores', { body: { ...body(`x-${unique()}`), ...wrong }, headers: op.headers })).body
  const faults = async (wrong: object) => (await post(wrong)).errors?.map(({ pointer }: { pointer: string }) => pointer)
  for (const key of ['ab', 'Shop', 'my shop', '-shop', 'shop-']) expect(await faults({ key })).toContain('/key')
  for (const timezone of ['Mars/Olympus', '+01:00', '', 'CET+1'])
    expect(await faults({ timezone })).toContain('/timezone')
  for (const languages of [[], ['english please'], ['en', 'en']]) expect(await faults({ languages })).toHaveLength(1)
  expect(await faults({ emails: { billing: 'nobody' } })).toEqual(['/emails/billing'])
  expect(await faults({ emails: { biling: 'a@tillwright.test' } })).toEqual(['/emails/biling'])
  expect(await faults({ emails: undefined, timezone: undefined })).toEqual(['/timezone', '/emails'])
  expect(await faults({ settings: { auto_confirm_paid: 'yes' } })).toEqual(['/settings/auto_confirm_paid'])
  expect(await faults({ colour: 'red' })).toEqual(['/colour'])
  expect((await http('POST', '/v1/stores', { body: body('abc-abc') })).status).toBe(401)
  for (const timezone of ['UTC', 'Asia/Kolkata', 'America/Argentina/Ushuaia'])
    expect((await post({ timezone })).timezone).toBe(timezone)
  expect((await post({ timezone: 'europe/LONDON' })).timezone).toBe('Europe/London')
})

test('A store is updated field by field and can be sent back as it was read', async () => {
  const shop = await newShop()
  const put = (change: unknown) =>
    http('PUT', `/v1/stores/${shop.store_id}`, { body: change, headers: shop.op.headers })
  const changed = await put({
    languages: ['de', 'en'],
    settings: { auto_confirm_paid: false, name: 'Tea & Co', theme: { dark: true } },
  })
  expect(changed.status).toBe(200)
  expect(changed.body).toMatchObject({
    key: shop.store.key,
    timezone: 'Europe/Berlin',
    languages: ['de', 'en'],
    settings: { auto_confirm_paid: false, theme: { dark: true } },
  })
  expect(
    (await put({ ...changed.body, id: shop.store_id, timezone: 'Asia/Tokyo', publishable_key: 'till_pk_mine' })).body,
  ).toEqual({
    ...changed.body,
    timezone: 'Asia/Tokyo',
    updated_at: expect.any(Number),
  })
  const key = `renamed-${unique()}`
  expect((await put({ key, status: 'draft' })).body).toMatchObject({ key, status: 'DRAFT' })
  expect((await shop.asVisitor('GET', '/store')).body).toEqual({
    id: shop.store_id,
    key,
    name: 'Tea & Co',
    timezone: 'Asia/Tokyo',
    languages: ['de', 'en'],
    emails: { support: shop.op.email },
  })
})

test('An admin updates a store, but only an owner archives or restores it', async () => {
  const shop = await newShop()
  const [admin, owner] = [await operator(), await operator()]
  await shop.asOperator('POST', '/members', { email: admin.email })
  await shop.asOperator('POST', '/members', { email: owner.email, role: 'owner' })
  const put = (op: typeof admin, status: string) => shop.as(op, 'PUT', '', { status })
  expect((await put(admin, 'DRAFT')).status).toBe(200)
  expect((await put(admin, 'ARCHIVED')).status).toBe(403)
  expect((await put(owner, 'archived')).body.status).toBe('ARCHIVED')
  expect((await shop.asVisitor('GET', '/store')).status).toBe(403)
  expect((await put(admin, 'ACTIVE')).status).toBe(403)
  expect((await put(admin, 'ARCHIVED')).status).toBe(200)
  expect((await put(owner, 'ACTIVE')).body.status).toBe('ACTIVE')
})

test('An operator lists the stores of their memberships, and others return 404', async () => {
  const op = await operator()
  const word = unique()
  const own = []
  for (const [at, status] of ['ACTIVE', 'DRAFT', 'ACTIVE'].entries()) {
    const store = await newStore(op, { key: `${word}-${at}-teapot` })
    if (status !== 'ACTIVE') await http('PUT', `/v1/stores/${store.id}`, { body: { status }, headers: op.headers })
    own.push(store.id)
  }
  const other = await newShop({ key: `${word}-theirs` })
  const list = async (query: string) => {
    const answer = await http('GET', `/v1/stores?${query}`, { headers: op.headers, base: secondApi() })
    return { ...answer.body, ids: answer.body.items?.map(({ id }: { id: string }) => id) }
  }
  expect((await list('')).ids).toEqual(own.toReversed())
  expect((await list(`query=${word.toUpperCase()}&sort_field=key&sort_direction=asc`)).ids).toEqual(own)
  expect((await list('query=teapot')).ids).toEqual(own.toReversed())
  // The beginning of a word is looked for, not its middle. The other words are hexadecimal, and hold no `p`.
  expect((await list('query=eapot')).ids).toEqual([])
  expect((await list('status=draft')).ids).toEqual([own[1]])
  expect((await list('isNetwork=true')).ids).toEqual([])
  expect((await list('isNetwork=false')).ids).toHaveLength(3)
  // Only the contract's spelling: clients are generated from the parameters' names.
  expect(await list('is_network=false')).toMatchObject({
    status: 422,
    errors: [{ pointer: 'is_network', code: 'unknown_parameter' }],
  })
  const first = await list('limit=2')
  expect(first.ids).toEqual([own[2], own[1]])
  expect((await list(`limit=2&cursor=${first.cursor}`)).ids).toEqual([own[0]])
  expect((await http('GET', '/v1/stores', { headers: (await operator()).headers })).body).toEqual({
    items: [],
    cursor: null,
  })
  for (const [method, path] of [
    ['GET', ''],
    ['PUT', ''],
    ['GET', '/members'],
    ['POST', '/publishable-key/rotate'],
  ] as const)
    expect(
      (
        await http(method, `/v1/stores/${other.store_id}${path}`, {
          headers: op.headers,
          ...(method === 'GET' ? {} : { body: {} }),
        })
      ).status,
    ).toBe(404)
  expect((await http('GET', '/v1/stores/no-such-store', { headers: op.headers })).status).toBe(404)
})

test('A rotated publishable key works at once, and the old one no longer', async () => {
  const shop = await newShop()
  const rotated = await shop.asOperator('POST', '/publishable-key/rotate')
  expect(rotated.body.publishable_key).not.toBe(shop.publishable_key)
  expect((await shop.asVisitor('GET', '/store')).status).toBe(401)
  expect(
    (
      await http('GET', '/v1/storefront/store', {
        headers: { 'x-service-publishable-key': rotated.body.publishable_key },
      })
    ).body.id,
  ).toBe(shop.store_id)
  const admin = await operator()
  await shop.asOperator('POST', '/members', { email: admin.email })
  expect((await shop.as(admin, 'POST', '/publishable-key/rotate')).status).toBe(403)
})
