// Enum values are accepted in any case and returned as documented; unknown values are refused.
import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { EmailAddress } from '../../rules/input/email-addresses.ts'
import { Key, StoreKey } from '../../rules/input/identities.ts'
import * as shapes from '../../rules/shapes.ts'

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

test('Every shape is a JSON schema for input and output', () => {
  const schemas = [...Object.values(shapes), EmailAddress, Key, StoreKey].filter((one) => one instanceof z.ZodType)
  expect(schemas.length).toBeGreaterThan(20)
  for (const io of ['input', 'output'] as const) {
    for (const schema of schemas) expect(() => z.toJSONSchema(schema, { io, unrepresentable: 'throw' })).not.toThrow()
  }
})

test('Statuses, currencies and countries are accepted in any case', () => {
  expect(shapes.anyCase(shapes.RecordStatus).parse('Archived')).toBe('archived')
  expect(shapes.anyCase(shapes.TaxMode).parse('Inclusive')).toBe('inclusive')
  expect(shapes.anyCase(z.enum(['DRAFT', 'ACTIVE'])).parse('active')).toBe('ACTIVE')
  expect(accepts(shapes.anyCase(shapes.TaxMode), 'none')).toBe(false)
  expect(accepts(shapes.anyCase(shapes.TaxMode), 1)).toBe(false)
  expect(shapes.Currency.parse('usd')).toBe('USD')
  expect(accepts(shapes.Currency, 'XXQ')).toBe(false)
  expect(shapes.CountryCode.parse('de')).toBe('DE')
  expect(accepts(shapes.CountryCode, 'ZZ')).toBe(false)
})

test('An address may be partial and may clear a field', () => {
  expect(shapes.Address.parse({})).toEqual({})
  expect(shapes.Address.parse({ city: 'Bern', street2: null, country: 'ch' })).toEqual({
    city: 'Bern',
    street2: null,
    country: 'CH',
  })
  expect(shapes.Address.parse({ country: '' })).toEqual({ country: null })
})

test('An address with an unknown country, an unknown field or a long text is refused', () => {
  for (const address of [
    { country: 'XQ' },
    { country: 'Germany' },
    { zip: '1' },
    { city: 1 },
    { city: 'x'.repeat(201) },
  ]) {
    expect(accepts(shapes.Address, address)).toBe(false)
  }
})

test('An amount is a safe integer of at least 0, a quantity of at least 1', () => {
  for (const amount of [-1, 0.5, 2 ** 53, '1', Number.NaN]) expect(accepts(shapes.Amount, amount)).toBe(false)
  expect(accepts(shapes.Amount, Number.MAX_SAFE_INTEGER)).toBe(true)
  for (const quantity of [0, -1, 1.5, 1_000_001]) expect(accepts(shapes.Quantity, quantity)).toBe(false)
})

test('An empty zone has no restrictions, no tax and free shipping', () => {
  expect(shapes.Zone.parse({})).toEqual({
    countries: [],
    states: [],
    postal_codes: [],
    tax_bps: 0,
    shipping_methods: [],
  })
})

test('A slot ends after it starts and is not in milliseconds', () => {
  expect(accepts(shapes.Slot, { from: 100, to: 200 })).toBe(true)
  for (const slot of [
    { from: 200, to: 200 },
    { from: 1_700_000_000_000, to: 1_700_000_360_000 },
  ]) {
    expect(accepts(shapes.Slot, slot)).toBe(false)
  }
})

test('A taxonomy entry names entries or fields', () => {
  const taxonomy_id = '019365c0-0000-7000-8000-00000000000A'
  expect(shapes.TaxonomyEntry.parse({ taxonomy_id, entry_ids: [] }).taxonomy_id).toBe(taxonomy_id.toLowerCase())
  expect(accepts(shapes.TaxonomyEntry, { taxonomy_id, fields: [{ key: 'size', type: 'number', value: 3 }] })).toBe(true)
  expect(accepts(shapes.TaxonomyEntry, { taxonomy_id })).toBe(false)
})

test('A slug maps locales to strings', () => {
  expect(accepts(shapes.LocaleMap, { en: 'shirt', 'pt-BR': 'camisa', zh_Hans_CN: '衬衫' })).toBe(true)
  for (const map of [{ 'not a locale': 'x' }, { en: '' }, { en: 1 }, []])
    expect(accepts(shapes.LocaleMap, map)).toBe(false)
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
