// An invalid query is refused with the parameter's name and the expected value.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { api, database, http, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(async () => database().end())

const faultsOf = async (path: string) => {
  const { status, body } = await shop.asOperator('GET', path)
  return [
    status,
    body.errors?.map(({ pointer, code, detail }: Record<string, string>) => `${pointer} ${code}: ${detail}`),
  ]
}

const seconds = 'Expected Unix seconds, an integer from 0 to 253402300799 (the end of the year 9999).'

test.each([
  ['misspelled', 'limitt=3', 'limitt unknown_parameter: There is no such query parameter. Did you mean `limit`?'],
  [
    'in camel case',
    'sortField=number',
    'sortField unknown_parameter: There is no such query parameter. Did you mean `sort_field`?',
  ],
  ['that resembles none', 'page=2', 'page unknown_parameter: There is no such query parameter.'],
  ['named __proto__', '__proto__=1', '__proto__ unknown_parameter: There is no such query parameter.'],
  ['without a value', 'contact_id=', 'contact_id empty: The value is empty. Send a value, or omit the parameter.'],
  ['without an equals sign', 'verified', 'verified empty: The value is empty. Send a value, or omit the parameter.'],
  [
    'with an empty value beside another',
    'statuses=pending&statuses=',
    'statuses empty: The value is empty. Send a value, or omit the parameter.',
  ],
  ['that searches for blanks', 'query=%20%20', 'query too_small: Expected text to search for.'],
  [
    'with an empty element',
    'product_ids=,',
    'product_ids invalid_format: Expected a UUID.|product_ids invalid_format: Expected a UUID.',
  ],
  ['that is not a boolean', 'verified=1', 'verified invalid_type: Expected `true` or `false`.'],
  ['that is not a number', 'limit=many', 'limit invalid_type: Expected an integer from 1 to 100.'],
  ['with too large a number', 'limit=101', 'limit too_big: Expected an integer from 1 to 100.'],
  ['of no enum', 'sort_direction=up', 'sort_direction invalid_value: Expected one of: asc, desc.'],
  ['sent twice', 'limit=1&limit=2', 'limit invalid_type: Send this parameter once.'],
  [
    'sent twice where it is an enum',
    'sort_field=number&sort_field=id',
    'sort_field invalid_value: Send this parameter once.',
  ],
  [
    'in milliseconds',
    'created_at_from=1770000000000',
    'created_at_from too_big: Expected Unix seconds; this looks like milliseconds.',
  ],
  ['after the year 9999', 'created_at_to=253402300800', `created_at_to too_big: ${seconds}`],
  ['before 1970', 'created_at_to=-1', `created_at_to too_small: ${seconds}`],
  ['that is not a time', 'created_at_to=today', `created_at_to invalid_type: ${seconds}`],
])('A query parameter %s is refused with its name and what is expected', async (_, search, expected) => {
  expect(await faultsOf(`/orders?${search}`)).toEqual([
    422,
    expected.split('|p').map((one, at) => (at === 0 ? one : `p${one}`)),
  ])
})

test.each([
  'orders?statuses=foo',
  'orders?statuses=confirmed,foo',
  'orders?product_statuses=foo',
  'services?statuses=foo',
  'refunds?status=succeeded,foo',
])('An unknown word in a list of a query is refused as such: %s', async (path) => {
  expect(await faultsOf(`/${path}`)).toEqual([
    422,
    [expect.stringMatching(/^\w*status(es)? invalid_value: Expected one of: \w+, /)],
  ])
})

test('A media type, an address and a number are refused with what is expected, without a pattern', async () => {
  expect(await faultsOf('/media?limit=1&mime_type=image')).toEqual([
    422,
    ['mime_type invalid_format: Expected a media type such as `image/png`, or `image/*`.'],
  ])
  const { body } = await shop.asOperator('POST', '/social-publications/engagement/sync', { max_publications: '5' })
  expect(body.errors).toEqual([{ pointer: '/max_publications', code: 'invalid_type', detail: 'Expected an integer.' }])
  const contact = await shop.asOperator('POST', '/contacts', { email: 'nope' })
  expect(contact.body.errors).toEqual([
    { pointer: '/email', code: 'invalid_format', detail: 'Expected an e-mail address.' },
  ])
})

test('A time in a query may be the last second of the year 9999', async () => {
  expect((await shop.asOperator('GET', '/orders?created_at_to=253402300799')).status).toBe(200)
})

test('A time in milliseconds is recognised in an availability query and in a body', async () => {
  const path = `/services/availability?service_id=${shop.store_id}&from=1770000000000&to=1770000000001`
  const looks = 'Expected Unix seconds; this looks like milliseconds.'
  expect(await faultsOf(path)).toEqual([422, [`from too_big: ${looks}`, `to too_big: ${looks}`]])
  const made = await http('POST', '/v1/accounts/me/api-tokens', {
    headers: shop.op.headers,
    body: { name: 'x', expires_at: 1770000000000 },
  })
  expect([made.status, made.body.errors]).toEqual([422, [{ pointer: '/expires_at', code: 'too_big', detail: looks }]])
})

test('A misspelled field of a body is refused with the nearest field', async () => {
  const { status, body } = await shop.asOperator('POST', '/products', { key: 'tea', vairants: [] })
  expect([status, body.errors]).toEqual([
    422,
    [{ pointer: '/vairants', code: 'unknown_field', detail: 'There is no such field. Did you mean `variants`?' }],
  ])
})

test('A value beyond a bound is refused with the bound, a taxonomy without entries as required', async () => {
  const fields = {
    key: '',
    slug: { en: 'x'.repeat(300) },
    blocks: Array(501).fill({ key: 'a', type: 'text' }),
    status: 'SOLD',
    taxonomies: [{ taxonomy_id: shop.store_id }],
  }
  const { body } = await shop.asOperator('POST', '/products', fields)
  expect(
    body.errors.map(({ pointer, code, detail }: Record<string, string>) => `${pointer} ${code}: ${detail}`),
  ).toEqual([
    '/key too_small: Expected at least 1 character.',
    '/slug/en too_big: Expected at most 255 characters.',
    '/blocks too_big: Expected at most 500 items.',
    '/taxonomies/0 required: Send `entry_ids` or `fields`.',
    '/status invalid_value: Expected one of: active, draft, archived.',
  ])
})

test('A body with 50,000 unknown fields is refused with the first hundred', async () => {
  const fields = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`f${n}`, 0]))
  const { status, body } = await shop.asOperator('POST', '/products', { key: 'tea', ...fields })
  expect([status, body.errors.length]).toEqual([422, 100])
})

test('An upload with an unknown query parameter is refused before its files are read', async () => {
  const form = new FormData()
  form.append('files', new Blob(['not a picture']), 'a.png')
  const answer = await fetch(`${api()}/v1/stores/${shop.store_id}/media?folder=1`, {
    method: 'POST',
    headers: shop.op.headers,
    body: form,
  })
  const { errors } = (await answer.json()) as { errors: { pointer: string }[] }
  expect([answer.status, errors.map(({ pointer }) => pointer)]).toEqual([422, ['folder']])
})
