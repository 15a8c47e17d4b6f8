// A record that loses a reference because its target was deleted has changed: its search text follows and its update
// event is published once.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { webhook } from '../kit/bookings/booking-reminders.ts'
import { collection, entry, type Made, made } from '../kit/content/content.ts'
import { attach, kinds, lists, type Term, term } from '../kit/content/taxonomies.ts'
import { recordStatements } from '../kit/database/statements.ts'
import { api, database, newShop, type Shop, secondApi, unique } from '../kit/shop.ts'

let shop: Shop
let own: Awaited<ReturnType<typeof recordStatements>>
beforeAll(async () => {
  shop = await newShop()
  own = await recordStatements()
})
afterAll(async () => {
  await own.close()
  await database().end()
})

const ask = (...asked: Parameters<Shop['asOperator']>) => shop.asOperator(...asked)
/** One word. */
const name = () => unique().replaceAll(/\d/g, 'x')
const to = (value: string) => ({ key: 'to', type: 'entry', properties: { on_delete: 'set_null' }, value })
const text = (value: string) => ({ key: 'text', type: 'text', value })

describe('Search text', () => {
  const owners = {
    entries: async (of: string, blocks: unknown[]) => entry(shop, of, { key: name(), blocks }),
    collections: (_: string, blocks: unknown[]) => collection(shop, [], { key: name(), blocks }),
    products: (_: string, blocks: unknown[]) =>
      made(ask('POST', '/products', { key: name(), blocks, variants: [{ sku: 'Sku-77' }] })),
    services: (_: string, blocks: unknown[]) => made(ask('POST', '/services', { key: name(), blocks })),
    providers: (_: string, blocks: unknown[]) => made(ask('POST', '/providers', { key: name(), blocks })),
  }
  test.each(Object.keys(owners) as (keyof typeof owners)[])(
    'The search text of %s equals that of a record written without the deleted reference',
    async (list) => {
      const { id: of } = await collection(shop)
      const target = await entry(shop, of)
      const blocks = [text('Hello'), to(target.id)]
      const one = await owners[list](of, blocks)
      const other = await owners[list](of, [text('Hello'), { ...blocks[1], value: null }])
      const wordsOf = async ({ id, key }: Made) => {
        const { rows } = await database().query(
          `select replace(search::text, $2, 'key') as words from ${list} where id = $1`,
          [id, key],
        )
        return rows[0].words.split(' ').sort()
      }
      expect(await wordsOf(one)).not.toEqual(await wordsOf(other))
      await made(ask('DELETE', `/entries/${target.id}`))
      expect(await wordsOf(one)).toEqual(await wordsOf(other))
      if (list === 'products')
        expect((await ask('GET', '/products?query=sku-77')).body.items.map(({ id }: Made) => id)).toContain(one.id)
    },
  )
})

