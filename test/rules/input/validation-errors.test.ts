// Messages of invalid input are the API's own: the wording of the validator is never answered.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { faultsOf, parse } from '../../../rules/input/validation-errors.ts'
import { TimeWindow } from '../../../rules/scheduling/calendars.ts'
import { Amount } from '../../../rules/shapes.ts'

const variants = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), a: z.string() }),
  z.strictObject({ type: z.literal('number') }),
])

/** A shape and a value of which the shape reports this code. */
const cases: readonly (readonly [code: string, shape: z.ZodType, value: unknown, detail: string])[] = [
  ['invalid_type', z.string(), 1, 'Expected a string.'],
  ['invalid_type', z.int(), 1.5, 'Expected an integer.'],
  ['invalid_type', z.record(z.string(), z.string()), 1, 'Expected an object.'],
  ['invalid_type', z.map(z.string(), z.string()), 1, 'The value is not of the expected form.'],
  ['invalid_value', z.enum(['a', 'b']), 'c', 'Expected one of: a, b.'],
  ['invalid_value', z.literal(3), 4, 'Expected one of: 3.'],
  ['invalid_union', variants, { type: 'date' }, 'Expected one of: text, number.'],
  ['invalid_union', variants, { type: 7 }, 'Expected one of: text, number.'],
  ['invalid_union', z.union([z.string(), z.number()]), true, 'The value is not of the expected form.'],
  ['too_big', z.string().max(1), 'ab', 'Expected at most 1 character.'],
  ['too_big', z.array(z.string()).max(2), ['a', 'b', 'c'], 'Expected at most 2 items.'],
  ['too_big', z.number().lt(3), 3, 'Expected less than 3.'],
  ['too_small', z.number().positive(), 0, 'Expected more than 0.'],
  ['too_small', z.string().length(2), 'a', 'Expected at least 2 characters.'],
  ['not_multiple_of', z.number().multipleOf(5), 7, 'Expected a multiple of 5.'],
  ['invalid_format', z.string().regex(/^a$/), 'b', 'The text does not have the expected form.'],
  ['invalid_format', z.string().startsWith('a'), 'b', 'Expected text that begins with `a`.'],
  ['invalid_format', z.string().endsWith('a'), 'b', 'Expected text that ends with `a`.'],
  ['invalid_format', z.string().includes('a'), 'b', 'Expected text that contains `a`.'],
  ['invalid_format', z.guid(), 'b', 'Expected a UUID.'],
  ['invalid_format', z.email(), 'b', 'Expected an e-mail address.'],
  ['invalid_format', z.ipv4(), 'b', 'The text does not have the expected form.'],
  ['unknown_field', z.strictObject({}), { a: 1 }, 'There is no such field.'],
  ['invalid_key', z.record(z.string().max(1), z.string()), { ab: 'c' }, 'Expected at most 1 character.'],
  ['custom', z.string().refine(() => false), 'a', 'The value is not of the expected form.'],
]

test.each(cases)(
  'An issue of the code %s of a shape without a message is answered in our own words (%#)',
  (code, shape, value, detail) => {
    const parsed = parse(shape, value)
    const faults = parsed.success ? [] : faultsOf(parsed.issues, value)
    expect(faults).toMatchObject([
      { code: ['custom', 'invalid_union'].includes(code) ? 'invalid_value' : code, detail },
    ])
  },
)

test.each<[string, z.ZodType, unknown, string, string]>([
  ['an amount below 0', Amount, -1, 'too_small', 'Expected at least 0.'],
  ['an amount that must be positive', Amount.min(1), 0, 'too_small', 'Expected at least 1.'],
  ['an amount beyond the exact integers', Amount, 2 ** 60, 'too_big', 'Expected at most 9007199254740991.'],
  ['an amount with a fraction', Amount, 1.5, 'invalid_type', 'Expected an integer, in minor units of the currency.'],
  [
    'a start of opening hours',
    TimeWindow.shape.from,
    '24:00',
    'invalid_format',
    'Expected HH:MM, from 00:00 to 23:59.',
  ],
  ['an end of opening hours', TimeWindow.shape.to, '24:01', 'invalid_format', 'Expected HH:MM, from 00:00 to 24:00.'],
])('The detail of %s names what is expected', (_, shape, value, code, detail) => {
  const parsed = parse(shape, value)
  expect(parsed.success ? [] : faultsOf(parsed.issues, value)).toEqual([{ pointer: '', code, detail }])
})

test('No bound is hidden by a message of its type', () => {
  const hiding = ['rules', 'api', 'entities', 'adapters'].flatMap((folder) =>
    fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((file) => {
      if (!file.endsWith('.ts')) return []
      // A text as the last argument of a type is its message for every issue, also those of its bounds. One with digits
      // names them.
      const source = fs.readFileSync(`${folder}/${file}`, 'utf8')
      return [
        ...source.matchAll(
          /\bz\s*\.(?:coerce\.)?(?:int|int32|number|bigint|string|array|record|date)\((?:[^()'"`]*, )?(['"`])(?![^'"`]*\d)/g,
        ),
      ].map(([text]) => `${folder}/${file}: ${text}`)
    }),
  )
  expect(hiding).toEqual([])
})

test('Every code of the validator has a case', () => {
  const source = fs.readFileSync(createRequire(import.meta.url).resolve('zod/v4/locales/en.js'), 'utf8')
  const codes = [...source.matchAll(/case "([a-z]+_[a-z_]+)":/g)].map(([, code]) =>
    code === 'unrecognized_keys' ? 'unknown_field' : code,
  )
  expect(codes.length).toBeGreaterThan(7)
  // No value of JSON has elements that are not at a pointer of their own: maps and sets are not declared.
  expect(codes.filter((code) => code !== 'invalid_element' && !cases.some(([known]) => known === code))).toEqual([])
})
