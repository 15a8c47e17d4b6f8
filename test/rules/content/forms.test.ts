// A submission is stored as its form's schema says, or each fault is returned at its pointer.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  defaultForms,
  FIELDS_MAX,
  type FormField,
  FormFields,
  type FormItem,
  FormSchema,
  type Identified,
  SUBMISSION_BYTES_MAX,
  submissionOf,
  TEXT_MAX,
  withIds,
} from '../../../rules/content/forms.ts'

type Schema = Identified<FormItem>[]
type Given = { schema: Schema; fields: FormField[] }

const numbered = () => {
  let last = 0
  return () => `made-${++last}`
}
const schemaOf = (...items: unknown[]): Schema => withIds(FormSchema.parse(items), numbered())
const codesOf = (schema: unknown) =>
  FormSchema.safeParse(schema).error?.issues.map((issue) => ({
    at: issue.path.join('/'),
    code: issue.code === 'custom' ? issue.params?.code : issue.code,
  }))
const told = ({ schema, fields }: Given) =>
  submissionOf(FormFields.parse(fields), schema).faults.map(({ pointer, code }) => ({ pointer, code }))

const word = fc.stringMatching(/^[a-z]{1,12}$/)
const bounded = fc
  .tuple(fc.integer({ min: -1000, max: 1000 }), fc.nat(1000))
  .map(([min, width]) => ({ min, max: min + width }))
const itemArbitraries: Record<FormItem['type'], fc.Arbitrary<object>> = {
  text: fc.constant({}),
  number: bounded,
  boolean: fc.constant({}),
  date: fc.constant({}),
  geo_location: fc.constant({}),
  select: fc.record({ options: fc.uniqueArray(word, { minLength: 1, maxLength: 5 }) }),
}
const types = Object.keys(itemArbitraries) as FormItem['type'][]

/** Every type at least once, in any order. */
const schemas: fc.Arbitrary<Schema> = fc
  .array(fc.constantFrom(...types), { maxLength: 4 })
  .chain((more) => fc.shuffledSubarray([...types, ...more], { minLength: types.length + more.length }))
  .chain((all) =>
    fc.tuple(
      ...all.map((type, index) =>
        fc
          .tuple(itemArbitraries[type], fc.boolean())
          .map(([rest, required]) => ({ type, key: `key ${index}`, required, ...rest })),
      ),
    ),
  )
  .map((items) => schemaOf(...items))

const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true }).map((degree) => degree + 0)
const values = (item: FormItem): fc.Arbitrary<unknown> => {
  switch (item.type) {
    case 'text':
      return fc.string({ maxLength: 50 }).map((text) => `x${text}`)
    case 'number':
      return fc.integer({ min: item.min ?? 0, max: item.max ?? 0 })
    case 'boolean':
      return fc.boolean()
    case 'date':
      return fc
        .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
        .map((date) => date.toISOString().slice(0, 10))
    case 'geo_location':
      return fc.record({ lat: degrees(90), lng: degrees(180) }, { noNullPrototype: true })
    case 'select':
      return fc.constantFrom(...item.options)
  }
}
const fieldOf = (item: Identified<FormItem>): fc.Arbitrary<FormField> =>
  fc
    .record({
      by: fc.constantFrom({ id: item.id }, { key: item.key }, { id: 'of nothing', key: item.key }),
      typed: fc.boolean(),
      value: values(item),
    })
    .map(({ by, typed, value }) => ({ ...by, ...(typed ? { type: item.type } : {}), value }))

/** Every field is sent, in any order. */
const valid: fc.Arbitrary<Given> = schemas.chain((schema) =>
  fc
    .tuple(...schema.map(fieldOf))
    .chain((fields) => fc.shuffledSubarray(fields, { minLength: fields.length }))
    .map((fields) => ({ schema, fields })),
)

const itemOf = ({ schema }: Given, { id, key }: FormField) =>
  schema.find((item) => (key === undefined ? item.id === id : item.key === key))
const wrong: Record<FormItem['type'], unknown[]> = {
  text: [1, false, ['a'], { a: 1 }],
  number: ['1', true, [1], Number.NaN],
  boolean: ['true', 0, 1, 'no'],
  date: [20_000, 1_700_000_000, true, ['2026-01-01']],
  geo_location: ['1,2', [1, 2], 7, true],
  select: [1, true, ['a'], {}],
}
type Break = {
  code: string
  /** The field type that the fault applies to, or any. */
  type?: FormItem['type']
  /** The pointer below the field. */
  at: string
  change: (field: FormField, item: Identified<FormItem>, pick: number) => unknown
}
const bounds = (item: FormItem) =>
  item.type === 'number' ? { min: item.min ?? 0, max: item.max ?? 0 } : { min: 0, max: 0 }
