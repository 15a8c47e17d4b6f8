// A mailbox is returned without its password, and the password is sent to no host but the one it was given for.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { closedWindow, enroll, launch, newCampaign, newTemplate, setCampaign } from '../kit/campaigns/campaigns.ts'
import { until } from '../kit/codes.ts'
import { api, database, newShop, type Shop, secondApi, unique } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(() => database().end())

const password = 'correct horse battery staple'
const smtp = { host: 'smtp.example.com', port: 587, security: 'starttls', username: 'shop', password }
const add = (given: Record<string, unknown> = {}) =>
  shop.asOperator('POST', '/mailboxes', { key: unique(), email: 'Shop@Example.com', smtp, ...given })
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
    limits: { per_second: null, per_day: null, connections: 5, messages_per_connection: 100 },
    imap: null,
    inbound_url: expect.stringMatching(/\/v1\/mail\/till_in_[\w-]{43}$/),
    sending_error: null,
    sending_failed_since: null,
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
  }
  expect([made.status, made.body]).toEqual([201, expected])
  expect((await shop.asOperator('GET', `/mailboxes/${id}`)).body).toEqual(expected)
  expect((await shop.asOperator('GET', `/mailboxes?ids=${id}&status=ACTIVE`)).body).toEqual({
    items: [expected],
    cursor: null,
  })
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
  const seen = [
    made.body,
    row,
    (await shop.asOperator('GET', '/mailboxes?limit=100')).body,
    (await change(made.body.id, { name: 'x' })).body,
  ]
  expect(JSON.stringify(seen)).not.toContain(password)
})

test('The redaction placeholder is refused as a mailbox password', async () => {
  const { id } = (await add()).body
  for (const { body } of [
    await add({ smtp: { ...smtp, password: '__redacted__' } }),
    await change(id, { smtp: { ...smtp, password: '__redacted__' } }),
  ])
    expect(body).toMatchObject({ status: 422, errors: [{ pointer: '/smtp/password', code: 'redacted_value' }] })
})

test('An absent password is kept, but not for another host or user', async () => {
  const { id } = (await add()).body
  const { password: _, ...without } = smtp
  const before = await stored(id)
  expect(
    (await change(id, { smtp: { ...without, port: 465, security: 'tls', host: 'SMTP.example.com' } })).body.smtp,
  ).toMatchObject({
    port: 465,
    password: '__redacted__',
  })
  expect((await stored(id)).smtp_password).toBe(before.smtp_password)
  for (const other of [
    { host: 'smtp.evil.example' },
    { username: 'somebody' },
    { host: 'smtp.example.com.evil.example' },
  ])
    expect((await change(id, { smtp: { ...without, ...other } })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: '/smtp/password', code: 'required' }],
    })
  expect(await stored(id)).toMatchObject({ smtp_host: 'smtp.example.com', smtp_password: before.smtp_password })
  expect((await change(id, { smtp: { ...without, host: 'smtp.other.example', password: 'new' } })).status).toBe(200)
  expect(
    (await change(id, { smtp: { ...without, host: 'smtp.third.example', username: null } })).body.smtp,
  ).toMatchObject({ username: null, password: null })
  expect((await change(id, { smtp: { ...without, host: 'smtp.third.example' } })).status).toBe(422)
})

test('A mailbox without encryption is accepted only for hosts that the operator named', async () => {
  for (const host of ['smtp.example.com', '93.184.215.14', '10.0.0.7'])
    expect((await add({ smtp: { ...smtp, host, security: 'none' } })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: '/smtp/security', code: 'password_unencrypted' }],
    })
  for (const host of ['localhost', '127.0.0.1', '::1'])
    expect((await add({ smtp: { ...smtp, host, security: 'none' } })).status).toBe(201)
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

/** Nothing listens there. */
const imap = { host: '127.0.0.1', port: 64_993, security: 'tls', username: 'shop', password }

