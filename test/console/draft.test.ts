// Drafts hold what makes a request the same one, and no secret.
import fs from 'node:fs'
import { expect, test } from '@jest/globals'
import { type OpenApi, operationsOf } from '../../console/src/kit/document/operations.ts'
import { describe, type Schema } from '../../console/src/kit/document/schema.ts'
import { newDraft, newIds, newUuid, withoutSecrets } from '../../console/src/kit/form/draft.ts'
import { bodyOf, propertiesIn } from '../../console/src/kit/form/model.ts'

const document: OpenApi = JSON.parse(fs.readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8'))
const { schemas } = document.components
const operations = operationsOf(document)

/** A value for a schema in which every text that is write-only is SECRET, however deep it is. */
function filled(name: string, schema: Schema, isSecret: boolean, depth = 0): unknown {
  const { shape, description } = describe(name, schema, schemas)
  const isHidden = isSecret || /write-only/i.test(description)
  if (depth > 6) return 'text'
  if (shape.kind === 'text') return isHidden ? 'SECRET' : 'text'
  if (shape.kind === 'list') return [filled(name, shape.item, isHidden, depth + 1)]
  if (shape.kind === 'map') return { 'x-name': filled('x-name', shape.value, isHidden, depth + 1) }
  if (shape.kind === 'object' || shape.kind === 'union') {
    const constant = shape.kind === 'union' ? shape.options.find((one) => one.constant !== undefined) : undefined
    const begun = constant && shape.kind === 'union' ? { [shape.by ?? '']: constant.constant } : {}
    const properties = Object.entries(propertiesIn(begun, shape, schemas)).filter(([key]) => !(key in begun))
    return {
      ...begun,
      ...Object.fromEntries(properties.map(([key, one]) => [key, filled(key, one, isHidden, depth + 1)])),
    }
  }
  return isHidden ? 'SECRET' : 1
}

test('No draft of any form holds a value that the document calls write-only', () => {
  let secrets = 0
  for (const { spec, body } of operations) {
    if (!body) continue
    const { schema } = bodyOf(body, schemas)
    const value = filled('', schema, false)
    secrets += JSON.stringify(value).split('SECRET').length - 1
    expect([spec, JSON.stringify(withoutSecrets('', value, schema, schemas)).includes('SECRET')]).toEqual([spec, false])
  }
  expect(secrets).toBeGreaterThan(40)
})

test('Of a secret map the names stay in a draft, so that a change does not delete them unseen', () => {
  const webhook = operations.find(({ spec }) => spec === 'PUT /v1/stores/{storeId}/webhooks/{id}')
  const value = { key: 'k', secret: 'whsec_x', url: 'https://a.test/secret', headers: { authorization: 'Bearer x' } }
  expect(withoutSecrets('', value, webhook?.body ?? {}, schemas)).toEqual({
    key: 'k',
    headers: { authorization: '__redacted__' },
  })
})

test('Ids are UUIDs of version 4 without the functions that secure contexts alone have', () => {
  const { randomUUID } = crypto
  Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true })
  try {
    const ids = Array.from({ length: 100 }, newUuid)
    expect(
      ids.filter((id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)),
    ).toEqual([])
    const draft = newDraft({}, undefined, ['refund_id'])
    expect(new Set([...ids, draft.key, draft.ids.refund_id, newIds(draft).ids.refund_id]).size).toBe(103)
  } finally {
    Object.defineProperty(crypto, 'randomUUID', { value: randomUUID, configurable: true })
  }
})
