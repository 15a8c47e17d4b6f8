// Operators read, change and delete their own account; deleting it removes everything that belongs to it.
import { expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { bearer, signIn } from '../kit/codes.ts'
import { database, eitherApi, http, newEmail, newShop, newStore, type Operator, operator, unique } from '../kit/shop.ts'

const me = async (op: Operator) => (await http('GET', '/v1/accounts/me', { headers: op.headers })).body
const change = (op: Operator, body: unknown) => http('PUT', '/v1/accounts', { headers: op.headers, body })
const search = async (op: Operator, query?: string) => {
  const { body } = await http(
    'GET',
    `/v1/accounts/search${query === undefined ? '' : `?query=${encodeURIComponent(query)}`}`,
    { headers: op.headers },
  )
  return body.items.map(({ email }: { email: string }) => email)
}
const statusOf = async (storeId: string) =>
  (await database().query('select status from tenants where id = $1', [storeId])).rows[0].status
const remove = (op: Operator, base?: string) => http('DELETE', '/v1/accounts', { headers: op.headers, base })

test('An account that was read can be changed and sent back; its email address stays', async () => {
  const op = await operator()
  expect((await change(op, { name: ' Ada Lovelace ', onboarding_completed: true })).body).toEqual({ success: true })
  const read = await me(op)
  expect(read).toMatchObject({ name: 'Ada Lovelace', lifecycle: { onboarding_completed: true } })
  expect((await change(op, { ...read, lifecycle: { ...read.lifecycle, onboarding_completed: false } })).status).toBe(
    200,
  )
  expect((await me(op)).lifecycle.onboarding_completed).toBe(false)
  expect((await change(op, { name: null })).status).toBe(200)
  expect((await me(op)).name).toBeNull()
  expect((await change(op, { email: newEmail() })).body.code).toBe('not_writable')
  expect((await change(op, { nmae: 'Ada' })).body.errors).toEqual([
    { pointer: '/nmae', code: 'unknown_field', detail: expect.any(String) },
  ])
})

test('An admin finds members of their stores by the start of an email or name, and no others', async () => {
  const shop = await newShop()
  const word = unique()
  const [colleague, stranger, outsider] = [
    await operator(`${word}-colleague@tillwright.test`),
    await operator(`${word}-stranger@tillwright.test`),
    await operator(),
  ]
  await newStore(stranger)
  await shop.asOperator('POST', '/members', { email: colleague.email })
  await change(colleague, { name: `Zoë_${word} Smith` })
  await shop.as(colleague, 'GET', '')
  expect(await search(shop.op, word.toUpperCase())).toEqual([colleague.email])
  expect(await search(shop.op, `zoë_${word}`)).toEqual([colleague.email])
  expect(await search(shop.op, 'zoë%')).toEqual([])
  expect(await search(colleague)).toEqual(expect.arrayContaining([colleague.email, shop.op.email]))
  expect(await search(colleague, stranger.email)).toEqual([])
  expect((await http('GET', '/v1/accounts/search', { headers: outsider.headers })).status).toBe(403)
  const platform = await operator('demo@tillwright.test')
  expect((await search(platform, word)).sort()).toEqual([colleague.email, stranger.email])
})

test('Deleting an account ends its sessions, tokens and memberships', async () => {
  const shop = await newShop()
  const email = newEmail()
  const session = await signIn(email)
  const op = await operator(email)
  await shop.asOperator('POST', '/members', { email })
  expect((await remove(op)).body).toEqual({ success: true })
  expect((await http('GET', '/v1/accounts/me', { headers: op.headers })).status).toBe(401)
  expect((await http('GET', '/v1/accounts/me', { headers: bearer(session) })).status).toBe(401)
  expect((await http('POST', '/v1/auth/refresh', { body: { refresh_token: session.refresh_token } })).status).toBe(401)
  expect((await shop.asOperator('GET', '/members')).body.items).toHaveLength(1)
  const again = await signIn(email, 2)
  expect((await http('GET', '/v1/accounts/me', { headers: bearer(again) })).body.id).not.toBe(op.account_id)
  expect((await http('GET', '/v1/stores', { headers: bearer(again) })).body.items).toEqual([])
})

test('A store is archived when its last owner deletes their account, and stays while one is left', async () => {
  const [alone, shared] = [await newShop(), await newShop()]
  const owner = await operator()
  await alone.asOperator('POST', '/members', { email: (await operator()).email, role: 'admin' })
  await shared.asOperator('POST', '/members', { email: owner.email, role: 'owner' })
  await remove(alone.op)
  await remove(shared.op)
  expect([await statusOf(alone.store_id), await statusOf(shared.store_id)]).toEqual(['ARCHIVED', 'ACTIVE'])
  expect((await alone.asVisitor('GET', '/store')).body.code).toBe('store_archived')
  expect((await shared.as(owner, 'GET', '')).status).toBe(200)
})

test('A store whose last owner deletes their account has its plan cancelled', async () => {
  const shop = await newShop()
  const plan = newId()
  await database().query(
    `insert into subscriptions (id, tenant_id, created_at, updated_at, plan_id, kind, status, amount, currency, "interval", billing_status, provider_subscription_id)
     values ($1, $2, 100, 100, 'pro', 'recurring', 'live', 900, 'EUR', '{"period":"month","count":1}', 'active', $3)`,
    [plan, shop.store_id, `sub_${plan}`],
  )
  await remove(shop.op)
  const { rows } = await database().query('select kind from subscription_changes where subscription_id = $1', [plan])
  expect(rows).toEqual([{ kind: 'cancel' }])
})

test('When all owners delete their accounts at once, the store is archived', async () => {
  for (let round = 0; round < 5; round++) {
    const shop = await newShop()
    const owners = await Promise.all([operator(), operator(), operator()])
    for (const { email } of owners) await shop.asOperator('POST', '/members', { email, role: 'owner' })
    const answers = await Promise.all([shop.op, ...owners].map((op) => remove(op, eitherApi())))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await statusOf(shop.store_id)).toBe('ARCHIVED')
  }
})
