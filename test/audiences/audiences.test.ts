// Audiences move from draft to active to archived, and their tiers keep every price that was ever sold.
import { beforeAll, expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { confirmationPage, confirmationType, newAudience, newContact } from '../kit/audiences/audiences.ts'
import { made } from '../kit/content/content.ts'
import { type Answer, database, eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
let other: Shop
beforeAll(async () => {
  ;[shop, other] = await Promise.all([newShop(), newShop()])
})

const create = (type: object, more: object = {}) =>
  made(shop.asOperator('POST', '/audiences', { key: unique(), type, ...more }))
const put = (id: string, body: object, base?: string) => shop.asOperator('PUT', `/audiences/${id}`, body, base)
const faultsOf = ({ status, body }: Answer) => [
  status,
  body.code,
  (body.errors ?? []).map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`),
]

test('An audience is created as a draft, read, found by words and status, and sent back', async () => {
  const audience = await create({ type: 'open' }, { name: 'Tea news' })
  expect(audience).toMatchObject({ store_id: shop.store_id, name: 'Tea news', status: 'draft', type: { type: 'open' } })
  expect((await shop.asOperator('GET', `/audiences/${audience.id}`)).body).toEqual(audience)
  expect((await put(audience.id, audience)).body).toEqual({ ...audience, updated_at: expect.any(Number) })
  const found = async (search: string) =>
    (await shop.asOperator('GET', `/audiences?${search}`)).body.items.map(({ id }: { id: string }) => id)
  expect(await found('query=tea+ne&status=draft')).toEqual([audience.id])
  expect(await found(`key=${audience.key}&type=open`)).toEqual([audience.id])
  expect(await found(`key=${audience.key}&status=active`)).toEqual([])
  expect(faultsOf(await shop.asOperator('POST', '/audiences', { key: audience.key, type: { type: 'open' } }))).toEqual([
    409,
    'key_taken',
    ['/key key_taken'],
  ])
})

test('A confirmation audience needs its template and page to be active, and lists all reasons', async () => {
  const { id } = await create({ type: 'confirmation' })
  expect(faultsOf(await put(id, { status: 'active' }))).toEqual([
    409,
    'audience_not_ready',
    ['/type/template_id required', '/type/confirmation_url required'],
  ])
  const unfit = await confirmationType(shop, { type: 'campaign', status: 'draft' })
  expect(faultsOf(await put(id, { status: 'active', type: unfit }))).toEqual([
    409,
    'audience_not_ready',
    ['/type/template_id template_type_differs', '/type/template_id template_not_active'],
  ])
  const type = await confirmationType(shop)
  const active = await put(id, { status: 'active', type })
  expect([active.status, active.body.status, active.body.type]).toEqual([200, 'active', { ...type, mailbox_id: null }])
  // An active audience stays ready.
  expect(faultsOf(await put(id, { type: { ...type, confirmation_url: null } }))[1]).toBe('audience_not_ready')
  expect((await put(id, { name: 'Renamed' })).body).toMatchObject({
    status: 'active',
    type: { confirmation_url: confirmationPage },
  })
})

test('A template that cannot be rendered as a confirmation is refused, also while it is used', async () => {
  const unfit = await confirmationType(shop, { body: '<p>{{ confirmation_url }} {{ nope }}</p>' })
  const { id } = await create(unfit)
  const refused = await put(id, { status: 'active' })
  expect(faultsOf(refused)).toEqual([409, 'audience_not_ready', ['/type/template_id template_failed']])
  expect(refused.body.errors[0].detail).toContain('nope')
  const template = (body: object) => shop.asOperator('PUT', `/email-templates/${unfit.template_id}`, body)
  expect(
    (await template({ body: '<p>{{ confirmation_url }} {{ email }} {{ audience.key }} {{ store.name }}</p>' })).status,
  ).toBe(200)
  expect((await put(id, { status: 'active' })).status).toBe(200)
  expect(faultsOf(await template({ subject: '{{ nope }}' })).slice(0, 2)).toEqual([422, 'template_failed'])
  expect(faultsOf(await template({ body: '<p>Welcome</p>' }))).toEqual([
    422,
    'template_failed',
    ['/body template_failed'],
  ])
  const silent = await create(await confirmationType(shop, { body: '<p>Welcome</p>' }))
  expect(faultsOf(await put(silent.id, { status: 'active' }))).toEqual([
    409,
    'audience_not_ready',
    ['/type/template_id template_failed'],
  ])
  expect((await shop.asOperator('GET', `/email-templates/${unfit.template_id}`)).body.subject).toBe(
    'Join {{ audience.name }}',
  )
})

test('Templates, mailboxes and payment providers of another store are unknown', async () => {
  const theirs = await confirmationType(other)
  expect(
    faultsOf(await shop.asOperator('POST', '/audiences', { key: unique(), type: { ...theirs, mailbox_id: newId() } })),
  ).toEqual([422, 'invalid_input', ['/type/template_id template_unknown', '/type/mailbox_id mailbox_unknown']])
  const { id } = await create({ type: 'paid' })
  const provider = { type: 'card_payment', payment_provider_id: newId() }
  expect(faultsOf(await shop.asOperator('POST', `/audiences/${id}/tiers`, { key: 'a', provider }))[1]).toBe(
    'payment_provider_unknown',
  )
})

test('The type of an audience is fixed by activation, by a member and by a tier', async () => {
  const active = await newAudience(shop)
  const paid = await create({ type: 'paid' })
  await made(shop.asOperator('POST', `/audiences/${paid.id}/tiers`, { key: 'a' }))
  for (const id of [active.id, paid.id])
    expect(faultsOf(await put(id, { type: { type: 'private' } }))[1]).toBe('audience_type_fixed')
  const free = await create({ type: 'paid' })
  expect((await put(free.id, { type: { type: 'private' } })).body.type).toEqual({ type: 'private' })
})

test('An archived audience stays archived, and an active one is never a draft again', async () => {
  const { id } = await newAudience(shop)
  expect(faultsOf(await put(id, { status: 'draft' }))[1]).toBe('audience_not_draft')
  expect((await put(id, { status: 'ARCHIVED' })).body.status).toBe('archived')
  for (const status of ['draft', 'active']) expect(faultsOf(await put(id, { status }))[1]).toBe('audience_archived')
  const { id: contact_id } = await newContact(shop)
  expect(faultsOf(await shop.asOperator('POST', `/audiences/${id}/members`, { contact_id }))[1]).toBe(
    'enrollment_not_direct',
  )
})

test('No member joins while an audience is archived by another request', async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await newAudience(shop)
    const contacts = await Promise.all(Array.from({ length: 4 }, () => newContact(shop)))
    const [archived, ...joined] = await Promise.all([
      put(id, { status: 'archived' }, eitherApi()),
      ...contacts.map((contact) =>
        shop.asOperator('POST', `/audiences/${id}/members`, { contact_id: contact.id }, eitherApi()),
      ),
    ])
    expect([archived?.status, joined.every(({ status }) => status === 201 || status === 409)]).toEqual([200, true])
    const { rows } = await database().query('select count(*)::int as n from audience_members where audience_id = $1', [
      id,
    ])
    expect(rows[0].n).toBe(joined.filter(({ status }) => status === 201).length)
  }
})

const monthly = { amount: 900, currency: 'USD', interval: { period: 'month', count: 1 } }
const forever = { amount: 9000, currency: 'usd' }

test('A tier shows its prices by id, archives those left out, and never changes their terms', async () => {
  const { id } = await create({ type: 'paid' })
  const path = `/audiences/${id}/tiers`
  const tier = await made(
    shop.asOperator('POST', path, { key: 'gold', name: 'Gold', benefits: ['Tea'], prices: [monthly, forever] }),
  )
  expect(tier).toMatchObject({
    audience_id: id,
    status: 'active',
    provider: null,
    description: null,
    benefits: ['Tea'],
  })
  expect(tier.prices).toEqual([
    { id: expect.any(String), ...monthly, status: 'active', ready: false, error: null },
    {
      id: expect.any(String),
      amount: 9000,
      currency: 'USD',
      interval: null,
      status: 'active',
      ready: false,
      error: null,
    },
  ])
  expect((await shop.asOperator('PUT', `${path}/${tier.id}`, tier)).body.prices).toEqual(tier.prices)
  const [first, second] = tier.prices
  const changed = await shop.asOperator('PUT', `${path}/${tier.id}`, {
    prices: [
      { ...first, amount: 1000 },
      { ...second, currency: 'EUR' },
    ],
  })
  expect(faultsOf(changed)).toEqual([
    422,
    'price_immutable',
    ['/prices/0 price_immutable', '/prices/1 price_immutable'],
  ])
  const left = (
    await shop.asOperator('PUT', `${path}/${tier.id}`, { prices: [second, { amount: 0, currency: 'USD' }] })
  ).body.prices
  expect(left.map((price: { amount: number; status: string }) => [price.amount, price.status]).sort()).toEqual([
    [0, 'active'],
    [900, 'archived'],
    [9000, 'active'],
  ])
  expect((await shop.asOperator('GET', `${path}/${tier.id}`)).body.prices).toEqual(left)
  expect((await shop.asOperator('GET', path)).body.items).toEqual([
    expect.objectContaining({ id: tier.id, prices: left }),
  ])
  expect(
    faultsOf(await shop.asOperator('PUT', `${path}/${tier.id}`, { prices: [{ ...forever, id: newId() }] })),
  ).toEqual([422, 'invalid_input', ['/prices/0/id price_unknown']])
  expect(faultsOf(await shop.asOperator('POST', path, { key: 'gold' }))).toEqual([409, 'key_taken', ['/key key_taken']])
})

test.each([
  ['below the minimum for cards', { amount: 49, currency: 'USD' }, '/prices/0/amount too_small'],
  ['that cards cannot be charged', { amount: 1001, currency: 'KWD' }, '/prices/0/amount not_multiple_of'],
  [
    'every four years',
    { ...monthly, interval: { period: 'year', count: 4 } },
    '/prices/0/interval/count invalid_value',
  ],
])('A price %s is refused at its place', async (_, price, fault) => {
  const { id } = await create({ type: 'paid' })
  expect(faultsOf(await shop.asOperator('POST', `/audiences/${id}/tiers`, { key: 'a', prices: [price] }))[2]).toEqual([
    fault,
  ])
})

test('Only paid audiences have tiers, at most 50 also under concurrent requests', async () => {
  const open = await newAudience(shop)
  expect(faultsOf(await shop.asOperator('POST', `/audiences/${open.id}/tiers`, { key: 'a' }))[1]).toBe(
    'audience_not_paid',
  )
  const { id } = await create({ type: 'paid' })
  await database().query(
    `insert into audience_tiers (id, created_at, updated_at, tenant_id, audience_id, key, name, benefits)
     select gen_random_uuid(), 1, 1, $1, $2, n::text, 'x', '[]' from generate_series(1, 45) n`,
    [shop.store_id, id],
  )
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => shop.asOperator('POST', `/audiences/${id}/tiers`, { key: unique() }, eitherApi())),
  )
  expect(answers.filter(({ status }) => status === 201).length).toBe(5)
  expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.code))).toEqual(
    new Set(['tiers_too_many']),
  )
})

test('A paid audience needs a tier that can be paid, and a free price needs no provider', async () => {
  const { id } = await create({ type: 'paid' })
  const tier = await made(shop.asOperator('POST', `/audiences/${id}/tiers`, { key: 'a', prices: [monthly, forever] }))
  expect(faultsOf(await put(id, { status: 'active' }))).toEqual([409, 'audience_not_ready', ['/type tier_not_ready']])
  await shop.asOperator('PUT', `/audiences/${id}/tiers/${tier.id}`, {
    prices: [...tier.prices, { amount: 0, currency: 'USD' }],
  })
  expect((await put(id, { status: 'active' })).body.status).toBe('active')
  const shown = await shop.asVisitor('GET', `/audiences/${id}`)
  expect(shown.body).toMatchObject({ id, type: { type: 'paid' }, tiers: [{ key: 'a', prices: [{ amount: 0 }] }] })
  expect(shown.body.tiers[0].prices).toHaveLength(1)
  const stored = (await shop.asOperator('GET', `/audiences/${id}/tiers/${tier.id}`)).body.prices
  expect(stored.map(({ ready }: { ready: boolean }) => ready)).toEqual([false, false, true])
  const visitor = await shop.visitor()
  expect(faultsOf(await visitor.call('POST', `/audiences/${id}/subscribe`, {}))).toEqual([
    422,
    'invalid_input',
    ['/price_id required'],
  ])
})
