// The kind of a value follows from the document: times, amounts, shares, ids and secrets are distinguished by their
// texts.
import fs from 'node:fs'
import { expect, test } from '@jest/globals'
import type { OpenApi } from '../../console/src/kit/document/operations.ts'
import {
  describe as described,
  fieldName,
  peopleText,
  propertiesOf,
  type Schema,
  wordsOf,
} from '../../console/src/kit/document/schema.ts'
import { networkTypes } from '../../rules/social/networks/network-types.ts'
import { networks } from '../../rules/social/networks/networks.ts'

const { components }: OpenApi = JSON.parse(fs.readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8'))
const { schemas } = components
const kindOf = (record: string, name: string) =>
  described(name, propertiesOf({ $ref: `#/components/schemas/${record}` }, schemas)[name] as Schema, schemas).shape

/** Every property of every schema, at any depth. */
function properties(schema: Schema, seen: [string, Schema][] = []): [string, Schema][] {
  for (const [name, one] of Object.entries(schema.properties ?? {})) {
    seen.push([name, one])
    properties(one, seen)
  }
  for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.items ? [schema.items] : [])])
    properties(one, seen)
  return seen
}
const all = Object.values(schemas).flatMap((schema) => properties(schema))

test('Every integer that is a time by its name is a time by its text', () => {
  const times = all.filter(
    ([name, schema]) =>
      /(_at|At)$/.test(name) &&
      !/^Ignored|^Must equal/.test(schema.description ?? '') &&
      /integer/.test(JSON.stringify(schema)),
  )
  expect(times.length).toBeGreaterThan(200)
  const others = times.filter(([name, schema]) => described(name, schema, schemas).shape.kind !== 'time')
  expect(others.map(([name, { description }]) => [name, description])).toEqual([])
})

test('Amounts, shares, sizes, ids, choices and secrets of records are known', () => {
  expect(kindOf('OrderMoney', 'total').kind).toBe('money')
  expect(kindOf('Price', 'amount').kind).toBe('money')
  expect(kindOf('Order', 'contact_id').kind).toBe('id')
  expect(kindOf('Order', 'status').kind).toBe('choice')
  expect(kindOf('CreateWebhookBody', 'secret')).toMatchObject({ kind: 'text', isSecret: true })
  expect(kindOf('CreateWebhookBody', 'url')).toMatchObject({ kind: 'text', isSecret: false })
  expect(kindOf('CreatePromoCodeBody', 'code')).toMatchObject({ kind: 'text', isLong: false })
  expect(kindOf('CreateEmailTemplateBody', 'body')).toMatchObject({ kind: 'text', isLong: true })
})

test('Null beside a type or an alternative makes a value that may be null', () => {
  const of = (schema: Schema) => described('x', schema, schemas)
  expect(of({ type: ['string', 'null'] })).toMatchObject({ isNullable: true, shape: { kind: 'text' } })
  expect(of({ anyOf: [{ type: 'integer' }, { type: 'null' }] })).toMatchObject({
    isNullable: true,
    shape: { kind: 'number', isInteger: true },
  })
  expect(
    of({
      anyOf: [
        { type: 'string', enum: ['a'] },
        { type: 'string', enum: ['b'] },
      ],
    }).shape,
  ).toEqual({
    kind: 'choice',
    values: ['a', 'b'],
  })
})

test('An alternative is known by its discriminator, or by a constant that all alternatives have', () => {
  const union = kindOf('CreatePromoCodeBody', 'discounts')
  const item = union.kind === 'list' ? described('discount', union.item, schemas).shape : union
  expect(item).toMatchObject({ kind: 'union', by: 'type' })
  expect(item.kind === 'union' && item.options.map(({ constant }) => constant)).toContain('items_percentage')
})

test('Names are written as words, and say what they show', () => {
  expect(['payment_provider', 'isPickupLocation', 'webhook_url', 'sku', 'ids'].map(wordsOf)).toEqual([
    'Payment provider',
    'Is pickup location',
    'Webhook URL',
    'SKU',
    'IDs',
  ])
  expect(fieldName('contact_id', { shape: { kind: 'id' } })).toBe('Contact')
  expect(fieldName('paidAt', { shape: { kind: 'time' } })).toBe('Paid')
  expect(fieldName('created_at_from', { shape: { kind: 'time' } })).toBe('Created from')
  expect(fieldName('mailbox_ids', { shape: { kind: 'list', item: {} } })).toBe('Mailboxes')
  expect(fieldName('entry_ids', { shape: { kind: 'list', item: {} } })).toBe('Entries')
  expect(fieldName('tax_bps', { shape: { kind: 'share' } })).toBe('Tax rate')
  expect(fieldName('bps', { shape: { kind: 'share' } })).toBe('Rate')
  expect(wordsOf('street1')).toBe('Street 1')
})

test('Operators read no requests, no marks of code and no names of values', () => {
  const texts = [
    'Mend its receiver, then wait. Enable it: `PUT /v1/stores/s/webhooks/w` with `{"enabled": true}`.',
    '`GET /v1/stores/s/readiness` lists what is missing.',
    'It is `needs_reconnect`. The id is `price_1Abc`.',
    'The campaign Black_Friday was paused. Start it again.',
  ]
  expect(texts.map(peopleText)).toEqual([
    'Mend its receiver, then wait.',
    'The API lists what is missing.',
    'It is needs reconnect. The id is price_1Abc.',
    'The campaign Black_Friday was paused. Start it again.',
  ])
})

test('The type of an account is said by the name of its network', () => {
  for (const type of networkTypes) expect(wordsOf(type)).toMatch(new RegExp(`^${networks[type].name} \\w+$`))
})
