// The business surface spells what the store surface says: every name there and back, and no name that a caller chose.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { z } from 'zod'
import { declarationOf } from '../../api/kit/declared.ts'
import { routes } from '../../api/routes.ts'
import { anyMembers, openFieldsOf } from '../../rules/open-answers.ts'
import type { Fault } from '../../rules/refusal.ts'
import { Weekday } from '../../rules/scheduling/calendars.ts'
import { serialize } from '../../rules/serialize.ts'
import { anyCase, EffectError, RecordStatus } from '../../rules/shapes.ts'
import {
  camel,
  declaredNames,
  encodedIn,
  encodes,
  fieldNamesOf,
  fieldsOf,
  inward,
  outwardPlace,
  outwardWords,
  saidOn,
  spelledEnums,
  unwrapped,
  wordSpelling,
} from '../../rules/spelling.ts'
import { TaxMode } from '../../rules/stores/markets.ts'
import { bodyFor, spelledFor } from '../kit/samples.ts'

const older = routes.filter(({ surface }) => surface === 'business')

const Part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('by_day'), week_day: anyCase(Weekday) }),
  z.strictObject({ type: z.literal('by_date'), start_date: z.string(), slot_interval: z.int() }),
])
const Shape = z.object({
  service_id: z.string(),
  record_status: RecordStatus,
  tax_modes: z.array(TaxMode),
  working_parts: z.array(Part).nullable(),
  free_settings: z.looseObject({ declared_key: z.string().optional() }),
  prices_by_key: z.record(z.string(), z.strictObject({ min_amount: z.int() })),
  any_value: z.unknown(),
})
const key = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => text !== '__proto__')
const name = fc.constantFrom('plain', 'snake_case', 'camelCase', 'a_1', '_x')
const given = fc.record({
  service_id: fc.string(),
  record_status: fc.constantFrom(...RecordStatus.options),
  tax_modes: fc.array(fc.constantFrom(...TaxMode.options)),
  working_parts: fc.option(
    fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('by_day'), week_day: fc.constantFrom(...Weekday.options) }),
        fc.record({ type: fc.constant('by_date'), start_date: fc.string(), slot_interval: fc.integer() }),
      ),
    ),
  ),
  free_settings: fc.dictionary(name, fc.integer(), { noNullPrototype: true }),
  prices_by_key: fc.dictionary(fc.oneof(key, name), fc.record({ min_amount: fc.integer() }), { noNullPrototype: true }),
  any_value: fc.dictionary(name, fc.string(), { noNullPrototype: true }),
})

test('A value spelled out and in is the same', () => {
  fc.assert(
    fc.property(given, (value) => {
      const faults: Fault[] = []
      expect(inward(Shape, serialize(Shape, value, 'business'), faults)).toEqual(value)
      expect(faults).toEqual([])
    }),
  )
})

test('Names and words are spelled, and what callers chose is not', () => {
  const value = {
    service_id: 'a_b',
    record_status: 'draft',
    tax_modes: ['inclusive'],
    working_parts: [{ type: 'by_day', week_day: 'monday' }],
    free_settings: { declared_key: 'x', other_key: 1 },
    prices_by_key: { summer_sale: { min_amount: 1 } },
    any_value: { some_key: 1 },
  }
  expect(serialize(Shape, value, 'business')).toEqual({
    serviceId: 'a_b',
    recordStatus: 'DRAFT',
    taxModes: ['Inclusive'],
    workingParts: [{ type: 'by_day', weekDay: 'MONDAY' }],
    freeSettings: { declared_key: 'x', other_key: 1 },
    pricesByKey: { summer_sale: { minAmount: 1 } },
    anyValue: { some_key: 1 },
  })
  expect(serialize(Shape, value)).toEqual(value)
})

test('A declared name in snake_case is an unknown field at any depth, with a suggestion', () => {
  const faults: Fault[] = []
  inward(
    Shape,
    { service_id: 'x', pricesByKey: { a_b: { min_amount: 1 } }, workingParts: [{ type: 'by_date', start_date: 'x' }] },
    faults,
  )
  expect(faults).toEqual([
    { pointer: '/service_id', code: 'unknown_field', detail: 'There is no such field. Did you mean `serviceId`?' },
    {
      pointer: '/pricesByKey/a_b/min_amount',
      code: 'unknown_field',
      detail: 'There is no such field. Did you mean `minAmount`?',
    },
    {
      pointer: '/workingParts/0/start_date',
      code: 'unknown_field',
      detail: 'There is no such field. Did you mean `startDate`?',
    },
  ])
})

