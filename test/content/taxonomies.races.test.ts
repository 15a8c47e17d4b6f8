// Taxonomies are moved, deleted, created and attached concurrently on both processes: parents stay a tree, and no
// record names a deleted one.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { TAXONOMY_DEPTH_MAX } from '../../rules/content/taxonomies.ts'
import { until } from '../kit/codes.ts'
import { addTerm, attach, danglingIn, kinds, linksApart, lists, term } from '../kit/content/taxonomies.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { atOnce } from '../kit/orders/buying.ts'
import { api, database, eitherApi, newShop, type Shop, secondApi, unique } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(() => database().end())

const remove = (id: string, base: string) => shop.asOperator('DELETE', `/taxonomies/${id}`, undefined, base)
const move = (id: string, parent_id: string | null, base: string) =>
  shop.asOperator('PUT', `/taxonomies/${id}`, { parent_id }, base)

/** The depth of each taxonomy; those below a missing parent or in a cycle are left out. */
async function depths(at: Shop): Promise<Map<string, number>> {
  const { rows } = await database().query<{ id: string; depth: number }>(
    `with recursive tree as (select id, 1 as depth from taxonomies where tenant_id = $1 and parent_id is null
       union all select t.id, depth + 1 from taxonomies t join tree on t.parent_id = tree.id and depth < 100) select id, depth from tree`,
    [at.store_id],
  )
  return new Map(rows.map(({ id, depth }) => [id, depth]))
}
const countOf = async (at: Shop) =>
  Number((await database().query('select count(*) from taxonomies where tenant_id = $1', [at.store_id])).rows[0].count)

/** At least so many rounds, and until both outcomes occurred, which depends on timing. */
const goOn = (round: number, least: number, seen: ReadonlySet<number>) =>
  round < least || (round < 100 && !(seen.has(422) && (seen.has(200) || seen.has(201))))
/** In every other round the deletion starts one request earlier. */
const headStart = async (round: number) => {
  if (round % 2 === 1) await shop.asOperator('GET', '/taxonomies?limit=1', undefined, eitherApi())
}

/** Pseudo-random: the same sequence in every run. */
const random = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed / 2_147_483_648
}

test('Two concurrent moves that are each valid create no cycle together', async () => {
  for (let round = 0; round < 20; round++) {
    const [a, b] = [await term(shop), await term(shop)]
    const [first, second] = await Promise.all([move(a.id, b.id, api()), move(b.id, a.id, secondApi())])
    expect([first.status, second.status].sort()).toEqual([200, 409])
    expect([first.body.code, second.body.code].filter(Boolean)).toEqual(['taxonomy_cycle'])
    const deep = await depths(shop)
    expect([deep.get(a.id), deep.get(b.id)].sort()).toEqual([1, 2])
  }
})

test('Many concurrent moves leave a tree of at most 32 levels', async () => {
  const own = await newShop()
  const ids: string[] = []
  // A chain that is nearly too deep, so that moves conflict about the depth as well.
  for (let n = 0; n < 40; n++) ids.push((await term(own, n > 0 && n < 28 ? { parent_id: ids[n - 1] } : {})).id)
  const next = random(6)
  const pick = () => ids[Math.floor(next() * ids.length)] as string
  const seen: Record<string, number> = {}
  for (let round = 0; round < 25; round++) {
    const moves = Array.from({ length: 12 }, () => [pick(), next() < 0.1 ? null : pick()] as const)
    const answers = await Promise.all(
      moves.map(([id, parent_id]) => own.asOperator('PUT', `/taxonomies/${id}`, { parent_id }, eitherApi())),
    )
    for (const { status, body } of answers) {
      const what = `${status} ${body.code === 'too_deep' ? 'too_deep' : (body.code ?? '')}`.trim()
      seen[what] = (seen[what] ?? 0) + 1
    }
    const deep = await depths(own)
    expect([deep.size, Math.max(...deep.values()) <= TAXONOMY_DEPTH_MAX]).toEqual([ids.length, true])
  }
  expect(Object.keys(seen).filter((what) => !['200', '409 taxonomy_cycle', '422 too_deep'].includes(what))).toEqual([])
  expect([(seen['200'] ?? 0) > 50, (seen['409 taxonomy_cycle'] ?? 0) > 20]).toEqual([true, true])
})

