// Which role may grant, change and remove which role; a store always keeps a super, even when several leave at once.
import { expect, test } from '@jest/globals'
import { bearer, signIn } from '../kit/codes.ts'
import {
  database,
  eitherApi,
  http,
  newEmail,
  newShop,
  type Operator,
  operator,
  type Shop,
  unique,
} from '../kit/shop.ts'

type Role = 'admin' | 'owner' | 'super'

async function member(shop: Shop, role: Role): Promise<Operator> {
  const op = await operator()
  const added = await shop.asOperator('POST', '/members', { email: op.email, role })
  expect([added.status, added.body.role]).toEqual([201, role])
  return op
}
const set = (shop: Shop, by: Operator, whom: Operator, role: Role, base?: string) =>
  shop.as(by, 'POST', '/members', { email: whom.email, role }, base)
const remove = (shop: Shop, by: Operator, whom: Operator, base?: string) =>
  shop.as(by, 'DELETE', `/members/${whom.account_id}`, undefined, base)
const team = async (shop: Shop, by = shop.op) =>
  Object.fromEntries(
    (await shop.as(by, 'GET', '/members')).body.items.map(({ email, role }: { email: string; role: Role }) => [
      email,
      role,
    ]),
  )

test('A member is added at once, and an unknown address becomes an account that can sign in', async () => {
  const shop = await newShop()
  const email = newEmail()
  const added = await shop.asOperator('POST', '/members', { email: email.toUpperCase() })
  expect(added.status).toBe(201)
  expect(added.body).toEqual({
    account_id: expect.any(String),
    email,
    name: null,
    role: 'admin',
    accepted_at: null,
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
  })
  const session = await signIn(email)
  expect((await http('GET', `/v1/stores/${shop.store_id}`, { headers: bearer(session) })).status).toBe(200)
  const again = await shop.asOperator('POST', '/members', { email, role: 'Owner' })
  expect([again.status, again.body.account_id, again.body.role]).toEqual([200, added.body.account_id, 'owner'])
  expect((await shop.asOperator('GET', '/members?role=owner')).body.items).toEqual([again.body])
  expect((await shop.asOperator('DELETE', `/members/${added.body.account_id}`)).body).toEqual({ success: true })
  expect((await http('GET', `/v1/stores/${shop.store_id}`, { headers: bearer(session) })).status).toBe(404)
  expect((await shop.asOperator('DELETE', `/members/${added.body.account_id}`)).status).toBe(404)
})

test('Owners manage admins and add owners, supers change owners and grant super, admins read', async () => {
  const shop = await newShop()
  const [admin, otherAdmin, owner, otherOwner] = [
    await member(shop, 'admin'),
    await member(shop, 'admin'),
    await member(shop, 'owner'),
    await member(shop, 'owner'),
  ]
  for (const whom of [admin, otherAdmin, owner, shop.op]) {
    expect((await set(shop, admin, whom, 'admin')).status).toBe(403)
    if (whom !== admin) expect((await remove(shop, admin, whom)).status).toBe(403)
  }
  expect((await set(shop, owner, await operator(), 'super')).status).toBe(403)
  expect((await set(shop, owner, owner, 'super')).status).toBe(403)
  expect((await set(shop, owner, otherOwner, 'admin')).status).toBe(403)
  expect((await set(shop, owner, shop.op, 'admin')).status).toBe(403)
  expect((await remove(shop, owner, otherOwner)).status).toBe(403)
  expect((await remove(shop, owner, shop.op)).status).toBe(403)
  expect((await set(shop, owner, otherOwner, 'owner')).status).toBe(200)
  expect((await set(shop, owner, await operator(), 'owner')).status).toBe(201)
  expect((await set(shop, owner, otherAdmin, 'owner')).body.role).toBe('owner')
  expect((await remove(shop, owner, admin)).status).toBe(200)
  expect((await set(shop, shop.op, owner, 'super')).body.role).toBe('super')
  expect((await remove(shop, owner, otherOwner)).status).toBe(200)
  expect(await team(shop, otherAdmin)).toMatchObject({
    [shop.op.email]: 'super',
    [owner.email]: 'super',
    [otherAdmin.email]: 'owner',
  })
})

test('The last super cannot leave or change to another role', async () => {
  const shop = await newShop()
  for (const answer of [await remove(shop, shop.op, shop.op), await set(shop, shop.op, shop.op, 'owner')])
    expect([answer.status, answer.body.code]).toEqual([409, 'last_super'])
  const next = await member(shop, 'super')
  expect((await set(shop, shop.op, shop.op, 'owner')).status).toBe(200)
  expect((await remove(shop, next, next)).body.code).toBe('last_super')
})

test('Supers who remove each other at once on two servers leave one', async () => {
  for (let round = 0; round < 8; round++) {
    const shop = await newShop()
    const others = [await member(shop, 'super'), await member(shop, 'super')]
    const supers = [shop.op, ...others]
    const answers = await Promise.all(
      supers.map((by, at) => remove(shop, by, supers[(at + 1) % 3] as Operator, eitherApi())),
    )
    for (const { status } of answers) expect([200, 404, 409]).toContain(status)
    const left = await Promise.all(supers.map((op) => shop.as(op, 'GET', '/members')))
    const seen = left.find(({ status }) => status === 200)
    expect(seen?.body.items.filter(({ role }: { role: Role }) => role === 'super').length).toBeGreaterThanOrEqual(1)
  }
})

test('When all supers leave at once, one stays', async () => {
  for (let round = 0; round < 5; round++) {
    const shop = await newShop()
    const supers = [shop.op, await member(shop, 'super'), await member(shop, 'super')]
    const answers = await Promise.all(supers.map((op) => remove(shop, op, op, eitherApi())))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409])
  }
})