test('Words are read in any case, names by their spelling, and JSON in a text by its shape', () => {
  expect(inward(RecordStatus, 'Active', [])).toBe('active')
  expect(inward(RecordStatus, 'gone', [])).toBe('gone')
  const sorts = fieldNamesOf(z.enum(['created_at', 'key']))
  expect(inward(sorts, 'createdAt', [])).toBe('created_at')
  const text = encodes(z.string(), z.array(z.strictObject({ taxonomy_id: z.string() })))
  expect(inward(text, '[{"taxonomyId":"x"}]', [])).toBe('[{"taxonomy_id":"x"}]')
  expect(inward(text, 'no JSON', [])).toBe('no JSON')
})

test('Pointers and texts are spelled as far as they name declared fields', () => {
  expect(outwardPlace(Shape, ['working_parts', '0', 'slot_interval']).path).toEqual([
    'workingParts',
    '0',
    'slotInterval',
  ])
  expect(outwardPlace(Shape, ['prices_by_key', 'a_b', 'min_amount']).path).toEqual(['pricesByKey', 'a_b', 'minAmount'])
  expect(outwardPlace(Shape, ['free_settings', 'a_b']).path).toEqual(['freeSettings', 'a_b'])
  expect(outwardPlace(Shape, ['no_such'])).toEqual({ path: ['no_such'], words: undefined })
  expect(outwardPlace(Shape, ['record_status'])).toEqual({
    path: ['recordStatus'],
    words: ['ACTIVE', 'DRAFT', 'ARCHIVED'],
  })
  const text = 'Needs `service_id` and `{min_amount}` of the {store}; 409 `key_taken`.'
  expect(saidOn('business', text, declaredNames(Shape))).toBe(
    'Needs `serviceId` and `{minAmount}` of the business; 409 `key_taken`.',
  )
  expect(saidOn('store', text, declaredNames(Shape))).toBe(
    'Needs `service_id` and `{min_amount}` of the store; 409 `key_taken`.',
  )
})

test('A placeholder is filled per surface, and what a caller wrote in quotes is not', () => {
  const text =
    '{Stores} store {stores} of a {store}: {Store}, and stores them. `{store}` and "{store}" were sent, and {storeId}.'
  expect(saidOn('store', text)).toBe(
    'Stores store stores of a store: Store, and stores them. `{store}` and "{store}" were sent, and {storeId}.',
  )
  expect(saidOn('business', text)).toBe(
    'Businesses store businesses of a business: Business, and stores them. `{store}` and "{store}" were sent, and {storeId}.',
  )
})

test('Words of an enum are spelled in a text where they stand in backticks', () => {
  expect(outwardWords('`active` by default; an active or `activated` one is `draft`.', RecordStatus)).toBe(
    '`ACTIVE` by default; an active or `activated` one is `DRAFT`.',
  )
  expect(outwardWords('`a` by default', z.enum(['a']))).toBe('`a` by default')
})

/** All shapes inside of what the business surface takes and answers with. */
function shapesOf(schemas: readonly (z.core.$ZodType | undefined)[], seen = new Set<z.core.$ZodType>()) {
  for (const schema of schemas) {
    if (!schema || seen.has(schema)) continue
    seen.add(schema)
    shapesOf([unwrapped(schema, 'in'), unwrapped(schema, 'out'), encodedIn(schema)], seen)
    if (schema instanceof z.ZodUnion) shapesOf(schema.options, seen)
    if (schema instanceof z.ZodArray) shapesOf([schema.element], seen)
    if (schema instanceof z.ZodRecord) shapesOf([schema.valueType], seen)
    if (schema instanceof z.ZodObject) shapesOf(Object.values(schema.shape), seen)
  }
  return seen
}
const businessShapes = [...shapesOf(older.flatMap(({ body, query, out }) => [body, query, out]))]

