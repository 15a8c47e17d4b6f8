// A mailbox is returned without its password, and the password is sent to no host but the one it was given for.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(() => database().end())

const password = 'correct horse battery staple'
const smtp = { host: 'smtp.example.com', port: 587, security: 'starttls', username: 'shop', password }
const add = (given: Record<string, unknown> = {}) => shop.asOperator('POST', '/mailboxes', { key: unique(), email: 'Shop@Example.com', smtp, ...given })
const change = (id: string, given: Record<string, unknown>) => shop.asOperator('PUT', `/mailboxes/${id}`, given)
const stored = async (id: string) => (await database().query('select * from mailboxes where id = $1', [id])).rows[0]

test('A mailbox is created, read, listed, updated and deleted', async () => {
  const key = unique()
  const made = await add({ key, name: 'The Shop', reply_to: 'help@example.com' })
  const { id } = made.body
  const expected = {
    id,
    key,
    email: 'shop@example.com',
    name: 'The Shop',
    reply_to: 'help@example.com',
    status: 'active',
    smtp: { ...smtp, password: '__redacted__' },
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
  }
  expect([made.status, made.body]).toEqual([201, expected])
  expect((await shop.asOperator('GET', `/mailboxes/${id}`)).body).toEqual(expected)
  expect((await shop.asOperator('GET', `/mailboxes?ids=${id}&status=ACTIVE`)).body).toEqual({ items: [expected], cursor: null })
  expect((await change(id, { name: null, reply_to: null, status: 'ARCHIVED' })).body).toMatchObject({
    name: null,
    reply_to: null,
    status: 'archived',
    smtp: expected.smtp,
  })
  expect((await shop.asOperator('DELETE', `/mailboxes/${id}`)).body).toEqual({ success: true })
  expect((await shop.asOperator('GET', `/mailboxes/${id}`)).status).toBe(404)
})

test('A mailbox key is unique in its store', async () => {
  const key = unique()
  expect((await add({ key })).status).toBe(201)
  expect((await add({ key })).body).toMatchObject({ status: 409, code: 'key_taken', errors: [{ pointer: '/key' }] })
})

test('A mailbox password is encrypted at rest and in no response', async () => {
  const made = await add()
  const row = await stored(made.body.id)
  expect(row.smtp_password).toEqual(expect.any(String))
  const seen = [made.body, row, (await shop.asOperator('GET', '/mailboxes?limit=100')).body, (await change(made.body.id, { name: 'x' })).body]
  expect(JSON.stringify(seen)).not.toContain(password)
})

test('The redaction placeholder is refused as a mailbox password', async () => {
  const { id } = (await add()).body
  for (const { body } of [await add({ smtp: { ...smtp, password: '__redacted__' } }), await change(id, { smtp: { ...smtp, password: '__redacted__' } })])
    expect(body).toMatchObject({ status: 422, errors: [{ pointer: '/smtp/password', code: 'redacted_value' }] })
})

test('An absent password is kept, but not for another host or user', async () => {
  const { id } = (await add()).body
  const { password: _, ...without } = smtp
  const before = await stored(id)
  expect((await change(id, { smtp: { ...without, port: 465, security: 'tls', host: 'SMTP.example.com' } })).body.smtp).toMatchObject({
    port: 465,
    password: '__redacted__',
  })
  expect((await stored(id)).smtp_password).toBe(before.smtp_password)
  for (const other of [{ host: 'smtp.evil.example' }, { username: 'somebody' }, { host: 'smtp.example.com.evil.example' }])
    expect((await change(id, { smtp: { ...without, ...other } })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: '/smtp/password', code: 'required' }],
    })
  expect(await stored(id)).toMatchObject({ smtp_host: 'smtp.example.com', smtp_password: before.smtp_password })
  expect((await change(id, { smtp: { ...without, host: 'smtp.other.example', password: 'new' } })).status).toBe(200)
  expect((await change(id, { smtp: { ...without, host: 'smtp.third.example', username: null } })).body.smtp).toMatchObject({ username: null, password: null })
  expect((await change(id, { smtp: { ...without, host: 'smtp.third.example' } })).status).toBe(422)
})

test('A mailbox without encryption is accepted only for hosts that the operator named', async () => {
  for (const host of ['smtp.example.com', '93.184.215.14', '10.0.0.7'])
    expect((await add({ smtp: { ...smtp, host, security: 'none' } })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: '/smtp/security', code: 'password_unencrypted' }],
    })
  for (const host of ['localhost', '127.0.0.1', '::1']) expect((await add({ smtp: { ...smtp, host, security: 'none' } })).status).toBe(201)
})

test.each<[string, Record<string, unknown>, string]>([
  ['an invalid address', { email: 'Shop <shop@example.com>' }, '/email'],
  ['two addresses', { reply_to: 'a@example.com, b@example.com' }, '/reply_to'],
  ['a name with a line break', { name: 'Shop\r\nBcc: eve@example.com' }, '/name'],
  ['a host with a port', { smtp: { ...smtp, host: 'smtp.example.com:25' } }, '/smtp/host'],
  ['a URL', { smtp: { ...smtp, host: 'smtp://smtp.example.com' } }, '/smtp/host'],
  ['a host with a line break', { smtp: { ...smtp, host: 'smtp.example.com\r\nx' } }, '/smtp/host'],
  ['a port not for email', { smtp: { ...smtp, port: 22 } }, '/smtp/port'],
  ['an invalid port', { smtp: { ...smtp, port: 65_536 } }, '/smtp/port'],
  ['an unknown security', { smtp: { ...smtp, security: 'ssl' } }, '/smtp/security'],
  ['a username without a password', { smtp: { ...smtp, password: undefined } }, '/smtp/password'],
  ['a password without a username', { smtp: { ...smtp, username: undefined } }, '/smtp/username'],
  ['no account', { smtp: undefined }, '/smtp'],
  ['an unknown field', { smtp: { ...smtp, pool: true } }, '/smtp/pool'],
])('A mailbox with %s is refused with its pointer', async (_, given, pointer) => {
  const { status, body } = await add(given)
  expect([status, body.errors?.map((fault: { pointer: string }) => fault.pointer)]).toEqual([422, [pointer]])
})