test('Twenty concurrent additions of one address make one member', async () => {
  const shop = await newShop()
  const email = newEmail()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => shop.asOperator('POST', '/members', { email }, eitherApi())),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 201])
  expect(Object.keys(await team(shop))).toHaveLength(2)
})

const name = (op: Operator, value: string) =>
  http('PUT', '/v1/accounts', { headers: op.headers, body: { name: value } })
const found = async (by: Operator, query: string) =>
  (await http('GET', `/v1/accounts/search?query=${encodeURIComponent(query)}`, { headers: by.headers })).body.items
/** Milliseconds since 1970 in a UUIDv7. */
const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

test('Adding a known and an unknown address is answered alike, and tells nothing of the account', async () => {
  const shop = await newShop()
  const known = await operator()
  await name(known, 'Ada Lovelace')
  await signIn(known.email)
  const { rows } = await database().query('select min(created_at)::int as first from accounts')
  const answers = [
    await shop.asOperator('POST', '/members', { email: known.email }),
    await shop.asOperator('POST', '/members', { email: newEmail() }),
  ]
  for (const { status, body } of answers) {
    expect([status, Object.keys(body)]).toEqual([
      201,
      ['account_id', 'email', 'name', 'role', 'accepted_at', 'created_at', 'updated_at'],
    ])
    expect([body.name, body.accepted_at, body.created_at, body.updated_at]).toEqual([
      null,
      null,
      body.created_at,
      body.created_at,
    ])
    // The id of an account that was just made looks as old as others.
    expect(timeOf(body.account_id)).toBeGreaterThanOrEqual(rows[0].first * 1000)
    expect(timeOf(body.account_id)).toBeLessThanOrEqual(Date.now())
  }
  expect(await found(shop.op, known.email)).toEqual([])
  expect((await shop.asOperator('GET', '/members')).body.items.map((one: { name: unknown }) => one.name)).toEqual([
    null,
    null,
    null,
  ])
})

test('A member has a name and is found by colleagues from their first act in the store on', async () => {
  const shop = await newShop()
  const [colleague, platform] = [await operator(), await operator('demo@tillwright.test')]
  const word = unique()
  await name(colleague, `Ada ${word}`)
  await shop.asOperator('POST', '/members', { email: colleague.email })
  // Neither a list of stores nor a refused request is an act there.
  expect(
    (await http('GET', '/v1/stores', { headers: colleague.headers })).body.items.map(({ id }: { id: string }) => id),
  ).toEqual([shop.store_id])
  expect((await shop.as(colleague, 'POST', '/members', { email: newEmail() })).status).toBe(403)
  expect(await found(shop.op, `Ada ${word}`)).toEqual([])
  // Each finds themselves.
  expect(await found(colleague, `Ada ${word}`)).toHaveLength(1)
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => shop.as(colleague, 'GET', '', undefined, eitherApi())),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  const [seen] = await found(shop.op, `Ada ${word}`)
  expect(seen).toEqual({
    id: colleague.account_id,
    email: colleague.email,
    name: `Ada ${word}`,
    lifecycle: null,
    created_at: null,
    updated_at: null,
  })
  const { items } = (await shop.asOperator('GET', '/members')).body
  const member = items.find(({ email }: { email: string }) => email === colleague.email)
  expect(member).toMatchObject({ name: `Ada ${word}`, accepted_at: expect.any(Number) })
  const [full] = await found(platform, `Ada ${word}`)
  expect(full).toMatchObject({
    lifecycle: { last_login_at: null },
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
  })
})

test('Events of a team have no name of a member who has not acted there', async () => {
  const shop = await newShop()
  const stranger = await operator()
  const word = unique()
  const hook = {
    key: unique(),
    url: 'https://receiver.example/hook',
    events: [{ event: 'account.updated' }],
    headers: {},
    enabled: true,
  }
  expect((await shop.asOperator('POST', '/webhooks', hook)).status).toBe(201)
  await name(stranger, `Ada ${word}`)
  await shop.asOperator('POST', '/members', { email: stranger.email })
  await name(stranger, `Grace ${word}`)
  await shop.asOperator('DELETE', `/members/${stranger.account_id}`)
  const events = async () =>
    (await database().query('select data from events where tenant_id = $1 order by id', [shop.store_id])).rows.map(
      ({ data }) => data,
    )
  expect((await events()).map(({ action, member }) => [action, member.name])).toEqual([
    ['member_added', null],
    ['member_removed', null],
  ])
  await shop.asOperator('POST', '/members', { email: stranger.email })
  await shop.as(stranger, 'GET', '')
  await name(stranger, `Edith ${word}`)
  expect((await events()).slice(2).map(({ action, member }) => [action, member.name])).toEqual([
    ['member_added', null],
    ['member_updated', `Grace ${word}`],
    ['member_updated', `Edith ${word}`],
  ])
})

test('Every member may leave, and one who was added unasked leaves without having accepted', async () => {
  const shop = await newShop()
  const [admin, owner] = [await member(shop, 'admin'), await member(shop, 'owner')]
  expect((await remove(shop, admin, owner)).status).toBe(403)
  expect((await remove(shop, owner, shop.op)).status).toBe(403)
  for (const one of [admin, owner]) {
    expect((await remove(shop, one, one)).body).toEqual({ success: true })
    expect((await http('GET', '/v1/stores', { headers: one.headers })).body.items).toEqual([])
  }
  expect(Object.keys(await team(shop))).toEqual([shop.op.email])
  expect((await remove(shop, shop.op, shop.op)).body.code).toBe('last_super')
})