test.each(kinds)('A %s attached to a taxonomy while that is deleted is detached or was refused', async (kind) => {
  const seen = new Set<number>()
  for (let round = 0; goOn(round, 12, seen); round++) {
    const [root, child, stays] = [await term(shop), await term(shop), await term(shop)]
    await move(child.id, root.id, api())
    const under = [
      { taxonomy_id: root.id, entry_ids: [child.id] },
      { taxonomy_id: stays.id, entry_ids: [child.id, stays.id] },
    ]
    const known = await atOnce(
      2,
      async () => (await attach(kind, shop, round % 2 === 0 ? under : [])).body.id as string,
    )
    const change = (id: string, n: number) =>
      shop.asOperator('PUT', `/${lists[kind]}/${id}`, { taxonomies: under }, n % 2 === 0 ? api() : secondApi())
    const start = headStart(round >> 1)
    const [removed, ...answers] = await Promise.all([
      remove(root.id, eitherApi()),
      ...known.map((id, n) => start.then(() => change(id, n))),
      ...[api(), secondApi()].map((base) => start.then(() => attach(kind, shop, under, {}, base))),
    ])
    expect(removed.status).toBe(200)
    for (const { status, body } of answers) {
      seen.add(status)
      if (status === 422)
        expect(body.errors.map(({ code }: { code: string }) => code)).toEqual([
          'taxonomy_unknown',
          'entry_unknown',
          'entry_unknown',
        ])
      else expect([200, 201]).toContain(status)
    }
    expect([await danglingIn(shop), await linksApart(shop)]).toEqual([[], []])
  }
  expect([seen.has(422), seen.has(200) || seen.has(201)]).toEqual([true, true])
})

test('A taxonomy created below one that is deleted meanwhile is deleted too, or was refused', async () => {
  const seen = new Set<number>()
  for (let round = 0; goOn(round, 15, seen); round++) {
    const [root, elsewhere] = [await term(shop), await term(shop)]
    const child = await term(shop, { parent_id: root.id })
    const start = headStart(round)
    const [removed, ...answers] = await Promise.all([
      remove(root.id, eitherApi()),
      start.then(() => addTerm(shop, { parent_id: child.id }, api())),
      start.then(() => addTerm(shop, { parent_id: root.id }, secondApi())),
      start.then(() => move(elsewhere.id, child.id, eitherApi())),
    ])
    expect(removed.status).toBe(200)
    for (const { status, body } of answers) {
      seen.add(status)
      expect([200, 201, 404, 422]).toContain(status)
      if (status === 422) expect(body.code).toBe('taxonomy_unknown')
    }
    expect((await depths(shop)).size).toBe(await countOf(shop))
    expect((await depths(shop)).has(root.id)).toBe(false)
  }
  expect([seen.has(422), seen.has(200) || seen.has(201)]).toEqual([true, true])
})

test('Of two concurrent deletions of one tree, one succeeds', async () => {
  for (let round = 0; round < 10; round++) {
    const root = await term(shop)
    await atOnce(5, () => term(shop, { parent_id: root.id }))
    const answers = await Promise.all([remove(root.id, api()), remove(root.id, secondApi())])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
  }
})

test('A reader never sees half of a deletion', async () => {
  const own = await newShop()
  const root = await term(own)
  const ids = [root.id]
  for (let n = 0; n < 30; n++) ids.push((await term(own, { parent_id: ids[Math.floor(n / 3)] })).id)
  for (const kind of kinds)
    await atOnce(15, (n) =>
      attach(
        kind,
        own,
        [{ taxonomy_id: ids[n % ids.length] as string, entry_ids: [ids[(n * 7) % ids.length] as string] }],
        { key: unique() },
      ),
    )
  const look = async () => {
    const { rows } = await database().query<{ all: string }>(
      `select concat_ws(' ', (select count(*) from taxonomies where tenant_id = $1), (select count(*) from taxonomy_links where tenant_id = $1),
         ${kinds.map((kind) => `(select count(*) from ${lists[kind]} where tenant_id = $1 and taxonomies <> '[]')`).join(', ')}) as all`,
      [own.store_id],
    )
    return rows[0]?.all as string
  }
  const before = await look()
  expect(before).toBe('31 60 15 15 15 15')
  const seen = new Set<string>()
  let over = false
  const watching = (async () => {
    while (!over) seen.add(await look())
  })()
  await own.asOperator('DELETE', `/taxonomies/${root.id}`)
  const after = '0 0 0 0 0 0'
  await until(async () => seen.has(after))
  over = true
  await watching
  expect([...seen].filter((state) => state !== before)).toEqual([after])
})

test('A deletion that fails leaves everything as it was', async () => {
  const root = await term(shop)
  const child = await term(shop, { parent_id: root.id })
  const made = await attach('product', shop, [{ taxonomy_id: root.id, entry_ids: [child.id] }])
  // Another transaction locks the record, and the process that waits for it loses its connection.
  const holder = await database().connect()
  await holder.query('begin')
  await holder.query('select id from products where tenant_id = $1 and id = $2 for update', [
    shop.store_id,
    made.body.id,
  ])
  const removing = remove(root.id, api())
  const waiting = await untilAwaited(holder, { like: '%for no key update%' })
  await database().query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [waiting])
  expect((await removing).status).toBe(503)
  await holder.query('rollback')
  holder.release()
  expect((await shop.asOperator('GET', `/products/${made.body.id}`)).body.taxonomies).toEqual(made.body.taxonomies)
  expect((await shop.asOperator('GET', `/taxonomies/${child.id}`)).status).toBe(200)
  expect(await linksApart(shop)).toEqual([])
  expect((await remove(root.id, secondApi())).status).toBe(200)
})
