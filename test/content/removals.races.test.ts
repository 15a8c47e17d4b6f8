// A record is deleted while others begin to refer to it through two processes: whichever wins, no reference points to a
// deleted record.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { collection, entry, type Made, made, mediaRow } from '../kit/content/content.ts'
import { type Answer, api, database, newShop, type Shop, secondApi, unique } from '../kit/shop.ts'

jest.setTimeout(60_000)

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(() => database().end())

const ask = (...asked: Parameters<Shop['asOperator']>) => shop.asOperator(...asked)
type Call = (base: string) => Promise<Answer>

/** One call through each process, each first equally often; the second starts with the first, or some reads later. */
async function race(round: number, one: Call, other: Call): Promise<[Answer, Answer]> {
  const [first, second] = round % 2 === 0 ? [api(), secondApi()] : [secondApi(), api()]
  const early = one(first)
  for (let reads = round % 4; reads > 0; reads--) await ask('GET', '/collections?limit=1', undefined, second)
  const late = other(second)
  return [await early, await late]
}

/** Of this store: references to nothing, as a row or as a block, and blocks without a row or the reverse. */
async function dangling(): Promise<unknown[]> {
  const { rows } = await database().query(
    `with there as (select id from media where tenant_id = $1 and status <> 'deleting' union all select id from entries where tenant_id = $1 union all select id from products where tenant_id = $1),
     blocks as (select e.id as owner, (b ->> 'value')::uuid as target from entries e, jsonb_array_elements(e.blocks) as b
       where e.tenant_id = $1 and b ->> 'key' = 'to' and b ->> 'value' is not null),
     refs as (select owner_id as owner, target_id as target from block_references where tenant_id = $1)
     select 'block' as what, owner, target from blocks where target not in (select id from there)
     union all select 'row', owner, target from refs where target not in (select id from there) or owner not in (select id from there)
     union all (select 'untracked', owner, target from blocks except select 'untracked', owner, target from refs)
     union all (select 'left over', owner, target from refs except select 'left over', owner, target from blocks)`,
    [shop.store_id],
  )
  return rows
}

const to = (type: string, value: string) => ({ blocks: [{ key: 'to', type, value }] })
const targets = {
  entry: async (of: string) => (await entry(shop, of)).id,
  product: async () => (await made(ask('POST', '/products', { key: unique() }))).id,
  media: () => mediaRow(shop),
}
const paths = { entry: 'entries', product: 'products', media: 'media' }

describe.each(['entry', 'product', 'media'] as const)('References to %s', (kind) => {
  test.each(['restrict', 'set_null'] as const)(
    `A reference to a deleted ${kind} with %s never dangles`,
    async (on_delete) => {
      const [plain, links] = [await collection(shop), await collection(shop, [{ key: 'to', type: kind, on_delete }])]
      for (let round = 0; round < 40; round++) {
        const target = await targets[kind](plain.id)
        // Half are new entries, half update an entry without a reference.
        const owner = round % 2 === 0 ? undefined : await entry(shop, links.id)
        const refer: Call = (base) =>
          owner
            ? ask('PUT', `/entries/${owner.id}`, to(kind, target), base)
            : ask('POST', '/entries', { collection_id: links.id, key: unique(), ...to(kind, target) }, base)
        const [referred, removed] = await race(round, refer, (base) =>
          ask('DELETE', `/${paths[kind]}/${target}`, undefined, base),
        )
        const outcome = `${referred.status < 300 ? 'referred' : referred.body.errors?.[0]?.code} ${removed.status < 300 ? 'removed' : removed.body.code}`
        const fine = [`${kind}_unknown removed`, on_delete === 'restrict' ? 'referred referenced' : 'referred removed']
        expect([
          fine,
          fine.includes(outcome) ? outcome : [referred.status, referred.body, removed.status, removed.body],
        ]).toEqual([fine, outcome])
        if (referred.status < 300) {
          const { blocks } = (await ask('GET', `/entries/${referred.body.id}`)).body
          expect(blocks[0].value).toBe(on_delete === 'restrict' ? target : null)
        }
        expect((await ask('GET', `/${paths[kind]}/${target}`)).status).toBe(removed.status < 300 ? 404 : 200)
      }
      expect(await dangling()).toEqual([])
    },
  )
})

test('Deleting a collection deletes entries written meanwhile and leaves none', async () => {
  for (let round = 0; round < 20; round++) {
    const { id } = await collection(shop)
    const [written, removed] = await race(
      round,
      (base) => ask('POST', '/entries', { collection_id: id, key: unique(), slug: { en: unique() } }, base),
      (base) => ask('DELETE', `/collections/${id}`, undefined, base),
    )
    expect(removed.status).toBe(200)
    if (written.status === 201) expect((await ask('GET', `/entries/${written.body.id}`)).status).toBe(404)
    else expect([written.status, written.body.errors[0].code]).toEqual([422, 'collection_unknown'])
  }
  expect((await database().query('select 1 from slugs where tenant_id = $1', [shop.store_id])).rowCount).toBe(0)
})

