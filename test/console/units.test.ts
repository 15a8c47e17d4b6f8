// What is typed in another unit than that of the API is explained, and refused, in the unit that is typed.
import fs from 'node:fs'
import { expect, test } from '@jest/globals'
import { describe as described, type Schema } from '../../console/src/kit/document/schema.ts'
import { shownTexts } from '../../console/src/kit/units.ts'

const document = JSON.parse(fs.readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8'))
const { schemas } = document.components

/** Every schema of an amount or a rate in the document, at any depth. */
function inOtherUnits(value: unknown, found: Schema[] = []): Schema[] {
  if (value === null || typeof value !== 'object') return found
  const schema = value as Schema
  const isSchema = schema.type !== undefined && typeof schema.description === 'string'
  if (isSchema && ['money', 'share'].includes(described('', schema, schemas).shape.kind)) found.push(schema)
  for (const one of Object.values(value)) inOtherUnits(one, found)
  return found
}

test('No text of an amount or a rate that the console shows names the unit of the API', () => {
  const found = inOtherUnits(document)
  expect(found.length).toBeGreaterThan(100)
  const texts = found.map((schema) => {
    const { shape, description } = described('', schema, schemas)
    return shownTexts(shape, 'EUR').about(description)
  })
  expect(texts.filter((text) => /minor|basis|10000|\b\d+ is \d/.test(text))).toEqual([])
  expect(texts).toContain('Amount in EUR.')
  expect(texts).toContain('Amount to refund, in EUR.')
  expect(texts).toContain('Discount rate in percent.')
  expect(texts).toContain('Amount to pay, in EUR: subtotal − discount + shipping, plus a tax that is not included.')
})

test('What the API expects of an amount or a rate is said in the unit that is typed', () => {
  const money = shownTexts({ kind: 'money' }, 'USD')
  expect(money.fault('At most 2395 can be refunded.')).toBe('At most $23.95 can be refunded.')
  expect(money.fault('At most 23.95 USD can be refunded.')).toBe('At most 23.95 USD can be refunded.')
  expect(shownTexts({ kind: 'share' }, undefined).fault('Expected at most 10000.')).toBe('Expected at most 100 %.')
  const unknown = shownTexts({ kind: 'money' }, undefined)
  expect(unknown.fault('Expected at most 50.')).toBe('Expected at most 50.')
  expect(unknown.about('Amount in minor units.')).toBe('Amount in minor units.')
})
