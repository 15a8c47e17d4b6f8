// What can be written as a name of a record in a path can be read by it: names that another route, an id or dots would
// take are refused.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { routes } from '../../api/routes.ts'
import { newId } from '../../entities/kit/ids.ts'
import { pathNameFault } from '../../rules/input/path-names.ts'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(async () => database().end())

/** By segment of the path: the kind, whether it is read by its slug or its key, and what else a record needs. */
const named: Record<string, { kind: string; by: 'slug' | 'key'; more?: () => Promise<object> }> = {
  products: { kind: 'product', by: 'slug' },
  services: { kind: 'service', by: 'slug' },
  providers: { kind: 'provider', by: 'slug' },
  entries: {
    kind: 'entry',
    by: 'slug',
    more: async () => ({ collection_id: (await make('collections', { key: unique() })).body.id }),
  },
  collections: { kind: 'collection', by: 'key' },
  taxonomies: { kind: 'taxonomy', by: 'key' },
  forms: { kind: 'form', by: 'key' },
  audiences: { kind: 'audience', by: 'key' },
}
const make = (segment: string, body: object) => shop.asOperator('POST', `/${segment}`, body)
/** Secrets, enums and codes, which no caller chooses; keys of networks, which no id stands beside. */
const noNames = ['trigger', 'mail', 'callback', 'consent', 'config', 'countries', 'networks']

/** Of every text in a path: the segment before it, and the words that are routes in its place. */
const places = routes.flatMap(({ path, textParameters }) =>
  path.split('/').flatMap((part, at, parts) => {
    if (!textParameters.some((name) => part === `{${name}}`) || path.startsWith('/media/')) return []
    const isBeside = (other: string[]) =>
      other.length > at &&
      other.slice(0, at).join('/') === parts.slice(0, at).join('/') &&
      !String(other[at]).startsWith('{')
    return [
      {
        path,
        segment: String(parts[at - 1]),
        beside: routes
          .map((one) => one.path.split('/'))
          .filter(isBeside)
          .map((one) => String(one[at])),
      },
    ]
  }),
)

test('Every word that is a route beside a name is refused as a name of that kind', () => {
  expect(places.length).toBeGreaterThan(30)
  expect(places.filter(({ segment }) => !named[segment] && !noNames.includes(segment))).toEqual([])
  const open = places.flatMap(({ path, segment, beside }) =>
    beside
      .filter((word) => !pathNameFault(named[segment]?.kind ?? '', word.toUpperCase()))
      .map((word) => `${path} ${word}`),
  )
  expect(open).toEqual([])
  expect(new Set(places.flatMap(({ beside }) => beside))).toEqual(new Set(['availability', 'members']))
})

const refused = (segment: string) => [
  '.',
  '..',
  newId(),
  newId().toUpperCase(),
  ...new Set(places.filter((one) => one.segment === segment).flatMap(({ beside }) => beside)),
]

test.each(Object.keys(named))(
  'A name of %s that cannot be read is refused, and every other is read',
  async (segment) => {
    const { by, more } = named[segment] as (typeof named)[string]
    const fields = (name: string) => (by === 'slug' ? { key: unique(), slug: { en: name } } : { key: name })
    const extra = (await more?.()) ?? (segment === 'audiences' ? { type: { type: 'open' } } : {})
    const pointer = by === 'slug' ? '/slug/en' : '/key'
    const first = await make(segment, { ...fields(unique()), ...extra })
    expect([first.status, first.body]).toMatchObject([201, {}])
    for (const name of refused(segment)) {
      const created = await make(segment, { ...fields(name), ...extra })
      expect([name, created.status, created.body.errors]).toMatchObject([name, 422, [{ pointer, code: 'reserved' }]])
      const { key: _, ...change } = by === 'slug' ? fields(name) : { key: null }
      const changed = await shop.asOperator(
        'PUT',
        `/${segment}/${first.body.id}`,
        by === 'slug' ? change : { key: name },
      )
      expect([name, changed.status, changed.body.errors]).toMatchObject([name, 422, [{ pointer, code: 'reserved' }]])
    }
    if (segment !== 'audiences')
      for (const name of ['...', 'a/b', '%2e', 'a?b#c', 'availability-x', 'naïve', '.a', `${newId()}-x`].map((one) =>
        by === 'key' ? `${one}${unique()}` : one,
      )) {
        const { status, body } = await make(segment, { ...fields(name), ...extra })
        expect([name, status]).toEqual([name, 201])
        const read = await shop.asOperator('GET', `/${segment}/${encodeURIComponent(name)}`)
        expect([name, read.body.id]).toEqual([name, body.id])
      }
  },
)

test('A reserved name that is stored may be sent again with its record', async () => {
  const [service, form] = await Promise.all([
    make('services', { key: unique(), slug: { en: unique() } }),
    make('forms', { key: unique() }),
  ])
  const id = newId()
  await database().query("update slugs set slug = 'availability' where owner_id = $1", [service.body.id])
  await database().query('update services set slug = \'{"en": "availability"}\' where id = $1', [service.body.id])
  await database().query('update forms set key = $2 where id = $1', [form.body.id, id])
  const again = await shop.asOperator('PUT', `/services/${service.body.id}`, {
    ...service.body,
    slug: { en: 'availability' },
    status: 'archived',
  })
  expect([again.status, again.body]).toMatchObject([200, { slug: { en: 'availability' }, status: 'archived' }])
  expect((await shop.asOperator('PUT', `/forms/${form.body.id}`, { key: id })).status).toBe(200)
})
