// The blocks of products, services and providers fit their own type, refer only to existing records, and restrict or
// clear their references.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { newBusiness } from '../kit/business.ts'
import { collection, mediaRow } from '../kit/content/content.ts'
import { database, eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'
import { secret } from '../kit/webhooks/webhook-events.ts'

let shop: Shop
let stranger: Shop
beforeAll(async () => {
  ;[shop, stranger] = await Promise.all([newShop(), newShop()])
})

const at = (kind: string) => `/${kind}s`
const add = (kind: string, more: Record<string, unknown> = {}, of = shop) =>
  of.asOperator('POST', at(kind), { key: unique(), ...more }, eitherApi())
const idOf = async (kind: string, more = {}, of = shop): Promise<string> => (await add(kind, more, of)).body.id
const blocksOf = async (kind: string, id: string) => (await shop.asOperator('GET', `${at(kind)}/${id}`)).body.blocks
const places = ({ status, body }: { status: number; body: { errors?: { pointer: string; code: string }[] } }) => [
  status,
  ...(body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`),
]
const countOf = async (table: string) =>
  (await database().query(`select count(*)::int as n from ${table} where tenant_id = $1`, [shop.store_id])).rows[0].n

describe.each(['product', 'service', 'provider'])('References of a %s', (kind) => {
  test(`A ${kind} with invalid blocks or unknown references is refused in full`, async () => {
    const none = newId()
    const others = await idOf('product', {}, stranger)
    const physical = await idOf('product', { variants: [{}] })
    const before = await countOf(`${kind}s`)
    const blocks = [
      { key: 'a', type: 'number', value: 'x' },
      { key: 'b', type: 'localized_text', value: { en: 1, 'no locale': 'x' } },
      { key: 'c', type: 'product', value: none },
      { key: 'd', type: 'product', value: others },
      { key: 'e', type: 'digital_product', value: physical },
      { key: 'f', type: 'media', value: null },
      { key: 'g', type: 'hologram', value: 7 },
      { key: 'h', type: 'list', value: [{ key: 'i', type: 'entry', value: none }] },
    ]
    const taxonomies = [{ taxonomy_id: none, entry_ids: [others] }]
    expect(places(await add(kind, { blocks, taxonomies }))).toEqual([
      422,
      '/blocks/0/value invalid_type',
      '/blocks/1/value/en invalid_type',
      '/blocks/1/value/no locale unknown_locale',
      '/blocks/2/value product_unknown',
      '/blocks/3/value product_unknown',
      '/blocks/4/value not_digital',
      '/blocks/7/value/0/value entry_unknown',
      '/taxonomies/0/taxonomy_id taxonomy_unknown',
      '/taxonomies/0/entry_ids/0 entry_unknown',
    ])
    expect(await countOf(`${kind}s`)).toBe(before)
  })

  test(`A ${kind} keeps its target from deletion until it refers elsewhere, is deleted or allows it`, async () => {
    const target = await idOf('product', { variants: [{ is_digital: true }] })
    const reference = (properties = {}) => [{ key: 'x', type: 'digital_product', properties, value: target }]
    const { body: owner } = await add(kind, { blocks: reference() })
    const remove = () => shop.asOperator('DELETE', `/products/${target}`, undefined, eitherApi())
    expect(await remove()).toMatchObject({
      status: 409,
      body: { code: 'referenced', referenced_by: [{ kind, id: owner.id, key: owner.key }] },
    })

    await shop.asOperator('PUT', `${at(kind)}/${owner.id}`, { status: 'archived' })
    expect((await remove()).status).toBe(409)
    const second = await idOf(kind, { blocks: reference({ on_delete: 'set_null' }) })
    const third = await idOf(kind, { blocks: reference() })
    await shop.asOperator('PUT', `${at(kind)}/${owner.id}`, { blocks: reference({ on_delete: 'SET_NULL' }) })
    expect((await remove()).body.referenced_by).toMatchObject([{ id: third }])
    await shop.asOperator('DELETE', `${at(kind)}/${third}`)

    expect((await remove()).status).toBe(200)
    for (const id of [owner.id, second]) expect((await blocksOf(kind, id))[0].value).toBeNull()
    expect((await database().query('select 1 from block_references where target_id = $1', [target])).rowCount).toBe(0)
  })
})

describe('Files of blocks', () => {
  const fields = { mime_type: 'image/png', width: 1, height: 1, size: 1, name: 'a.png' }
  const withFile = (id: string) => [
    { key: 'cover', type: 'media', value: id.toUpperCase(), properties: { on_delete: 'set_null', alt: 'A kettle' } },
    {
      key: 'more',
      type: 'list',
      value: [
        {
          key: 'one',
          type: 'object',
          value: [{ key: 'in', type: 'media', value: id, properties: { on_delete: 'set_null' } }],
        },
      ],
    },
    { key: 'free', type: 'hologram', value: [{ key: 'own', type: 'media', value: id, media: 'mine' }] },
  ]
  // biome-ignore lint/suspicious/noExplicitAny: the JSON body of an answer
  const filesOf = ([cover, more, free]: any[]) => [cover.media, more.value[0].value[0].media, free.value[0].media]

  test.each(['product', 'service', 'provider', 'entry', 'collection'])(
    'A %s is answered with the files of its blocks, and can be sent back',
    async (kind) => {
      const id = await mediaRow(shop)
      const path = kind === 'entry' ? '/entries' : `/${kind}s`
      const more = kind === 'entry' ? { collection_id: (await collection(shop)).id } : {}
      const file = {
        id,
        ...fields,
        url: expect.stringMatching(`/media/${id}/original$`),
        resolutions: { original: expect.objectContaining({ width: 1 }) },
      }
      const shown = [file, file, 'mine']
      const created = await shop.asOperator('POST', path, { key: unique(), blocks: withFile(id), ...more }, eitherApi())
      expect([created.status, filesOf(created.body.blocks)]).toMatchObject([201, shown])
      const at = `${path}/${created.body.id}`
      const read = (await shop.asOperator('GET', at)).body
      expect(filesOf(read.blocks)).toMatchObject(shown)
      expect([read.blocks[0].properties.alt, Object.keys(read.blocks[0].media)]).toEqual([
        'A kettle',
        expect.not.arrayContaining(['tenant_id', 'variants', 'search']),
      ])
      const again = await shop.asOperator('PUT', at, { ...read, blocks: read.blocks })
      expect([again.status, filesOf(again.body.blocks)]).toMatchObject([200, shown])
      const { rows } = await database().query(
        `select blocks from ${kind === 'entry' ? 'entries' : `${kind}s`} where id = $1`,
        [created.body.id],
      )
      expect(filesOf(rows[0].blocks)).toEqual([undefined, undefined, 'mine'])
      const listed = (await shop.asOperator('GET', `${path}?limit=1`)).body.items[0]
      expect(filesOf(listed.blocks)).toMatchObject(shown)
      if (kind !== 'collection')
        expect(filesOf((await shop.asVisitor('GET', `${path}/${created.body.id}`)).body.blocks)).toMatchObject(shown)
      await database().query(`update media set status = 'failed' where id = $1`, [id])
      expect(filesOf((await shop.asOperator('GET', at)).body.blocks)).toEqual([undefined, undefined, 'mine'])
    },
  )

  test('A business spells the files of blocks in camelCase, nested ones too', async () => {
    const business = await newBusiness()
    const id = await mediaRow({ ...shop, store_id: business.id })
    const { status, body } = await business.ask('POST', '/providers', { key: unique(), blocks: withFile(id) })
    expect([status, filesOf(body.blocks)]).toMatchObject([
      201,
      [{ mimeType: 'image/png' }, { mimeType: 'image/png' }, 'mine'],
    ])
    expect((await business.ask('PUT', `/providers/${body.id}`, { key: body.key, blocks: body.blocks })).status).toBe(
      200,
    )
  })
})

test('A self-reference does not prevent a deletion, and mutual references do', async () => {
  const [one, other] = [await idOf('product'), await idOf('product')]
  const refer = (id: string, ...to: string[]) =>
    shop.asOperator('PUT', `/products/${id}`, {
      blocks: to.map((value, n) => ({ key: `k${n}`, type: 'product', value })),
    })
  await refer(one, one, other)
  await refer(other, one)
  expect((await shop.asOperator('DELETE', `/products/${one}`)).body.referenced_by).toMatchObject([{ id: other }])
  await refer(other)
  expect((await shop.asOperator('DELETE', `/products/${one}`)).status).toBe(200)
  expect((await shop.asOperator('DELETE', `/products/${other}`)).status).toBe(200)
})

test('Hundreds of set_null references become null at once, and a refusal names ten of restrict', async () => {
  const target = await idOf('product')
  const blocks = (on_delete: string) => [{ key: 'x', type: 'product', properties: { on_delete }, value: target }]
  const owners = await Promise.all(Array.from({ length: 450 }, () => idOf('product', { blocks: blocks('set_null') })))
  const holders = await Promise.all(Array.from({ length: 12 }, () => idOf('service', { blocks: blocks('restrict') })))
  expect((await shop.asOperator('DELETE', `/products/${target}`)).body.referenced_by).toHaveLength(10)
  await Promise.all(holders.map((id) => shop.asOperator('DELETE', `/services/${id}`)))
  expect((await shop.asOperator('DELETE', `/products/${target}`)).status).toBe(200)
  const { rows } = await database().query(`select blocks #> '{0,value}' as value from products where id = any ($1)`, [
    owners,
  ])
  expect(rows).toEqual(owners.map(() => ({ value: null })))
})

test('A value that becomes null publishes an update of its record', async () => {
  const own = await newShop()
  const [target, hook] = [
    (await own.asOperator('POST', '/products', { key: unique() })).body.id,
    {
      key: unique(),
      url: 'https://hooks.example.test/x',
      events: [{ event: 'product.updated' }],
      headers: {},
      secret,
      enabled: true,
    },
  ]
  const blocks = [{ key: 'x', type: 'product', properties: { on_delete: 'set_null' }, value: target }]
  const { body: owner } = await own.asOperator('POST', '/products', { key: unique(), blocks, variants: [{ sku: 'S' }] })
  expect((await own.asOperator('POST', '/webhooks', hook)).status).toBe(201)
  await own.asOperator('DELETE', `/products/${target}`)
  const { rows } = await database().query('select type, data from events where tenant_id = $1', [own.store_id])
  expect(rows).toEqual([{ type: 'product.updated', data: (await own.asOperator('GET', `/products/${owner.id}`)).body }])
  expect(rows[0].data.blocks[0].value).toBeNull()
})
