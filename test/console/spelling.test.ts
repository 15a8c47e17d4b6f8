// What a business is answered becomes what a store is answered.
import fs from 'node:fs'
import { expect, test } from '@jest/globals'
import type { Schema } from '../../console/src/kit/document/schema.ts'
import { snakeKeys } from '../../console/src/kit/spelling.ts'

const document = JSON.parse(fs.readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8'))
const schemas: Record<string, Schema> = document.components.schemas
const fieldsOf = (name: string) =>
  Object.fromEntries(Object.keys(schemas[name]?.properties ?? {}).map((key) => [key, 1]))

test.each(['AttentionItem', 'AttentionEvidence', 'ReadinessCheck'])(
  'A %s of a business has the names of ours',
  (name) => {
    expect(Object.keys(fieldsOf(name)).length).toBeGreaterThan(4)
    expect(snakeKeys(fieldsOf(`Business${name}`))).toEqual(fieldsOf(name))
  },
)

test('Names are respelled at any depth, and statuses as keys stay', () => {
  expect(snakeKeys({ lateEvidence: [{ eventId: 'evtOne' }], NO_SHOW: null, street1: { orderId: 1 } })).toEqual({
    ...{ late_evidence: [{ event_id: 'evtOne' }], NO_SHOW: null, street1: { order_id: 1 } },
  })
})
