// A record's taxonomies exist, fit the taxonomy's fields, are returned as they were sent, and find the record in every
// list.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Attached, asQuery, attach, kinds, linksApart, lists, type Term, term } from '../kit/content/taxonomies.ts'
import { type Answer, database, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
let theirs: Shop
const unknownId = '0199aaaa-0000-7000-8000-0000000000bb'
beforeAll(async () => {
  ;[shop, theirs] = await Promise.all([newShop(), newShop()])
})
afterAll(() => database().end())

const faultsOf = ({ status, body }: Answer) => [
  status,
  ...(body.errors ?? []).map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]),
]
const count = async () =>
  (
    await database().query(
      `select (select count(*) from products where tenant_id = $1) + (select count(*) from services where tenant_id = $1)
         + (select count(*) from providers where tenant_id = $1) + (select count(*) from entries where tenant_id = $1) as n`,
      [shop.store_id],
    )
  ).rows[0].n

describe.each(kinds)('Taxonomies of kind %s', (kind) => {
  test(`A record of kind ${kind} returns its taxonomies as sent, completed by their fields`, async () => {
    const schema = [
      { type: 'text', key: 'colour', value: ['red', 'blue'] },
      { type: 'number', key: 'size', id: 'the-size' },
      { type: 'boolean', key: 'new' },
      { type: 'geo_location', key: 'place' },
    ]
    const [typed, plain, child] = [await term(shop, { schema }), await term(shop), await term(shop)]
    const [colour, , isNew, place] = typed.schema as { id: string }[]
    const fields = [
      { key: 'new', value: false },
      { id: 'the-size', value: 0.5 },
      { id: colour?.id, key: 'colour', type: 'text', value: 'blue' },
      { key: 'place', value: { lat: -90, lng: 180 } },
    ]
    const taxonomies = [
      { taxonomy_id: plain.id, entry_ids: [child.id.toUpperCase(), plain.id] },
      { taxonomy_id: typed.id, fields },
      { taxonomy_id: plain.id, entry_ids: [] },
    ]
    const stored = [
      { taxonomy_id: plain.id, entry_ids: [child.id, plain.id] },
      {
        taxonomy_id: typed.id,
        fields: [
          { id: isNew?.id, key: 'new', type: 'boolean', value: false },
          { id: 'the-size', key: 'size', type: 'number', value: 0.5 },
          { id: colour?.id, key: 'colour', type: 'text', value: 'blue' },
          { id: place?.id, key: 'place', type: 'geo_location', value: { lat: -90, lng: 180 } },
        ],
      },
      { taxonomy_id: plain.id, entry_ids: [] },
    ]
    const made = await attach(kind, shop, taxonomies as Attached[])
    expect([made.status, made.body.taxonomies]).toEqual([201, stored])
    const path = `/${lists[kind]}/${made.body.id}`
    expect((await shop.asOperator('GET', path)).body.taxonomies).toEqual(stored)
    expect((await shop.asVisitor('GET', path)).body.taxonomies).toEqual(stored)
    expect((await shop.asOperator('PUT', path, { status: 'active' })).body.taxonomies).toEqual(stored)
    expect((await shop.asOperator('PUT', path, (await shop.asOperator('GET', path)).body)).body.taxonomies).toEqual(
      stored,
    )
    expect(await linksApart(shop)).toEqual([])
    expect((await shop.asOperator('PUT', path, { taxonomies: [] })).body.taxonomies).toEqual([])
    expect(await linksApart(shop)).toEqual([])
  })

  test(`A record of kind ${kind} with unknown, foreign or unfitting taxonomies is refused in full`, async () => {
    const schema = [
      { type: 'number', key: 'size', max: 9 },
      { type: 'geo_location', key: 'place' },
    ]
    const [typed, other] = [await term(shop, { schema }), await term(theirs)]
    const wrong = [
      { taxonomy_id: typed.id, entry_ids: [typed.id, other.id, unknownId] },
      { taxonomy_id: other.id, entry_ids: [typed.id] },
      { taxonomy_id: unknownId, fields: [] },
      {
        taxonomy_id: typed.id,
        fields: [
          { key: 'size', value: 10 },
          { key: 'place', value: { lat: 91, lng: 0 } },
          { key: 'what', value: 1 },
          { value: 1 },
        ],
      },
    ]
    const before = await count()
    const faults = [
      422,
      ['/taxonomies/0/entry_ids/1', 'entry_unknown'],
      ['/taxonomies/0/entry_ids/2', 'entry_unknown'],
      ['/taxonomies/1/taxonomy_id', 'taxonomy_unknown'],
      ['/taxonomies/2/taxonomy_id', 'taxonomy_unknown'],
      ['/taxonomies/3/fields/2/key', 'unknown_field'],
      ['/taxonomies/3/fields/3/key', 'required'],
      ['/taxonomies/3/fields/0/value', 'too_big'],
      ['/taxonomies/3/fields/1/value/lat', 'too_big'],
    ]
    expect(faultsOf(await attach(kind, shop, wrong))).toEqual(faults)
    expect(await count()).toBe(before)
    const made = await attach(kind, shop, [{ taxonomy_id: typed.id, entry_ids: [] }])
    expect(faultsOf(await shop.asOperator('PUT', `/${lists[kind]}/${made.body.id}`, { taxonomies: wrong }))).toEqual(
      faults,
    )
    expect((await shop.asOperator('GET', `/${lists[kind]}/${made.body.id}`)).body).toEqual(made.body)
    expect(await linksApart(shop)).toEqual([])
  })

  test(`A record of kind ${kind} keeps an archived taxonomy and loses one that is deleted`, async () => {
    const [kept, archived] = [await term(shop), await term(shop, { status: 'archived' })]
    const taxonomies = [
      { taxonomy_id: kept.id, entry_ids: [] },
      { taxonomy_id: archived.id, entry_ids: [kept.id] },
    ]
    const { status, body } = await attach(kind, shop, taxonomies)
    expect([status, body.taxonomies]).toEqual([201, taxonomies])
    await shop.asOperator('PUT', `/taxonomies/${kept.id}`, { status: 'archived' })
    expect((await shop.asOperator('GET', `/${lists[kind]}/${body.id}`)).body.taxonomies).toEqual(taxonomies)
    await shop.asOperator('DELETE', `/${lists[kind]}/${body.id}`)
    expect(await linksApart(shop)).toEqual([])
  })
})

