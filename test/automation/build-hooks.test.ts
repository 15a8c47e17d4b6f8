// A build hook is called as its row says, and no response ever returns its URL or header values.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { prepareBuildHook } from '../../activities/automation/build-hook.ts'
import { closeDatabase, statement } from '../../activities/kit/database.ts'
import { NeverSent } from '../../activities/kit/once.ts'
import { newId } from '../../entities/kit/ids.ts'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
let other: Shop
beforeAll(async () => {
  ;[shop, other] = await Promise.all([newShop(), newShop()])
})
afterAll(async () => {
  await Promise.all([closeDatabase(), database().end()])
})

const secretUrl = 'https://hooks.example/deploy/s3cr3t-token?ref=main'
const hook = (more: Record<string, unknown> = {}) => ({ key: unique(), type: 'host_a', url: secretUrl, ...more })
const made = async (more: Record<string, unknown> = {}) =>
  (await shop.asOperator('POST', '/build-hooks', hook(more))).body
const faults = ({ body }: { body: { errors?: { pointer: string; code: string }[] } }) =>
  (body.errors ?? []).map(({ pointer, code }) => [pointer, code])
const prepared = (tenant: string, id: string) => statement((em) => prepareBuildHook(em, tenant, id))
const refusal = (tenant: string, id: string) =>
  prepared(tenant, id).then(
    () => 'none',
    (error) => (error instanceof NeverSent ? error.reason.code : String(error)),
  )

test('The URL and header values of a build hook are redacted on every route and encrypted', async () => {
  const key = unique()
  const added = await shop.asOperator('POST', '/build-hooks', {
    key,
    type: 'HOST_B',
    url: secretUrl,
    headers: { Authorization: 'Bearer t0k3n' },
  })
  expect(added.status).toBe(201)
  const { id, created_at, updated_at } = added.body
  const shown = {
    id,
    key,
    type: 'host_b',
    url: '__redacted__',
    headers: { Authorization: '__redacted__' },
    active: true,
    created_at,
    updated_at,
  }
  expect(added.body).toEqual(shown)
  expect((await shop.asOperator('GET', `/build-hooks/${id}`)).body).toEqual(shown)
  expect((await shop.asOperator('GET', '/build-hooks')).body.items).toContainEqual(shown)
  expect((await shop.asOperator('PUT', `/build-hooks/${id}`, {})).body).toEqual({
    ...shown,
    updated_at: expect.any(Number),
  })
  const { rows } = await database().query('select row_to_json(b)::text as row from build_hooks b where id = $1', [id])
  expect(rows[0].row).not.toMatch(/s3cr3t|t0k3n|hooks\.example/)
})

test('The redaction placeholder is refused as a value of a build hook', async () => {
  const { id } = await made({ headers: { a: '1' } })
  for (const [method, path, rest] of [
    ['POST', '/build-hooks', hook()],
    ['PUT', `/build-hooks/${id}`, {}],
  ] as const) {
    const url = await shop.asOperator(method, path, { ...rest, url: '__redacted__' })
    expect([url.status, faults(url)]).toEqual([422, [['/url', 'redacted_value']]])
    const header = await shop.asOperator(method, path, {
      ...rest,
      headers: { 'X-Key': '__redacted__', 'X-Other': 'kept' },
    })
    expect([header.status, faults(header)]).toEqual([422, [['/headers/X-Key', 'redacted_value']]])
  }
})