describe('Update events', () => {
  const eventsOf = async (at: Shop) => {
    const { rows } = await database().query(
      'select type, data from events where tenant_id = $1 order by type, data ->> $2',
      [at.store_id, 'id'],
    )
    return rows
  }
  const readsOf = async (at: Shop, known: [string, string][]) =>
    Promise.all(
      known.map(async ([list, id]) => ({
        type: list === 'entries' ? 'entry.updated' : 'product.updated',
        data: (await at.asOperator('GET', `/${list}/${id}`)).body,
      })),
    )

  test('Deleting a taxonomy publishes an update of each record under it', async () => {
    const at = await newShop()
    const [root, stays] = [await term(at), await term(at)]
    const child = await term(at, { parent_id: root.id })
    const known: [string, string][] = []
    for (const kind of kinds)
      for (const under of [
        [{ taxonomy_id: child.id, entry_ids: [] }],
        [{ taxonomy_id: stays.id, entry_ids: [child.id, stays.id] }],
      ])
        known.push([lists[kind], (await attach(kind, at, under)).body.id])
    await attach('entry', at, [{ taxonomy_id: stays.id }])
    await webhook(at.store_id, ['entry.updated', 'product.updated'])
    await made(at.asOperator('DELETE', `/taxonomies/${root.id}`, undefined, api()))
    const told = known
      .filter(([list]) => list === 'entries' || list === 'products')
      .sort(([a, x], [b, y]) => (a + x < b + y ? -1 : 1))
    const events = await eventsOf(at)
    expect(events).toEqual(await readsOf(at, told))
    expect(events.map(({ data }) => data.taxonomies)).toEqual(
      told.map((_, n) => (n % 2 ? [expect.objectContaining({ taxonomy_id: stays.id, entry_ids: [stays.id] })] : [])),
    )
  })

  test('A record that loses a value and a taxonomy publishes one update, a deleted one none', async () => {
    const at = await newShop()
    const [{ id: of }, topic] = [await collection(at), (await term(at)) as Term]
    const target = await entry(at, of)
    const content = { blocks: [to(target.id)], taxonomies: [{ taxonomy_id: topic.id, entry_ids: [target.id] }] }
    await entry(at, of, content)
    const product = await made(
      at.asOperator('POST', '/products', { key: unique(), variants: [{ sku: 'S' }], ...content }),
    )
    await webhook(at.store_id, ['entry.updated', 'product.updated'])
    await made(at.asOperator('DELETE', `/collections/${of}`, undefined, secondApi()))
    const events = await eventsOf(at)
    expect(events).toEqual(await readsOf(at, [['products', product.id]]))
    expect(events[0]?.data).toMatchObject({
      blocks: [{ value: null }],
      taxonomies: [{ taxonomy_id: topic.id, entry_ids: [] }],
    })
  })

  test('Hundreds of lost references publish an update each, and cost one statement otherwise', async () => {
    const removal = async (count: number, asked: boolean) => {
      const at = await newShop()
      const topic = await term(at)
      await database().query(
        `with x as (insert into products (id, tenant_id, created_at, updated_at, key, slug, blocks, taxonomies, status)
           select gen_random_uuid(), $1, 1, 1, 'p-' || n, '{}', '[]', jsonb_build_array(jsonb_build_object('taxonomy_id', $2::uuid, 'entry_ids', '[]'::jsonb)), 'active'
           from generate_series(1, $3) n returning id)
         insert into taxonomy_links (tenant_id, owner_kind, owner_id, owner_created_at, taxonomy_id, entry_id) select $1, 'product', id, 1, $2, $2 from x`,
        [at.store_id, topic.id, count],
      )
      if (asked) await webhook(at.store_id, ['product.updated'])
      const statements = await own.statementsOf(at, 'DELETE', `/taxonomies/${topic.id}`)
      return { statements: statements.length, told: (await eventsOf(at)).length }
    }
    const [few, many, heard] = [await removal(1, false), await removal(450, false), await removal(450, true)]
    expect([few.told, many.told, many.statements]).toEqual([0, 0, few.statements])
    expect([heard.told, heard.statements]).toEqual([450, few.statements + 3 * 3])
  })
})

test('Updating one field of a record writes that column alone', async () => {
  const { id: of } = await collection(shop)
  const content = { slug: { en: unique() }, blocks: [text('Hello')] }
  const one = await entry(shop, of, content)
  const product = await made(ask('POST', '/products', { key: unique(), ...content }))
  const service = await made(ask('POST', '/services', { key: unique(), ...content }))
  for (const [list, { id }] of [
    ['entries', one],
    ['products', product],
    ['services', service],
  ] as const) {
    const update = (await own.statementsOf(shop, 'PUT', `/${list}/${id}`, { status: 'draft' })).filter(
      ({ text: sql }) => sql.startsWith(`update "${list}"`),
    )
    expect(
      update.map(({ text: sql }) =>
        [...sql.matchAll(/"(\w+)" = /g)]
          .map(([, column]) => column)
          .filter((column) => column !== 'updated_at')
          .sort(),
      ),
    ).toEqual([['id', 'search', 'status']])
    expect((await ask('GET', `/${list}/${id}`)).body).toMatchObject({ status: 'draft', blocks: [{ value: 'Hello' }] })
  }
})
