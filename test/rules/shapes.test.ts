// Enum values are accepted in any case and returned as documented; unknown values are refused.
import { expect, test } from '@jest/globals'
import { z } from 'zod'
import * as items from '../../rules/carts/items.ts'
import * as quote from '../../rules/carts/quote.ts'
import { Block } from '../../rules/content/block-shape.ts'
import { FormEntry } from '../../rules/content/form-entries.ts'
import { TaxonomyEntry } from '../../rules/content/taxonomies.ts'
import { EmailAddress } from '../../rules/input/email-addresses.ts'
import { Key, StoreKey } from '../../rules/input/identities.ts'
import { LocaleMap } from '../../rules/input/locale-map.ts'
import * as lines from '../../rules/orders/lines.ts'
import * as promoCodes from '../../rules/promotions/promo-code-shapes.ts'
import * as calendars from '../../rules/scheduling/calendars.ts'
import * as slots from '../../rules/scheduling/slots.ts'
import * as shapes from '../../rules/shapes.ts'
import * as addresses from '../../rules/stores/addresses.ts'
import * as markets from '../../rules/stores/markets.ts'

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

test('Every shape is a JSON schema for input and output', () => {
  const schemas = [shapes, addresses, calendars, items, lines, markets, promoCodes, quote, slots]
    .flatMap((module): unknown[] => Object.values(module))
    .concat(Block, FormEntry, LocaleMap, TaxonomyEntry, EmailAddress, Key, StoreKey)
    .filter((one) => one instanceof z.ZodType)
  expect(schemas.length).toBeGreaterThan(45)
  for (const io of ['input', 'output'] as const) {
    for (const schema of schemas) expect(() => z.toJSONSchema(schema, { io, unrepresentable: 'throw' })).not.toThrow()
  }
})

test('Statuses, currencies and countries are accepted in any case', () => {
  expect(shapes.anyCase(shapes.RecordStatus).parse('Archived')).toBe('archived')
  expect(shapes.anyCase(markets.TaxMode).parse('Inclusive')).toBe('inclusive')
  expect(shapes.anyCase(z.enum(['DRAFT', 'ACTIVE'])).parse('active')).toBe('ACTIVE')
  expect(accepts(shapes.anyCase(markets.TaxMode), 'none')).toBe(false)
  expect(accepts(shapes.anyCase(markets.TaxMode), 1)).toBe(false)
  expect(shapes.Currency.parse('usd')).toBe('USD')
  expect(accepts(shapes.Currency, 'XXQ')).toBe(false)
  expect(addresses.CountryCode.parse('de')).toBe('DE')
  expect(accepts(addresses.CountryCode, 'ZZ')).toBe(false)
})

test('An amount is a safe integer of at least 0, a quantity of at least 1', () => {
  for (const amount of [-1, 0.5, 2 ** 53, '1', Number.NaN]) expect(accepts(shapes.Amount, amount)).toBe(false)
  expect(accepts(shapes.Amount, Number.MAX_SAFE_INTEGER)).toBe(true)
  for (const quantity of [0, -1, 1.5, 1_000_001]) expect(accepts(items.Quantity, quantity)).toBe(false)
})

test('An email address is normalised to one spelling', () => {
  expect(EmailAddress.parse('  Ada@Example.COM ')).toBe('ada@example.com')
  for (const address of [
    '',
    'ada',
    'ada@',
    'a b@example.com',
    `${'a'.repeat(250)}@b.co`,
    'ada@example.com\nBcc: x@y.z',
  ]) {
    expect(accepts(EmailAddress, address)).toBe(false)
  }
})

test('A key has 1 to 255 printable characters', () => {
  for (const key of ['a', 'Blue shirt / L', 'größe', '👕', 'x'.repeat(255)]) expect(accepts(Key, key)).toBe(true)
  for (const key of ['', 'x'.repeat(256), 'a\n', 'a\u0000b', '\ud800']) expect(accepts(Key, key)).toBe(false)
})

test('A store key is a slug of at least three characters', () => {
  for (const key of ['abc', 'my-store', '123']) expect(accepts(StoreKey, key)).toBe(true)
  for (const key of ['ab', 'My-Store', '-abc', 'abc-', 'a--b', 'a b c', 'käse'])
    expect(accepts(StoreKey, key)).toBe(false)
})
