// A form sends what its schema allows, and only what was changed; faults are shown at the fields that they name.
import fs from 'node:fs'
import { expect, test } from '@jest/globals'
import { type OpenApi, operationsOf } from '../../console/src/kit/document/operations.ts'
import {
  beginning,
  bodyOf,
  changesOf,
  cleaned,
  faultsOf,
  hasFault,
  isWritable,
  pointerTo,
  startOf,
  valuesOf,
} from '../../console/src/kit/form/model.ts'

const document: OpenApi = JSON.parse(fs.readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8'))
const { schemas } = document.components
const operations = operationsOf(document)
const bodyFor = (spec: string) => {
  const body = operations.find((one) => one.spec === spec)?.body
  if (!body) throw new Error(`no body of ${spec}`)
  return bodyOf(body, schemas)
}

test('Every id that its caller makes is made by the form, and is no field', () => {
  const made = operations.flatMap(({ spec, body }) => {
    if (!body) return []
    const { callersIds, fields } = bodyOf(body, schemas)
    expect(fields.filter(([name]) => callersIds.includes(name))).toEqual([])
    return callersIds.map((name) => `${spec} ${name}`)
  })
  // Every operation whose text says that the caller makes the id.
  const said = operations.filter(
    ({ body }) => body && JSON.stringify(bodyOf(body, schemas).schema).includes('made by the caller'),
  )
  expect(made.length).toBe(said.length)
  expect(made).toContain('POST /v1/stores/{storeId}/orders/{orderId}/refunds refund_id')
})

test('A version is sent by itself, and fields that a request must not have are left out', () => {
  const order = bodyFor('PUT /v1/stores/{storeId}/orders/{id}')
  expect([order.takesVersion, order.fields.some(([name]) => name === 'version' || name === 'number')]).toEqual([
    true,
    false,
  ])
  const product = bodyFor('PUT /v1/stores/{storeId}/products/{id}')
  const record = {
    id: 'x',
    key: 'tea',
    created_at: 1,
    blocks: [{ key: 'picture', type: 'media', value: 'm', media: { url: 'https://shop.test/m' } }],
  }
  expect(valuesOf(product, record, schemas)).toEqual({
    key: 'tea',
    blocks: [{ key: 'picture', type: 'media', value: 'm' }],
  })
})

test('Redacted secrets are left out, so that the stored ones stay; of a map the names are kept', () => {
  const webhook = bodyFor('PUT /v1/stores/{storeId}/webhooks/{id}')
  const record = { key: 'k', url: '__redacted__', secret: '__redacted__', headers: { authorization: '__redacted__' } }
  expect(valuesOf(webhook, record, schemas)).toEqual({ key: 'k', headers: { authorization: '__redacted__' } })
})

test('A field that a request repeats in vain is none of a form, and none that is required', () => {
  for (const { spec, body } of operations) {
    if (!body) continue
    const { schema, required, fields } = bodyOf(body, schemas)
    const vain = Object.entries(schema.properties ?? {}).filter(([, one]) => !isWritable(one, schemas))
    expect([spec, vain.filter(([name]) => required.includes(name))]).toEqual([spec, []])
    expect([spec, fields.filter(([name]) => vain.some(([one]) => one === name))]).toEqual([spec, []])
  }
  expect(bodyFor('PUT /v1/accounts').fields.map(([name]) => name)).toEqual([
    'name',
    'onboarding_completed',
    'lifecycle',
  ])
})

test('A form begins with what has no other choice', () => {
  expect(startOf(bodyFor('POST /v1/stores/{storeId}/webhooks'), schemas)).toEqual({ events: [{}] })
  expect(beginning('x', { type: 'boolean', default: true }, schemas)).toBe(true)
  expect(beginning('x', { type: 'string', enum: ['only'] }, schemas)).toBe('only')
})

test('Only the fields that were changed differ, at any depth', () => {
  const before = { a: 1, b: { c: [1, 2] }, d: undefined }
  expect(changesOf(before, { a: 1, b: { c: [1, 2] } })).toEqual([])
  expect(changesOf(before, { a: 1, b: { c: [2, 1] }, e: null })).toEqual(['b', 'e'])
  expect(cleaned({ a: undefined, b: { c: undefined, d: null }, e: [{ f: undefined }] })).toEqual({
    b: { d: null },
    e: [{}],
  })
})

test('A fault is found at its pointer and in all that contains it', () => {
  const at = pointerTo(pointerTo('', 'headers'), 'a/b~c')
  expect(at).toBe('/headers/a~1b~0c')
  const faults = faultsOf([
    { pointer: at, code: 'invalid', detail: 'Not a header.' },
    { pointer: 'limit', code: 'invalid', detail: 'More than `100`.' },
  ])
  expect([faults.get(at), faults.get('/limit'), hasFault(faults, '/headers'), hasFault(faults, '/head')]).toEqual([
    'Not a header.',
    'More than 100.',
    true,
    false,
  ])
})