test('An update of a build hook keeps absent fields and replaces all headers it sends', async () => {
  const { id } = await made({ headers: { 'X-One': '1', 'X-Two': '2' } })
  const kept = await shop.asOperator('PUT', `/build-hooks/${id}`, { type: 'custom' })
  expect(kept.body.type).toBe('custom')
  expect(await prepared(shop.store_id, id)).toEqual({
    url: secretUrl,
    method: 'POST',
    headers: { 'X-One': '1', 'X-Two': '2' },
    timeout_ms: 30_000,
  })
  await shop.asOperator('PUT', `/build-hooks/${id}`, { headers: { 'X-Three': '3' } })
  expect((await prepared(shop.store_id, id)).headers).toEqual({ 'X-Three': '3' })
  await shop.asOperator('PUT', `/build-hooks/${id}`, { headers: {}, url: 'http://other.example/' })
  expect(await prepared(shop.store_id, id)).toEqual({
    url: 'http://other.example/',
    method: 'POST',
    headers: {},
    timeout_ms: 30_000,
  })
})

test.each([
  ['ftp://hooks.example/'],
  ['//hooks.example/'],
  ['/deploy'],
  ['https:hooks.example'],
  ['https://user:secret@hooks.example/'],
  ['https://user@hooks.example/'],
  ['https://hooks.example/a b'],
  ['https://'],
  [`https://hooks.example/${'a'.repeat(2048)}`],
  [''],
])('A build hook with the URL %s is refused', async (url) => {
  const answer = await shop.asOperator('POST', '/build-hooks', hook({ url }))
  expect([answer.status, faults(answer).map(([pointer]) => pointer)]).toEqual([422, ['/url']])
})

test('A build hook with a header that cannot be sent is refused when it is saved', async () => {
  for (const headers of [
    { 'no name': 'x' },
    { Host: 'x' },
    { 'Content-Length': '1' },
    { 'X-A': 'two\nlines' },
    { 'X-A': '€' },
    { 'X-A': 1 },
  ]) {
    const answer = await shop.asOperator('POST', '/build-hooks', hook({ headers }))
    expect([answer.status, faults(answer)[0]?.[0]]).toEqual([422, `/headers/${Object.keys(headers)[0]}`])
  }
})

test('A key is unique among the build hooks of a store', async () => {
  const { key } = await made()
  expect(await shop.asOperator('POST', '/build-hooks', hook({ key }))).toMatchObject({
    status: 409,
    body: { code: 'key_taken' },
  })
  const { id } = await made()
  expect(await shop.asOperator('PUT', `/build-hooks/${id}`, { key })).toMatchObject({
    status: 409,
    body: { code: 'key_taken' },
  })
  expect((await other.asOperator('POST', '/build-hooks', hook({ key }))).status).toBe(201)
})

test('Build hooks are listed by type, active and ids', async () => {
  const { asOperator } = await newShop()
  const [a, b, c] = (
    await Promise.all(
      [{}, { type: 'host_c' }, { type: 'host_c', active: false }].map((more) =>
        asOperator('POST', '/build-hooks', hook(more)),
      ),
    )
  ).map(({ body }) => body.id)
  const ids = async (query: string) =>
    (await asOperator('GET', `/build-hooks?${query}`)).body.items.map((one: { id: string }) => one.id).toSorted()
  expect(await ids('type=host_c')).toEqual([b, c].toSorted())
  expect(await ids('active=true')).toEqual([a, b].toSorted())
  expect(await ids('active=false&type=HOST_C')).toEqual([c])
  expect(await ids(`ids=${a},${c}&type=host_b`)).toEqual([a, c].toSorted())
})

test('A build hook that is deleted, inactive or another store’s is not called', async () => {
  const { id } = await made()
  expect(await refusal(other.store_id, id)).toBe('build_hook_missing')
  expect(await refusal(shop.store_id, newId())).toBe('build_hook_missing')
  await shop.asOperator('PUT', `/build-hooks/${id}`, { active: false })
  expect(await refusal(shop.store_id, id)).toBe('build_hook_inactive')
  expect((await shop.asOperator('DELETE', `/build-hooks/${id}`)).body).toEqual({ success: true })
  expect(await refusal(shop.store_id, id)).toBe('build_hook_missing')
  expect((await shop.asOperator('GET', `/build-hooks/${id}`)).status).toBe(404)
})
