// A connection's credentials are never returned, and are sent to no drive but their own.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { s3At, webdavAt } from '../kit/automation/drives.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(async () => database().end())

const at = '/workflow-connections'
const s3 = s3At('https://s3.example')
const webdav = webdavAt('https://drive.example/home/')
const add = (drive: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  shop.asOperator('POST', at, { key: unique(), ...drive, ...more })
const change = (id: string, body: Record<string, unknown>) => shop.asOperator('PUT', `${at}/${id}`, body)
const faults = ({ status, body }: { status: number; body: { errors?: { pointer: string; code: string }[] } }) => [
  status,
  ...(body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`),
]

test('Credentials are redacted on every route and encrypted at rest', async () => {
  const key = unique()
  const added = await shop.asOperator('POST', at, { key, ...s3, type: 'S3' })
  expect(added.status).toBe(201)
  const { id, created_at, updated_at } = added.body
  const credentials = { access_key_id: '__redacted__', secret_access_key: '__redacted__' }
  const settings = { endpoint: 'https://s3.example', region: 'eu-central-1', bucket: 'uploads', path_style: true }
  const shown = { id, key, type: 's3', settings, credentials, created_at, updated_at }
  expect(added.body).toEqual(shown)
  expect((await shop.asOperator('GET', `${at}/${id}`)).body).toEqual(shown)
  expect((await shop.asOperator('GET', at)).body.items).toContainEqual(shown)
  expect((await change(id, {})).body).toEqual({ ...shown, updated_at: expect.any(Number) })
  const { rows } = await database().query('select row_to_json(c)::text as row from integrations c where id = $1', [id])
  for (const secret of Object.values(s3.credentials)) expect(rows[0].row).not.toContain(secret)
  expect((await add(webdav)).body).toMatchObject({
    settings: webdav.settings,
    credentials: { username: '__redacted__', password: '__redacted__' },
  })
})

test('A bucket at AWS needs neither endpoint nor region', async () => {
  const { body } = await add({
    type: 's3',
    settings: { bucket: 'uploads' },
    credentials: { ...s3.credentials, session_token: 'tok' },
  })
  expect(body.settings).toEqual({ region: 'us-east-1', bucket: 'uploads', path_style: false })
  expect(body.credentials.session_token).toBe('__redacted__')
})

test('The redaction placeholder is refused as a credential', async () => {
  const credentials = { ...webdav.credentials, password: '__redacted__' }
  expect(faults(await add(webdav, { credentials }))).toEqual([422, '/credentials/password redacted_value'])
  const { id } = (await add(webdav)).body
  expect(faults(await change(id, { credentials }))).toEqual([422, '/credentials/password redacted_value'])
})

test('Changing the URL of a connection requires its credentials; other changes keep them', async () => {
  const { id } = (await add(webdav)).body
  const url = 'https://stranger.example/'
  expect(faults(await change(id, { settings: { url } }))).toEqual([422, '/credentials required'])
  expect((await shop.asOperator('GET', `${at}/${id}`)).body.settings).toEqual(webdav.settings)
  expect((await change(id, { settings: { url }, credentials: webdav.credentials })).body.settings).toEqual({ url })

  const amazon = { type: 's3', settings: { bucket: 'uploads' }, credentials: s3.credentials }
  const bucket = (await add(amazon)).body
  expect(
    faults(await change(bucket.id, { settings: { bucket: 'uploads', endpoint: 'https://stranger.example' } })),
  ).toEqual([422, '/credentials required'])
  expect((await change(bucket.id, { settings: { bucket: 'others', prefix: 'a/b' } })).body.settings).toMatchObject({
    bucket: 'others',
    prefix: 'a/b',
  })
  expect(faults(await change(bucket.id, { type: 'webdav', settings: { url } }))).toEqual([422, '/credentials required'])
  expect((await change(bucket.id, webdav)).body).toMatchObject({ type: 'webdav', settings: webdav.settings })
})

test('Of two concurrent changes, the second is checked against the URL that the first has set', async () => {
  const settings = { bucket: 'uploads', endpoint: 'https://stranger.example' }
  const own = { access_key_id: 'own', secret_access_key: 'own' }
  const { id } = (await add({ type: 's3', settings, credentials: own })).body
  const row = await database().connect()
  try {
    await row.query('begin')
    await row.query('select 1 from integrations where id = $1 for update', [id])
    const first = change(id, s3)
    await untilAwaited(row)
    const second = change(id, { settings: { ...settings, bucket: 'others' } })
    await untilAwaited(row, { count: 2 })
    await row.query('commit')
    expect(faults(await first)).toEqual([200])
    expect(faults(await second)).toEqual([422, '/credentials required'])
  } finally {
    row.release()
  }
  expect((await shop.asOperator('GET', `${at}/${id}`)).body.settings).toMatchObject(s3.settings)
})

test.each<[string, Record<string, unknown>, string]>([
  ['an invalid endpoint', { settings: { endpoint: 'ftp://x', bucket: 'uploads' } }, '/settings/endpoint invalid_value'],
  [
    'an endpoint with a password',
    { settings: { endpoint: 'https://u:p@x.example', bucket: 'uploads' } },
    '/settings/endpoint invalid_value',
  ],
  [
    'an endpoint with a query',
    { settings: { endpoint: 'https://x.example/?a', bucket: 'uploads' } },
    '/settings/endpoint invalid_value',
  ],
  [
    'a region that is another host',
    { settings: { region: 'x.evil.example/', bucket: 'uploads' } },
    '/settings/region invalid_format',
  ],
  [
    'a bucket that is another host',
    { settings: { bucket: 'evil.example/', path_style: false } },
    '/settings/bucket invalid_format',
  ],
  ['a bucket with two dots', { settings: { bucket: 'a..b' } }, '/settings/bucket invalid_format'],
  ['no bucket', { settings: {} }, '/settings/bucket required'],
  ['a prefix that climbs', { settings: { bucket: 'uploads', prefix: '../other' } }, '/settings/prefix invalid_value'],
  [
    'an IP address with a bucket in the host',
    { settings: { endpoint: 'http://203.0.113.7', bucket: 'uploads', path_style: false } },
    '/settings invalid_value',
  ],
  ['an unknown field', { settings: { bucket: 'uploads', acl: 'public-read' } }, '/settings/acl unknown_field'],
  [
    'a key with a line break',
    { credentials: { ...s3.credentials, access_key_id: 'a\nb' } },
    '/credentials/access_key_id invalid_format',
  ],
  ['no secret', { credentials: { access_key_id: 'a' } }, '/credentials/secret_access_key required'],
  ['settings of another type', { type: 'webdav', credentials: webdav.credentials }, '/settings/url required'],
  [
    'a user name with a colon',
    { ...webdav, credentials: { username: 'a:b', password: 'p' } },
    '/credentials/username invalid_format',
  ],
  ['an unknown type', { type: 'ftp' }, '/type invalid_value'],
])('A connection with %s is refused with its pointer', async (_, wrong, fault) => {
  expect(faults(await add(s3, wrong)).slice(0, 2)).toEqual([422, fault])
})

test('Connection keys are unique per store, lists filter by type and ids, deleted ones are gone', async () => {
  const { asOperator } = await newShop()
  const [a, b] = [
    (await asOperator('POST', at, { key: 'a', ...s3 })).body.id,
    (await asOperator('POST', at, { key: 'b', ...webdav })).body.id,
  ]
  expect(await asOperator('POST', at, { key: 'a', ...webdav })).toMatchObject({
    status: 409,
    body: { code: 'key_taken' },
  })
  expect(await asOperator('PUT', `${at}/${b}`, { key: 'a' })).toMatchObject({
    status: 409,
    body: { code: 'key_taken' },
  })
  const ids = async (query: string) =>
    (await asOperator('GET', `${at}?${query}`)).body.items.map((one: { id: string }) => one.id)
  expect(await ids('type=webdav')).toEqual([b])
  expect(await ids(`ids=${a}`)).toEqual([a])
  expect(await ids('sort_field=key&sort_direction=asc')).toEqual([a, b])
  expect((await asOperator('DELETE', `${at}/${a}`)).body).toEqual({ success: true })
  expect((await asOperator('GET', `${at}/${a}`)).status).toBe(404)
})
