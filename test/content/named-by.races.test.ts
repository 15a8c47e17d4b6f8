// Deletions and changes lock their rows in one order on every process: no deadlock occurs, and no request is asked to
// retry.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Api } from '../../dev/stack.ts'
import { collection, entry, type Made, made, mediaRow } from '../kit/content/content.ts'
import { addTerm, danglingIn, linksApart, term } from '../kit/content/taxonomies.ts'
import { atOnce } from '../kit/orders/buying.ts'
import { type Answer, database, newShop, type Shop, unique } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'

// A database of our own, because PostgreSQL counts deadlocks for all clients of a database together.
let lab: Lab
let apis: Api[]
let shop: Shop
beforeAll(async () => {
  lab = await startLab('locks', {}, { parts: ['postgres', 'migrations'] })
  apis = await Promise.all([lab.stack.startApi(), lab.stack.startApi()])
  shop = await newShop()
}, 60_000)
afterAll(async () => {
  await database().end()
  await lab.stop()
})

let turn = 0
/** Alternates between the processes. */
const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Answer> =>
  shop.asOperator(method, path, body, apis[++turn % 2]?.url as string)

/** All answers have one of these statuses. */
function expectOnly(answers: readonly Answer[], ...fine: number[]): void {
  const others = answers.filter(({ status }) => !fine.includes(status))
  expect(others.map(({ status, body }) => [status, body])).toEqual([])
}

const paths = { entry: 'entries', product: 'products', media: 'media', service: 'services' } as const
let plain: Made
const targets = {
  entry: async () => (await entry(shop, plain.id)).id,
  product: async () => (await made(ask('POST', '/products', { key: unique() }))).id,
  media: () => mediaRow(shop),
}
type Target = keyof typeof targets
type Owner = 'entry' | 'product' | 'service'
const to = (kind: string, ...ids: string[]) => ({
  blocks: ids.map((value, n) => ({ key: `to-${n}`, type: kind, properties: { on_delete: 'set_null' }, value })),
})
beforeAll(async () => {
  plain = await collection(shop)
})

const create = (owner: Owner, content: object): Promise<Answer> =>
  ask('POST', `/${paths[owner]}`, {
    key: unique(),
    ...(owner === 'entry' ? { collection_id: plain.id } : {}),
    ...content,
  })
const newOwner = async (owner: Owner, content: object): Promise<string> => (await made(create(owner, content))).id

/** Values of this store that refer to nothing, and values without a reference row or the reverse. */
async function dangling(): Promise<unknown[]> {
  const { rows } = await database().query(
    `with there as (select id from media where tenant_id = $1 and status <> 'deleting' union all select id from entries where tenant_id = $1 union all select id from products where tenant_id = $1),
     owners as (select id, blocks from entries where tenant_id = $1 union all select id, blocks from products where tenant_id = $1
       union all select id, blocks from services where tenant_id = $1 union all select id, blocks from collections where tenant_id = $1),
     blocks as (select o.id as owner, (b ->> 'value')::uuid as target from owners o, jsonb_array_elements(o.blocks) as b where b ->> 'value' is not null),
     refs as (select owner_id as owner, target_id as target from block_references where tenant_id = $1)
     select 'block' as what, owner, target from blocks where target not in (select id from there)
     union all (select 'untracked', owner, target from blocks except select 'untracked', owner, target from refs)
     union all (select 'left over', owner, target from refs except select 'left over', owner, target from blocks)`,
    [shop.store_id],
  )
  return [...rows, ...(await danglingIn(shop)), ...(await linksApart(shop))]
}

const pairs = (['entry', 'product', 'media'] as const).flatMap((target) =>
  (['entry', 'product', 'service'] as const).map((owner) => [target, owner] as const),
)

test.each(pairs)(
  'Deleting a %s while a %s that refers to it is written causes no deadlock',
  async (target: Target, owner: Owner) => {
    for (let round = 0; round < 4; round++) {
      const all = await atOnce(4, async () => {
        const id = await targets[target]()
        return { id, owner: await newOwner(owner, to(target, id)) }
      })
      const answers = await Promise.all(
        all.flatMap((one) => [
          ask('DELETE', `/${paths[target]}/${one.id}`),
          ask('PUT', `/${paths[owner]}/${one.owner}`, to(target, one.id)),
          // And another record begins to refer to it.
          ...(round % 2 ? [create(owner, to(target, one.id))] : []),
          ask('PUT', `/${paths[owner]}/${one.owner}`, { status: 'draft' }),
        ]),
      )
      expectOnly(answers, 200, 201, 422)
    }
    expect(await dangling()).toEqual([])
  },
)