test('A record attached to an entry is found by it, and detached when the entry is deleted', async () => {
  const genre = await term(shop)
  const jazz = (await attach('entry', shop, [])).body
  const record = (await attach('product', shop, [{ taxonomy_id: genre.id, entry_ids: [jazz.id, genre.id] }])).body
  const found = async () =>
    (
      await shop.asOperator('GET', `/products?${asQuery([{ taxonomy_id: genre.id, entry_ids: [jazz.id] }])}`)
    ).body.items.map(({ id }: { id: string }) => id)
  expect(await found()).toEqual([record.id])
  expect((await shop.asOperator('DELETE', `/entries/${jazz.id}`)).status).toBe(200)
  expect(await found()).toEqual([])
  expect((await shop.asOperator('GET', `/products/${record.id}`)).body.taxonomies).toEqual([
    { taxonomy_id: genre.id, entry_ids: [genre.id] },
  ])
  expect(await linksApart(shop)).toEqual([])
})

describe.each(kinds)('Lists of kind %s', (kind) => {
  let own: Shop
  const terms: Record<string, Term> = {}
  beforeAll(async () => {
    own = await newShop()
    for (const key of ['colour', 'red', 'blue', 'large']) terms[key] = await term(own, { key })
    terms.size = await term(own, { key: 'size', schema: [{ key: 'depth', type: 'number' }] })
    const at = (name: string, ...entries: string[]) => ({
      taxonomy_id: terms[name]?.id as string,
      entry_ids: entries.map((entry) => terms[entry]?.id as string),
    })
    const records: Record<string, Attached[]> = {
      apple: [at('colour', 'red')],
      banana: [at('colour', 'blue')],
      cherry: [at('colour', 'blue', 'red'), at('size', 'large')],
      date: [],
      fig: [{ taxonomy_id: terms.size.id, fields: [{ key: 'depth', value: 1 }] }],
      // Another taxonomy's entry of the same id is a different entry.
      grape: [at('size', 'red')],
      hidden: [at('colour', 'red'), at('size', 'large')],
    }
    for (const [key, taxonomies] of Object.entries(records))
      await attach(kind, own, taxonomies, { key, ...(key === 'hidden' ? { status: 'draft' } : {}) })
    // Records of the other kinds have every taxonomy: they must not appear in this list.
    for (const other of kinds.filter((one) => one !== kind))
      await attach(other, own, [at('colour', 'red', 'blue'), at('size', 'large')])
  })

  type Query = [taxonomy: string, ...entries: string[]]
  const idOf = (name: string) => terms[name]?.id as string
  const search = (queries: Query[], more: string) =>
    `sort_field=key&sort_direction=asc&${asQuery(queries.map(([taxonomy, ...entries]) => ({ taxonomy_id: idOf(taxonomy), ...(entries.length > 0 ? { entry_ids: entries.map((entry) => idOf(entry).toUpperCase()) } : {}) })))}&${more}`
  const keysOf = ({ body }: Answer) => body.items.map(({ key }: Term) => key).sort()

  test.each<[string, Query[], string, string[]]>([
    ['one entry', [['colour', 'red']], '', ['apple', 'cherry', 'hidden']],
    ['any of several entries', [['colour', 'red', 'blue']], '', ['apple', 'banana', 'cherry', 'hidden']],
    ['a whole taxonomy', [['size']], '', ['cherry', 'fig', 'grape', 'hidden']],
    ['a taxonomy without records', [['large']], '', []],
    ['any of several queries', [['colour', 'red'], ['size']], '', ['apple', 'cherry', 'fig', 'grape', 'hidden']],
    [
      'any of them with match_all=false',
      [
        ['colour', 'blue'],
        ['size', 'red'],
      ],
      'match_all=false',
      ['banana', 'cherry', 'grape'],
    ],
    ['all of them', [['colour', 'red', 'blue'], ['size']], 'match_all=true', ['cherry', 'hidden']],
    [
      'all of them, met by none',
      [
        ['colour', 'red'],
        ['size', 'red'],
      ],
      'match_all=true',
      [],
    ],
  ])(`The lists of kind ${kind} find records by %s`, async (_, queries, more, found) => {
    const asked = search(queries, more)
    expect(keysOf(await own.asOperator('GET', `/${lists[kind]}?${asked}`))).toEqual(found)
    expect(
      keysOf(
        await own.asOperator('GET', `/${lists[kind]}?${asked.replace('sort_field=key', 'sort_field=created_at')}`),
      ),
    ).toEqual(found)
    const shown = found.filter((key) => key !== 'hidden')
    expect(keysOf(await own.asVisitor('GET', `/${lists[kind]}?${asked}`))).toEqual(shown)
    // The same page by page.
    const first = (await own.asVisitor('GET', `/${lists[kind]}?limit=2&${asked}`)).body
    const rest = first.cursor
      ? (await own.asVisitor('GET', `/${lists[kind]}?limit=100&cursor=${first.cursor}&${asked}`)).body.items
      : []
    expect([...first.items, ...rest].map(({ key }: Term) => key)).toEqual(shown)
  })
})