const breaks: Break[] = [
  { code: 'unknown_field', at: '/key', change: (field, _, pick) => Object.assign(field, { key: `nobody ${pick}` }) },
  {
    code: 'type_differs',
    at: '/type',
    change: (field, item, pick) => Object.assign(field, { type: types.filter((type) => type !== item.type)[pick % 5] }),
  },
  ...types.map((type) => ({
    code: 'invalid_type',
    type,
    at: '/value',
    change: (field: FormField, _: unknown, pick: number) => Object.assign(field, { value: wrong[type][pick % 4] }),
  })),
  {
    code: 'too_small',
    type: 'number',
    at: '/value',
    change: (field, item, pick) => Object.assign(field, { value: bounds(item).min - 1 - pick / 7 }),
  },
  {
    code: 'too_big',
    type: 'number',
    at: '/value',
    change: (field, item, pick) => Object.assign(field, { value: bounds(item).max + 1 + pick / 7 }),
  },
  {
    code: 'too_big',
    type: 'text',
    at: '/value',
    change: (field, _, pick) => Object.assign(field, { value: 'x'.repeat(TEXT_MAX + 1 + pick) }),
  },
  {
    code: 'not_an_option',
    type: 'select',
    at: '/value',
    change: (field, _, pick) => Object.assign(field, { value: `None ${pick}` }),
  },
  {
    code: 'invalid_format',
    type: 'date',
    at: '/value',
    change: (field, _, pick) =>
      Object.assign(field, {
        value: ['2026-02-29', '2026-1-1', '01/02/2026', '2026-13-01', '2026-01-01T00:00:00Z'][pick % 5],
      }),
  },
  { code: 'too_small', type: 'date', at: '/value', change: (field) => Object.assign(field, { value: '0000-01-01' }) },
  {
    code: 'too_big',
    type: 'geo_location',
    at: '/value/lat',
    change: (field, _, pick) => Object.assign(field, { value: { lat: 90.1 + pick, lng: 0 } }),
  },
  {
    code: 'too_small',
    type: 'geo_location',
    at: '/value/lng',
    change: (field, _, pick) => Object.assign(field, { value: { lat: 0, lng: -180.1 - pick } }),
  },
  {
    code: 'required',
    type: 'geo_location',
    at: '/value/lng',
    change: (field) => Object.assign(field, { value: { lat: 0 } }),
  },
  {
    code: 'invalid_type',
    type: 'geo_location',
    at: '/value/lat',
    change: (field) => Object.assign(field, { value: { lat: '1', lng: 1 } }),
  },
  {
    code: 'unknown_field',
    type: 'geo_location',
    at: '/value/a~1b',
    change: (field) => Object.assign(field, { value: { lat: 0, lng: 0, 'a/b': 1 } }),
  },
]

test('A valid submission is stored in the order of the schema, however its fields are named', () => {
  fc.assert(
    fc.property(valid, ({ schema, fields }) => {
      const { faults, fields: kept } = submissionOf(FormFields.parse(fields), schema)
      expect(faults).toEqual([])
      const sent = new Map(fields.map((field) => [itemOf({ schema, fields }, field)?.id, field.value]))
      expect(kept).toEqual(schema.map(({ id, key, type }) => ({ type, id, key, value: sent.get(id) })))
      expect(submissionOf(FormFields.parse(kept), schema)).toEqual({ faults: [], fields: kept })
    }),
    { numRuns: 200 },
  )
})

test.each(breaks.map((one) => [one.code, one.type ?? 'any', one.at, one] as const))(
  'A submission with one fault is refused there alone: %s of %s at %s',
  (code, _type, at, { type, change }) => {
    fc.assert(
      fc.property(valid, fc.nat(1000), (given, pick) => {
        const places = given.fields.flatMap((field, index) =>
          type === undefined || itemOf(given, field)?.type === type ? [index] : [],
        )
        const index = places[pick % places.length] ?? -1
        const fields = structuredClone(given.fields)
        const [field, item] = [fields[index], itemOf(given, fields[index] ?? {})]
        if (!field || !item) throw new Error('nothing to break')
        change(field, item, pick)
        // A field that cannot be matched has this fault alone; the item it meant may be required.
        const schema = at === '/key' ? given.schema.map((one) => ({ ...one, required: false })) : given.schema
        expect(told({ schema, fields })).toEqual([{ pointer: `/fields/${index}${at}`, code }])
      }),
      { numRuns: 200 },
    )
  },
)