test('A collection is kept by an outside reference written before its deletion, and no later one', async () => {
  const links = await collection(shop, [{ key: 'to', type: 'entry' }])
  for (let round = 0; round < 20; round++) {
    const { id } = await collection(shop)
    const target = (await Promise.all([entry(shop, id), entry(shop, id)]))[round % 2] as Made
    const [referred, removed] = await race(
      round,
      (base) => ask('POST', '/entries', { collection_id: links.id, key: unique(), ...to('entry', target.id) }, base),
      (base) => ask('DELETE', `/collections/${id}`, undefined, base),
    )
    const outcome = [referred.status, removed.status]
    expect([
      [201, 409],
      [422, 200],
    ]).toContainEqual(outcome)
    expect((await ask('GET', `/entries/${target.id}`)).status).toBe(removed.status === 200 ? 404 : 200)
  }
  expect(await dangling()).toEqual([])
})

test('A new schema counts every entry that was written against the old one', async () => {
  for (let round = 0; round < 10; round++) {
    const { id } = await collection(shop)
    const old = { blocks: [{ key: 'old', type: 'text', value: 'x' }] }
    const [written, changed] = await race(
      round,
      (base) => ask('POST', '/entries', { collection_id: id, key: unique(), ...old }, base),
      (base) => ask('PUT', `/collections/${id}`, { schema: [{ key: 'new', type: 'text' }] }, base),
    )
    expect([written.status, changed.status, changed.body.invalid_entries]).toEqual(
      written.status === 201 ? [201, 200, 1] : [422, 200, 0],
    )
  }
})

test.each(['restrict', 'set_null'])(
  'Two records that reference each other with %s are deleted together or not at all',
  async (on_delete) => {
    const links = await collection(shop, [{ key: 'to', type: 'entry', on_delete }])
    for (let round = 0; round < 4; round++) {
      const one = await entry(shop, links.id)
      const two = await entry(shop, links.id, to('entry', one.id))
      await made(ask('PUT', `/entries/${one.id}`, to('entry', two.id)))
      const answers = await race(
        round,
        (base) => ask('DELETE', `/entries/${one.id}`, undefined, base),
        (base) => ask('DELETE', `/entries/${two.id}`, undefined, base),
      )
      expect(answers.map(({ status }) => status)).toEqual(on_delete === 'restrict' ? [409, 409] : [200, 200])
    }
    expect(await dangling()).toEqual([])
  },
)

test('Two records that reference each other can both change their keys at once', async () => {
  const { id } = await collection(shop)
  const [one, two] = [await entry(shop, id), await entry(shop, id)]
  for (let round = 0; round < 4; round++) {
    const answers = await race(
      round,
      (base) => ask('PUT', `/entries/${one.id}`, { key: unique(), ...to('entry', two.id) }, base),
      (base) => ask('PUT', `/entries/${two.id}`, { key: unique(), ...to('entry', one.id) }, base),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  }
  expect(await dangling()).toEqual([])
})

test('Rewriting a value while its target is deleted clears or keeps it and loses no change', async () => {
  const [plain, links] = [
    await collection(shop),
    await collection(shop, [{ key: 'to', type: 'entry', on_delete: 'set_null' }]),
  ]
  for (let round = 0; round < 6; round++) {
    const target = await entry(shop, plain.id)
    const owner = await entry(shop, links.id, to('entry', target.id))
    const [written, removed] = await race(
      round,
      (base) =>
        ask(
          'PUT',
          `/entries/${owner.id}`,
          { ...(round % 3 === 0 ? {} : to('entry', target.id)), status: 'archived' },
          base,
        ),
      (base) => ask('DELETE', `/entries/${target.id}`, undefined, base),
    )
    expect(removed.status).toBe(200)
    expect([200, 422]).toContain(written.status)
    const after = (await ask('GET', `/entries/${owner.id}`)).body
    expect([after.blocks[0].value, after.status]).toEqual([null, written.status === 200 ? 'archived' : 'active'])
  }
  expect(await dangling()).toEqual([])
})

test('A value of many owners becomes null in all while they are changed', async () => {
  const [plain, links] = [
    await collection(shop),
    await collection(shop, [{ key: 'to', type: 'entry', on_delete: 'set_null' }]),
  ]
  const target = await entry(shop, plain.id)
  const owners = await Promise.all(Array.from({ length: 30 }, () => entry(shop, links.id, to('entry', target.id))))
  const [removed, ...changed] = await Promise.all([
    ask('DELETE', `/entries/${target.id}`, undefined, api()),
    ...owners.map(({ id }, n) => ask('PUT', `/entries/${id}`, { status: 'draft' }, n % 2 ? api() : secondApi())),
  ])
  expect([removed?.status, new Set(changed.map(({ status }) => status))]).toEqual([200, new Set([200])])
  for (const { id } of owners)
    expect((await ask('GET', `/entries/${id}`)).body).toMatchObject({ status: 'draft', blocks: [{ value: null }] })
  expect(await dangling()).toEqual([])
})