test('An enum is spelled by what it is, and a copy with a description as the original', () => {
  const spelled = [RecordStatus, RecordStatus.describe('x'), anyCase(RecordStatus.meta({ id: 'Copy' })).out]
  expect(spelled.map((one) => wordSpelling(one)?.('draft'))).toEqual(['DRAFT', 'DRAFT', 'DRAFT'])
  const others = [z.enum(RecordStatus.options), RecordStatus.exclude(['draft'])]
  expect(others.map(wordSpelling)).toEqual([undefined, undefined])
})

test('Every enum of the business surface with the words of a spelled enum is that enum', () => {
  const wordsOf = (schema: z.ZodEnum) => [...schema.options].map(String).sort().join()
  const words = new Set(spelledEnums.map(([schema]) => wordsOf(schema)))
  const enums = businessShapes.filter((schema) => schema instanceof z.ZodEnum && words.has(wordsOf(schema)))
  expect(enums.length).toBeGreaterThan(10)
  expect(enums.filter((schema) => !wordSpelling(schema)).map((schema) => (schema as z.ZodEnum).options)).toEqual([])
})

test('Every union of objects of businesses has a discriminator, which decides the names', () => {
  const unions = businessShapes.filter((schema) => schema instanceof z.ZodUnion)
  expect(unions.length).toBeGreaterThan(5)
  const isObject = (schema: z.core.$ZodType): boolean => {
    const inner = unwrapped(schema, 'in')
    return inner ? isObject(inner) : schema instanceof z.ZodObject
  }
  const guessed = unions.filter(
    (union) => !(union instanceof z.ZodDiscriminatedUnion) && union.options.filter(isObject).length > 1,
  )
  expect(guessed).toEqual([])
  // More names of the other alternative do not matter.
  const sent = { type: 'by_day', weekDay: 'MONDAY', startDate: 'x', slotInterval: 1 }
  expect(inward(Part, sent, [])).toEqual({ type: 'by_day', week_day: 'monday', startDate: 'x', slotInterval: 1 })
})

test('No two fields of a shape have one spelling, and every body is read as it was meant', () => {
  expect(older.length).toBeGreaterThan(80)
  for (const route of older) {
    for (const shape of [route.body, route.query, route.out]) {
      const names = [...declaredNames(shape)]
      expect([route.spec, new Set(names.map(camel)).size]).toEqual([route.spec, names.length])
    }
    if (!route.body) continue
    const body = bodyFor(route)
    const faults: Fault[] = []
    expect([route.spec, inward(route.body, spelledFor(route, body), faults), faults]).toEqual([route.spec, body, []])
  }
})

test('Members that the server adds to an answer are spelled as the declared ones, at every depth', () => {
  const answer = z.object({
    error: EffectError.nullable(),
    evidence: anyMembers().describe('x'),
    late_evidence: anyMembers().nullable(),
  })
  const value = {
    error: { code: 'a_b', message: 'm', provider_status: 402, more_of: { its_own: 1 } },
    evidence: { provider_refund_id: 're_1' },
    late_evidence: null,
  }
  expect(serialize(answer, value, 'business')).toEqual({
    error: { code: 'a_b', message: 'm', providerStatus: 402, moreOf: { itsOwn: 1 } },
    evidence: { providerRefundId: 're_1' },
    lateEvidence: null,
  })
  expect(serialize(answer, value)).toEqual(value)
})

test('No answer of businesses has an object whose further names are not known to be ours', () => {
  const seen = new Set<z.core.$ZodType>()
  const loose: string[] = []
  const read = (shape: z.core.$ZodType | undefined, place: string): void => {
    if (!shape || seen.has(shape) || declarationOf(shape)) return
    seen.add(shape)
    read(unwrapped(shape, 'out'), place)
    if (shape instanceof z.ZodUnion) for (const one of shape.options) read(one, place)
    if (shape instanceof z.ZodArray) read(shape.element, place)
    if (shape instanceof z.ZodRecord) read(shape.valueType, place)
    if (!(shape instanceof z.ZodObject)) return
    if (!fieldsOf(shape) && !openFieldsOf(shape)) loose.push(place)
    for (const [name, one] of Object.entries(shape.shape)) read(one, `${place}.${name}`)
  }
  for (const { spec, out } of older) read(out, spec)
  expect(seen.size).toBeGreaterThan(1_000)
  expect(loose).toEqual([])
})