test('A submission names each item once, by key or id', () => {
  fc.assert(
    fc.property(valid, fc.nat(), fc.boolean(), (given, pick, byId) => {
      const again = given.schema[pick % given.schema.length]
      if (!again) throw new Error('an empty schema')
      const fields = [...given.fields, byId ? { id: again.id, value: null } : { key: again.key, value: null }]
      expect(told({ ...given, fields })).toEqual([
        { pointer: `/fields/${given.fields.length}/${byId ? 'id' : 'key'}`, code: 'duplicate' },
      ])
    }),
    { numRuns: 200 },
  )
})

test('A missing required field is a fault at its empty value, or at /fields if it is absent', () => {
  fc.assert(
    fc.property(valid, fc.nat(), fc.constantFrom(null, undefined), (given, pick, empty) => {
      const index = pick % given.fields.length
      const lacking = itemOf(given, given.fields[index] ?? {})
      const schema = given.schema.map((item) => ({ ...item, required: item.id === lacking?.id }))
      const emptied = given.fields.map((field, at) => (at === index ? { ...field, value: empty } : field))
      expect(told({ schema, fields: emptied })).toEqual([{ pointer: `/fields/${index}/value`, code: 'required' }])
      expect(told({ schema, fields: given.fields.toSpliced(index, 1) })).toEqual([
        { pointer: '/fields', code: 'required' },
      ])
      const optional = schema.map((item) => ({ ...item, required: false }))
      expect(submissionOf(emptied, optional).fields).toHaveLength(given.fields.length - 1)
    }),
    { numRuns: 200 },
  )
})

test('A text of spaces counts as empty', () => {
  const schema = schemaOf({ type: 'text', key: 'name', required: true }, { type: 'text', key: 'notes' })
  expect(told({ schema, fields: [{ key: 'name', value: ' \n' }] })).toEqual([
    { pointer: '/fields/0/value', code: 'required' },
  ])
  expect(
    submissionOf(
      [
        { key: 'name', value: ' Ada ' },
        { key: 'notes', value: '' },
      ],
      schema,
    ).fields,
  ).toEqual([{ type: 'text', id: 'made-1', key: 'name', value: ' Ada ' }])
})

test.each(types)('An empty text is no value of a field of the type %s, as browsers send it', (type) => {
  const item = { type, key: 'a', ...(type === 'select' ? { options: ['x'] } : {}) } as FormItem
  for (const value of ['', '  ', null, undefined]) {
    expect(submissionOf([{ key: 'a', value }], schemaOf(item))).toEqual({ faults: [], fields: [] })
    expect(told({ schema: schemaOf({ ...item, required: true }), fields: [{ key: 'a', value }] })).toEqual([
      { pointer: '/fields/0/value', code: 'required' },
    ])
  }
})

test('The values false and 0 are not empty', () => {
  const schema = schemaOf(
    { type: 'boolean', key: 'sure', required: true },
    { type: 'number', key: 'guests', required: true },
  )
  const { fields } = submissionOf(
    [
      { key: 'sure', value: false },
      { key: 'guests', value: 0 },
    ],
    schema,
  )
  expect(fields?.map(({ value }) => value)).toEqual([false, 0])
})

test('A field is named by key or id, an unknown name is a fault, and the key wins over the id', () => {
  const schema = schemaOf({ type: 'text', key: 'a', id: 'b' }, { type: 'number', key: 'b', id: 'a' })
  expect(told({ schema, fields: [{ value: 'x' }] })).toEqual([{ pointer: '/fields/0/key', code: 'required' }])
  expect(told({ schema, fields: [{ id: 'c', value: 'x' }] })).toEqual([
    { pointer: '/fields/0/id', code: 'unknown_field' },
  ])
  expect(submissionOf([{ id: 'a', key: 'a', value: 'x' }], schema).fields).toEqual([
    { type: 'text', id: 'b', key: 'a', value: 'x' },
  ])
})

test('A submission returns all of its faults at once', () => {
  const schema = schemaOf({ type: 'text', key: 'a', required: true }, { type: 'number', key: 'b', max: 3 })
  expect(told({ schema, fields: [{ key: 'b', type: 'text', value: 4 }, { key: 'z' }] })).toEqual([
    { pointer: '/fields/0/type', code: 'type_differs' },
    { pointer: '/fields/1/key', code: 'unknown_field' },
    { pointer: '/fields/0/value', code: 'too_big' },
    { pointer: '/fields', code: 'required' },
  ])
})

