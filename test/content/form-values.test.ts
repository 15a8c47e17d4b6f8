// 200 submissions with one to five faults each: every fault is returned with its pointer and code, no more and no fewer, and nothing is stored.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { TEXT_MAX } from '../../rules/content/forms.ts'
import { type Answer, database, eitherApi, newShop, type Shop, type Visitor } from '../kit/shop.ts'

jest.setTimeout(120_000)

const types = ['text', 'number', 'boolean', 'date', 'geo_location', 'select'] as const
type Type = (typeof types)[number]
type Field = { id?: string; key?: string; type?: string; value?: unknown }
type Item = { id: string; key: string; type: Type; required: boolean }
/** What makes a field wrong, and the codes that are then returned below it. */
type Wrong = {
  change(item: Item, field: Field): Field
  faults: [at: string, code: string][]
  /** The field is valid where it is optional: it may be empty, and its number has no upper bound. */
  spares?: true
  /** The field cannot be matched with an item. */
  lost?: true
}

/** Each type twice, required and optional; keys are free text, so some look like other syntax. */
const schema = types.flatMap((type, at) => [
  {
    type,
    key: `${type} ~/%_"'`,
    required: true,
    ...(type === 'number' ? { min: -5, max: 10.5 } : {}),
    ...(type === 'select' ? { options: ['a', '東京', '%'] } : {}),
  },
  { type, key: `${at}:${type}`, required: false, ...(type === 'number' ? { min: 0 } : {}), ...(type === 'select' ? { options: ['__proto__'] } : {}) },
])
const fitting: Record<Type, unknown> = { text: 'x', number: 3, boolean: false, date: '2024-02-29', geo_location: { lat: -90, lng: 180 }, select: null }
const fits = (item: Item, options: readonly string[]): unknown => (item.type === 'select' ? options[0] : fitting[item.type])

const valued = (value: unknown, ...faults: Wrong['faults']): Wrong => ({ change: (_, field) => ({ ...field, value }), faults })
const at = (code: string): Wrong['faults'] => [['/value', code]]

const deep = (value: unknown): unknown => ({ a: [value] })
const wrongs: Record<Type, fc.Arbitrary<Wrong>> = {
  text: fc.oneof(
    fc.oneof(fc.integer(), fc.boolean(), fc.array(fc.string()), fc.constant({ a: 1 })).map((value) => valued(value, ...at('invalid_type'))),
    fc.integer({ min: 1, max: 500 }).map((more) => valued('ü'.repeat(TEXT_MAX + more), ...at('too_big'))),
  ),
  number: fc.oneof(
    fc.oneof(fc.string(), fc.boolean(), fc.integer().map(String), fc.integer().map(deep)).map((value) => valued(value, ...at('invalid_type'))),
    fc.integer({ min: 11 }).map((value) => ({ ...valued(value, ...at('too_big')), spares: true as const })),
    fc.integer({ max: -6 }).map((value) => valued(value, ...at('too_small'))),
  ),
  boolean: fc.constantFrom('true', 'yes', '', 0, 1, [], {}, [true]).map((value) => valued(value, ...at('invalid_type'))),
  date: fc.oneof(
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(['2026-01-01'])).map((value) => valued(value, ...at('invalid_type'))),
    fc
      .constantFrom(
        '2026-02-29',
        '2026-13-01',
        '2026-00-10',
        '26-01-01',
        '01.02.2026',
        '2026-1-1',
        ' 2026-01-01',
        '2026-01-01T00:00:00Z',
        '',
        'tomorrow',
        '+10000-01-01',
      )
      .map((value) => valued(value, ...at('invalid_format'))),
    fc.constant(valued('0000-12-31', ...at('too_small'))),
  ),
  geo_location: fc.oneof(
    fc.oneof(fc.string(), fc.integer(), fc.constant([51.5, -0.1]), fc.boolean()).map((value) => valued(value, ...at('invalid_type'))),
    fc.integer({ min: 91 }).map((lat) => valued({ lat, lng: 0 }, ['/value/lat', 'too_big'])),
    fc.integer({ max: -181 }).map((lng) => valued({ lat: 0, lng }, ['/value/lng', 'too_small'])),
    fc.integer({ min: 181 }).map((lng) => valued({ lat: '0', lng }, ['/value/lat', 'invalid_type'], ['/value/lng', 'too_big'])),
    fc.constantFrom(
      valued({}, ['/value/lat', 'required'], ['/value/lng', 'required']),
      valued({ lat: 0, lon: 0 }, ['/value/lng', 'required'], ['/value/lon', 'unknown_field']),
      valued({ lat: null, lng: 0 }, ['/value/lat', 'invalid_type']),
      valued({ lat: 0, lng: 0, 'a/b~c': 1 }, ['/value/a~1b~0c', 'unknown_field']),
    ),
  ),
  select: fc.oneof(
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(['a'])).map((value) => valued(value, ...at('invalid_type'))),
    fc.constantFrom('', 'A', ' a', 'a ', 'b', '東', 'constructor', '_').map((value) => valued(value, ...at('not_an_option'))),
  ),
}
/** Faults of any field. A field without an item leaves its item unanswered: a required one is then missing. */
const misnamed: fc.Arbitrary<Wrong> = fc.oneof(
  fc.constantFrom('nobody', '__proto__', 'text', 'Text ~/%_"\'', '%', 'constructor').map(
    (key): Wrong => ({
      ...{ lost: true, faults: [['/key', 'unknown_field']], change: (_, { id: __, ...field }) => ({ ...field, key }) },
    }),
  ),
  fc.constantFrom('00000000-0000-7000-8000-000000000000', 'nobody').map(
    (id): Wrong => ({
      ...{ lost: true, faults: [['/id', 'unknown_field']], change: (_, { key: __, ...field }) => ({ ...field, id }) },
    }),
  ),
  fc.constant<Wrong>({ lost: true, faults: [['/key', 'required']], change: (_, { value }) => ({ value }) }),
  fc.nat(4).map(
    (pick): Wrong => ({
      faults: [['/type', 'type_differs']],
      change: (item, field) => ({ ...field, type: types.filter((type) => type !== item.type)[pick] as string }),
    }),
  ),
  fc.constant<Wrong>({ faults: [['/type', 'type_differs']], change: (_, field) => ({ ...field, type: 'varchar' }) }),
  fc.constantFrom(null, undefined).map((value): Wrong => ({ ...valued(value, ...at('required')), spares: true })),
)