test('An IMAP account is write-only, and its password is kept while host and username stay', async () => {
  const { body } = await add({ imap })
  const shown = { ...imap, password: '__redacted__', folder: 'INBOX', checked_at: null, error: null }
  expect(body.imap).toEqual(shown)
  const { password: _, ...without } = imap
  // A worker tries to read it at once, and notes why it cannot.
  await until(async () => (await stored(body.id)).imap_error !== null)
  const error = { code: 'imap_unreachable', message: 'x' }
  await database().query(
    `update mailboxes set imap_uid = 7, imap_uid_validity = 8, imap_checked_at = 9, imap_error = $2 where id = $1`,
    [body.id, error],
  )
  expect((await shop.asOperator('GET', `/mailboxes?ids=${body.id}`)).body.items[0].imap).toEqual({
    ...shown,
    checked_at: 9,
    error,
  })
  // Another port is the same account: reading goes on where it was.
  expect((await change(body.id, { imap: { ...without, port: 64_994 } })).body.imap).toEqual({
    ...shown,
    port: 64_994,
    checked_at: 9,
  })
  expect(await stored(body.id)).toMatchObject({ imap_uid: '7', imap_password: (await stored(body.id)).imap_password })
  expect((await change(body.id, { imap: { ...without, folder: 'Replies' } })).body.imap).toEqual({
    ...shown,
    folder: 'Replies',
  })
  expect(await stored(body.id)).toMatchObject({ imap_uid: null, imap_uid_validity: null })
  for (const other of [{ host: 'imap.evil.example' }, { username: 'somebody' }])
    expect((await change(body.id, { imap: { ...without, ...other } })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: '/imap/password', code: 'required' }],
    })
  expect(
    (await change(body.id, { imap: { ...imap, host: 'imap.example.com', security: 'none' } })).body.errors,
  ).toMatchObject([{ pointer: '/imap/security', code: 'password_unencrypted' }])
  expect((await change(body.id, { name: 'Kept' })).body.imap).not.toBeNull()
  expect((await change(body.id, { imap: null })).body.imap).toBeNull()
  expect(await stored(body.id)).toMatchObject({ imap_host: null, imap_password: null, imap_folder: null })
  expect(JSON.stringify([body, await stored(body.id)])).not.toContain(password)
})

test.each<[string, Record<string, unknown>, string]>([
  ['no connection', { limits: { connections: 0 } }, '/limits/connections'],
  ['51 connections', { limits: { connections: 51 } }, '/limits/connections'],
  ['no message per second', { limits: { per_second: 0 } }, '/limits/per_second'],
  ['half a message per day', { limits: { per_day: 0.5 } }, '/limits/per_day'],
  ['an unknown limit', { limits: { per_hour: 1 } }, '/limits/per_hour'],
  ['an IMAP port not for email', { imap: { ...imap, port: 25 } }, '/imap/port'],
  ['an IMAP folder of two lines', { imap: { ...imap, folder: 'a\r\nb' } }, '/imap/folder'],
  ['an IMAP account without a password', { imap: { ...imap, password: undefined } }, '/imap/password'],
])('A mailbox with %s is refused with its place', async (_, given, pointer) => {
  const { status, body } = await add(given)
  expect([status, body.errors?.map((fault: { pointer: string }) => fault.pointer)]).toEqual([422, [pointer]])
})

test('Limits of a mailbox are replaced as a whole, and those left out are the usual ones', async () => {
  const { id } = (await add({ limits: { per_second: 0.5, connections: 50 } })).body
  const usual = { per_second: null, per_day: null, connections: 5, messages_per_connection: 100 }
  expect((await shop.asOperator('GET', `/mailboxes/${id}`)).body.limits).toEqual({
    ...usual,
    per_second: 0.5,
    connections: 50,
  })
  expect((await change(id, { limits: { per_day: 2000, per_second: null } })).body.limits).toEqual({
    ...usual,
    per_day: 2000,
  })
  expect((await change(id, { name: 'x' })).body.limits).toEqual({ ...usual, per_day: 2000 })
})