test.each(['entry', 'product'] as const)(
  'Records of kind %s that refer to each other are changed without a deadlock',
  async (kind) => {
    const ids = await atOnce(6, () => targets[kind]())
    for (let round = 0; round < 6; round++)
      expectOnly(
        await Promise.all(
          ids.map((id) => ask('PUT', `/${paths[kind]}/${id}`, to(kind, ...ids.filter((other) => other !== id)))),
        ),
        200,
      )
    expect(await dangling()).toEqual([])
  },
)

test.each(['entry', 'product'] as const)(
  'Records of kind %s that refer to each other are deleted without a deadlock',
  async (kind) => {
    for (let round = 0; round < 6; round++) {
      const ids = await atOnce(6, () => targets[kind]())
      for (const id of ids) await made(ask('PUT', `/${paths[kind]}/${id}`, to(kind, ...ids)))
      const answers = await Promise.all(
        ids.map((id, n) =>
          n % 2
            ? ask('DELETE', `/${paths[kind]}/${id}`)
            : ask('PUT', `/${paths[kind]}/${id}`, to(kind, ids[(n + round) % 6] as string)),
        ),
      )
      expectOnly(answers, 200, 422)
    }
    expect(await dangling()).toEqual([])
  },
)

test('A collection is deleted while entries in it or referring to it are written', async () => {
  for (let round = 0; round < 6; round++) {
    const [one, two] = [await collection(shop), await collection(shop)]
    const inside = await atOnce(4, async (n) => (await entry(shop, (n % 2 ? one : two).id)).id)
    const outside = await atOnce(4, (n) => newOwner('entry', to('entry', inside[n] as string)))
    // The two collections refer to each other as well.
    for (const [n, { id }] of [two, one].entries())
      await made(ask('PUT', `/collections/${id}`, to('entry', inside[1 - n] as string)))
    const answers = await Promise.all([
      ask('DELETE', `/collections/${one.id}`),
      ...outside.map((id, n) =>
        ask('PUT', `/entries/${id}`, to('entry', inside[(n + 1) % 4] as string, inside[(n + 2) % 4] as string)),
      ),
      ...inside.map((id, n) =>
        ask('PUT', `/entries/${id}`, to('entry', inside[(n + 1) % 4] as string, outside[n] as string)),
      ),
      ask('POST', '/entries', {
        collection_id: one.id,
        key: unique(),
        ...to('entry', inside[0] as string, inside[3] as string),
      }),
      ...(round % 2 ? [ask('DELETE', `/collections/${two.id}`)] : []),
    ])
    expectOnly(answers, 200, 201, 404, 422)
    expect([answers[0]?.status, answers.at(-1)?.status]).toEqual([200, round % 2 ? 200 : expect.any(Number)])
  }
  expect(await dangling()).toEqual([])
})

test('A file is deleted while records of every kind that show it are written', async () => {
  for (let round = 0; round < 6; round++) {
    const files = await atOnce(4, () => targets.media())
    const kinds = ['entry', 'product', 'service'] as const
    const ids = await Promise.all(
      kinds.flatMap((kind) => [0, 1].map(async () => [kind, await newOwner(kind, to('media', ...files))] as const)),
    )
    const answers = await Promise.all([
      ...files.map((id) => ask('DELETE', `/media/${id}`)),
      ...ids.map(([kind, id], n) => ask('PUT', `/${paths[kind]}/${id}`, to('media', ...files.slice(n % 4).reverse()))),
    ])
    expectOnly(answers, 200, 422)
    expect(answers.slice(0, 4).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  }
  expect(await dangling()).toEqual([])
})

test('Taxonomies and entries are deleted while records are attached and refer to them', async () => {
  for (let round = 0; round < 6; round++) {
    const root = await term(shop)
    const below = await atOnce(3, async () => (await addTerm(shop, { parent_id: root.id })).body.id as string)
    const named = await targets.entry()
    const content = { ...to('entry', named), taxonomies: [{ taxonomy_id: root.id, entry_ids: [...below, named] }] }
    const ids = await Promise.all(
      (['entry', 'product', 'service'] as const).map(async (kind) => [kind, await newOwner(kind, content)] as const),
    )
    const answers = await Promise.all([
      ask('DELETE', `/taxonomies/${root.id}`),
      ask('DELETE', `/entries/${named}`),
      ...ids.flatMap(([kind, id]) => [
        ask('PUT', `/${paths[kind]}/${id}`, content),
        ask('PUT', `/${paths[kind]}/${id}`, { taxonomies: content.taxonomies.slice(round % 2) }),
      ]),
    ])
    expectOnly(answers, 200, 422)
  }
  expect(await dangling()).toEqual([])
})

test('None of these races caused a deadlock', async () => {
  // PostgreSQL reports a connection's counters at the latest when it ends.
  for (const api of apis) await api.stop()
  const { rows } = await database().query('select deadlocks from pg_stat_database where datname = current_database()')
  expect(Number(rows[0].deadlocks)).toBe(0)
})