let shop: Shop
let visitor: Visitor
let form: { id: string; schema: (Item & { options?: string[] })[] }
beforeAll(async () => {
  shop = await newShop()
  const made = await shop.asOperator('POST', '/forms', { key: 'all-six', schema })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  form = made.body
  visitor = await shop.visitor()
})
afterAll(() => database().end())

const told = ({ status, body }: Answer) => [
  status,
  body.code,
  ...(body.errors ?? []).map((fault: { pointer: string; code: string }) => `${fault.pointer} ${fault.code}`).sort(),
]
const count = async () => Number((await database().query('select count(*) from form_submissions where tenant_id = $1', [shop.store_id])).rows[0].count)

/** Which fields are wrong (one to five of the twelve), how each is wrong, which are absent, in what order, and who sends it. */
const plans = fc.record({
  broken: fc.uniqueArray(fc.nat(schema.length - 1), { minLength: 1, maxLength: 5 }),
  how: fc.tuple(...schema.map(({ type }) => fc.oneof({ weight: 3, arbitrary: wrongs[type] }, { weight: 1, arbitrary: misnamed }))),
  absent: fc.uniqueArray(fc.nat(schema.length - 1), { maxLength: 3 }),
  order: fc.shuffledSubarray(
    schema.map((_, index) => index),
    { minLength: schema.length },
  ),
  byId: fc.array(fc.boolean(), { minLength: schema.length, maxLength: schema.length }),
  twice: fc.boolean(),
  operator: fc.boolean(),
})

test('200 invalid submissions are refused with the pointer and code of each fault', async () => {
  let sent = 0
  for (const [n, plan] of fc.sample(plans, { numRuns: 250, seed: 20261121 }).entries()) {
    const fields: Field[] = []
    const expected: string[] = []
    let lacking = 0
    const standing: { index: number; item: Item }[] = []
    for (const index of plan.order) {
      const item = form.schema[index] as Item & { options?: string[] }
      const broken = plan.broken.includes(index)
      if (!broken && plan.absent.includes(index)) {
        if (item.required) lacking++
        continue
      }
      const right: Field = { ...(plan.byId[index] ? { id: item.id } : { key: item.key }), value: fits(item, item.options ?? []) }
      const wrong = broken ? plan.how[index] : null
      const applies = wrong && !(wrong.spares && !item.required)
      const place = fields.push(applies ? wrong.change(item, right) : right) - 1
      if (applies) for (const [below, code] of wrong.faults) expected.push(`/fields/${place}${below} ${code}`)
      if (applies && wrong.lost && item.required) lacking++
      if (!(applies && wrong.lost)) standing.push({ index: place, item })
    }
    const again = plan.twice ? standing[0]?.item : undefined
    if (again) expected.push(`/fields/${fields.push({ key: again.key, value: 'again' }) - 1}/key duplicate`)
    for (let at = 0; at < lacking; at++) expected.push('/fields required')
    if (expected.length === 0 || sent === 200) continue
    sent++
    const path = `/forms/${form.id}/submissions`
    const answer = plan.operator ? await shop.asOperator('POST', path, { fields }, eitherApi()) : await visitor.call('POST', path, { fields }, eitherApi())
    expect([n, fields, ...told(answer)]).toEqual([n, fields, 422, 'invalid_input', ...expected.sort()])
  }
  expect([sent, await count()]).toEqual([200, 0])
})