test('The secret of an inbound address is encrypted, found by its digest, and can be rotated', async () => {
  const { id, inbound_url } = (await add()).body
  const secretOf = (url: string) => url.split('/').at(-1) as string
  const digestOf = (url: string) => createHash('sha256').update(secretOf(url)).digest('hex')
  const before = await stored(id)
  expect([before.inbound_digest, before.inbound_secret.includes('till_in')]).toEqual([digestOf(inbound_url), false])
  expect((await shop.asOperator('GET', `/mailboxes?ids=${id}`)).body.items[0].inbound_url).toBe(inbound_url)
  const { body } = await shop.asOperator('POST', `/mailboxes/${id}/rotate-secret`)
  expect(body.inbound_url).not.toBe(inbound_url)
  expect((await stored(id)).inbound_digest).toBe(digestOf(body.inbound_url))
  // A mailbox of an earlier version has none until its first rotation.
  await database().query('update mailboxes set inbound_secret = null, inbound_digest = null where id = $1', [id])
  expect((await shop.asOperator('GET', `/mailboxes/${id}`)).body.inbound_url).toBeNull()
  expect((await shop.asOperator('POST', `/mailboxes/${id}/rotate-secret`)).body.inbound_url).toMatch(/till_in_/)
})

test('What the server of a mailbox refused is shown, and forgotten with another SMTP account', async () => {
  const { id } = (await add()).body
  const error = { code: 'smtp_auth', message: 'Sign-in was refused.', provider_status: 535 }
  await database().query(
    'update mailboxes set sending_error = $2, sending_failed_since = 5, sending_failures = 3, sending_again_at = now() where id = $1',
    [id, error],
  )
  expect((await change(id, { name: 'x' })).body).toMatchObject({ sending_error: error, sending_failed_since: 5 })
  expect((await change(id, { smtp })).body).toMatchObject({ sending_error: null, sending_failed_since: null })
  expect(await stored(id)).toMatchObject({ sending_failures: 0, sending_again_at: null })
})

test('A mailbox that campaigns send over is neither archived nor deleted', async () => {
  const { id } = (await add()).body
  const campaign = await newCampaign(shop, { mailbox_ids: [(await add()).body.id, id] })
  expect((await change(id, { status: 'archived' })).body.status).toBe('archived')
  await change(id, { status: 'active' })
  const refused = { status: 409, code: 'mailbox_in_use', campaigns: [campaign.id] }
  for (const [status, archived, deleted] of [
    ['scheduled', refused, refused],
    ['running', refused, refused],
    ['paused', { status: 'archived' }, refused],
    ['completed', { status: 'archived' }, { success: true }],
  ] as const) {
    await setCampaign(campaign.id, { status })
    expect([status, (await change(id, { status: 'archived' })).body]).toMatchObject([status, archived])
    expect([status, (await shop.asOperator('DELETE', `/mailboxes/${id}`)).body]).toMatchObject([status, deleted])
    if (status === 'paused')
      expect((await shop.asOperator('POST', `/campaigns/${campaign.id}/resume`)).body).toMatchObject({
        code: 'campaign_not_ready',
        errors: [{ pointer: '/mailbox_ids/1', code: 'mailbox_archived' }],
      })
  }
})

test('A launch and a deletion of its mailbox at once leave no running campaign without it', async () => {
  const template = await newTemplate(shop)
  for (let round = 0; round < 8; round++) {
    const { id } = (await add()).body
    const campaign = await newCampaign(shop, {
      mailbox_ids: [id],
      steps: [{ template_id: template.id }],
      send_window: closedWindow(),
    })
    await enroll(shop, campaign.id)
    const [started, deleted] = await Promise.all([
      launch(shop, campaign.id, {}, api()),
      shop.asOperator('DELETE', `/mailboxes/${id}`, undefined, secondApi()),
    ])
    expect([
      [200, 409],
      [422, 200],
    ]).toContainEqual([started.status, deleted.status])
  }
})