test('A submission has a limit of size', () => {
  const schema = schemaOf(...Array.from({ length: 30 }, (_, index) => ({ type: 'text', key: `${index}` })))
  const full = (last: number) =>
    schema.map(({ key }, index) => ({
      key,
      value: index < 26 ? 'x'.repeat(TEXT_MAX) : index === 26 ? 'x'.repeat(last) : null,
    }))
  const bytes = (last: number) => JSON.stringify(submissionOf(full(last), schema).fields).length
  const room = SUBMISSION_BYTES_MAX - bytes(1) + 1
  expect(bytes(room)).toBe(SUBMISSION_BYTES_MAX)
  expect(told({ schema, fields: full(room + 1) })).toEqual([{ pointer: '/fields', code: 'too_big' }])
  expect(FormFields.safeParse(Array.from({ length: FIELDS_MAX + 1 }, () => ({ key: 'a' }))).success).toBe(false)
})

describe('Schemas of forms', () => {
  test('A form’s schema keeps ids that are sent and makes the others', () => {
    expect(schemaOf({ type: 'text', key: 'a', id: 'mine' }, { type: 'date', key: 'b' })).toEqual([
      { type: 'text', key: 'a', id: 'mine', required: false },
      { type: 'date', key: 'b', id: 'made-1', required: false },
    ])
  })

  const text = { type: 'text', key: 'a' }
  test.each<[string, unknown[], string, string]>([
    ['two items of one key', [text, text], '1/key', 'duplicate'],
    [
      'two items of one id',
      [
        { ...text, id: '1' },
        { ...text, key: 'b', id: '1' },
      ],
      '1/id',
      'duplicate',
    ],
    ['min above max', [{ type: 'number', key: 'a', min: 2, max: 1 }], '0/max', 'max_below_min'],
    ['a select without options', [{ type: 'select', key: 'a', options: [] }], '0/options', 'too_small'],
    ['a select whose options are missing', [{ type: 'select', key: 'a' }], '0/options', 'invalid_type'],
    ['an option twice', [{ type: 'select', key: 'a', options: ['x', 'y', 'x'] }], '0/options/2', 'duplicate'],
    ['an empty option', [{ type: 'select', key: 'a', options: [''] }], '0/options/0', 'too_small'],
    ['an unknown type', [{ type: 'colour', key: 'a' }], '0/type', 'invalid_union'],
    ['an option of another type', [{ ...text, min: 1 }], '0', 'unrecognized_keys'],
    ['no key', [{ type: 'text' }], '0/key', 'invalid_type'],
    [
      'too many items',
      Array.from({ length: FIELDS_MAX + 1 }, (_, index) => ({ type: 'text', key: `${index}` })),
      '',
      'too_big',
    ],
  ])('A form’s schema with %s is refused', (_what, schema, at, code) => expect(codesOf(schema)).toEqual([{ at, code }]))

  test('A form’s schema accepts equal bounds, and null for no bound', () => {
    expect(
      codesOf([
        { type: 'number', key: 'a', min: 1, max: 1 },
        { type: 'number', key: 'b', min: null, max: null },
      ]),
    ).toBeUndefined()
  })

  test('A new store’s forms are valid, and their required fields are enough', () => {
    expect(Object.keys(defaultForms)).toEqual(['contact', 'service-intake', 'order-notes'])
    for (const form of Object.values(defaultForms)) {
      const schema = schemaOf(...form)
      expect(FormSchema.parse(form)).toEqual(form)
      const required = schema.filter((item) => item.required)
      expect(
        submissionOf(
          required.map(({ key }) => ({ key, value: 'Ada' })),
          schema,
        ).fields,
      ).toHaveLength(required.length)
    }
  })
})

describe('Ids of schema items', () => {
  const numbered = () => {
    let last = 0
    return () => `made-${++last}`
  }
  const before = [
    { id: 'a', key: 'name', type: 'text' },
    { id: 'b', key: 'size', type: 'number' },
  ]
  const idsOf = (...schema: { id?: string; key: string; type: string }[]) =>
    withIds(schema, numbered(), before).map(({ id }) => id)

  test('A schema item keeps the id that is sent', () => {
    expect(idsOf({ id: 'mine', key: 'name', type: 'text' }, { id: 'b', key: 'other', type: 'boolean' })).toEqual([
      'mine',
      'b',
    ])
  })

  test('A schema item without an id gets the stored one of its key and type, wherever it is', () => {
    expect(idsOf({ key: 'size', type: 'number' }, { key: 'name', type: 'text' })).toEqual(['b', 'a'])
  })

  test('A schema item with a new key or another type gets a new id', () => {
    expect(idsOf({ key: 'colour', type: 'text' }, { key: 'name', type: 'number' })).toEqual(['made-1', 'made-2'])
  })

  test('An id occurs once: the item that was sent with it has it', () => {
    expect(idsOf({ id: 'a', key: 'title', type: 'text' }, { key: 'name', type: 'text' })).toEqual(['a', 'made-1'])
  })
})
