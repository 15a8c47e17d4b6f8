// An API token is shown once, has the permissions of its operator, and stops working when it is revoked or expires.
import { expect, test } from '@jest/globals'
import { database, http, type Operator, operator, secondApi } from '../kit/shop.ts'

const path = '/v1/accounts/me/api-tokens'
const call = (op: Operator, method: 'GET' | 'POST' | 'PUT' | 'DELETE', id = '', body?: unknown) =>
  http(method, `${path}${id && `/${id}`}`, { headers: op.headers, body })
const works = async (value: string) =>
  (await http('GET', '/v1/accounts/me', { headers: { authorization: `Bearer ${value}` }, base: secondApi() })).status
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600

test('A new API token is shown once and works until it is revoked', async () => {
  const op = await operator()
  const made = await call(op, 'POST', '', { name: 'nightly export' })
  expect(made.status).toBe(201)
  expect(made.body).toEqual({
    id: expect.any(String),
    name: 'nightly export',
    expires_at: null,
    value: expect.stringMatching(/^till_sk_[\w-]{43}$/),
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
  })
  const { value, ...listed } = made.body
  expect((await call(op, 'GET')).body.items).toContainEqual(listed)
  expect(await works(value)).toBe(200)
  const { rows } = await database().query('select row_to_json(t)::text as text from api_tokens t where id = $1', [
    listed.id,
  ])
  expect(rows[0].text).not.toContain(value)
  expect((await call(op, 'DELETE', listed.id)).body).toEqual({ success: true })
  expect(await works(value)).toBe(401)
  expect((await call(op, 'DELETE', listed.id)).status).toBe(404)
})

test('An API token needs a name and a future expiry, or none', async () => {
  const op = await operator()
  expect((await call(op, 'POST', '', {})).body.errors[0]).toMatchObject({ pointer: '/name', code: 'required' })
  expect((await call(op, 'POST', '', { name: ' ' })).status).toBe(422)
  expect((await call(op, 'POST', '', { name: 'x', expires_at: inAnHour() - 7200 })).body.code).toBe('in_the_past')
  const made = await call(op, 'POST', '', { name: 'x', expires_at: inAnHour() })
  expect(await works(made.body.value)).toBe(200)
  await database().query('update api_tokens set expires_at = $2 where id = $1', [made.body.id, inAnHour() - 3600])
  expect(await works(made.body.value)).toBe(401)
})

test('An API token can be renamed and extended, even as it was read or after it expired', async () => {
  const op = await operator()
  const { value, ...made } = (await call(op, 'POST', '', { name: 'old', expires_at: inAnHour() })).body
  await database().query('update api_tokens set expires_at = $2 where id = $1', [made.id, inAnHour() - 3601])
  const expired = (await call(op, 'GET')).body.items.find(({ id }: { id: string }) => id === made.id)
  expect((await call(op, 'PUT', made.id, { ...expired, name: 'new' })).body).toMatchObject({
    id: made.id,
    name: 'new',
    expires_at: expired.expires_at,
  })
  expect(await works(value)).toBe(401)
  expect((await call(op, 'PUT', made.id, { expires_at: null })).body).toMatchObject({ name: 'new', expires_at: null })
  expect(await works(value)).toBe(200)
  expect((await call(op, 'PUT', made.id, { value: 'till_sk_chosen' })).status).toBe(422)
})

test('An operator cannot list, rename or revoke another operator’s API tokens', async () => {
  const [op, stranger] = [await operator(), await operator()]
  const made = (await call(op, 'POST', '', { name: 'mine' })).body
  expect((await call(stranger, 'GET')).body.items.map(({ id }: { id: string }) => id)).not.toContain(made.id)
  expect((await call(stranger, 'PUT', made.id, { name: 'theirs' })).status).toBe(404)
  expect((await call(stranger, 'DELETE', made.id)).status).toBe(404)
  expect(await works(made.value)).toBe(200)
})
