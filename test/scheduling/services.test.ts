// Services and providers are read back as written, found by each of their names, and cannot be deleted while they have
// future bookings.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { bookAhead } from '../kit/bookings/booking-rows.ts'
import { eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop({ languages: ['de', 'en'] })
})

const block = {
  id: 'b1',
  key: 'title',
  type: 'localized_text',
  properties: { min: 1 },
  value: { en: 'Long massage', de: 'Große Massage' },
}
const codeAndPlaces = ({
  status,
  body,
}: {
  status: number
  body: { code: string; errors?: { pointer: string }[] }
}) => [status, body.code, body.errors?.map(({ pointer }) => pointer)]

describe.each(['service', 'provider'] as const)('Resources of kind %s', (kind) => {
  const create = (body: Record<string, unknown> = {}, at = shop) =>
    at.asOperator('POST', `/${kind}s`, { key: unique(), ...body })
  const read = (id: string, at = shop) => at.asOperator('GET', `/${kind}s/${id}`, undefined, eitherApi())
  const update = (id: string, body: unknown, at = shop) => at.asOperator('PUT', `/${kind}s/${id}`, body)
  const remove = (id: string, at = shop) => at.asOperator('DELETE', `/${kind}s/${id}`)

  test(`A new ${kind} is active and is read back as written by either process`, async () => {
    const slug = { en: unique(), de: unique() }
    const made = await create({ slug, blocks: [block] })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ slug, blocks: [block], status: 'active' })
    expect(Object.keys(made.body).sort()).toEqual([
      'blocks',
      'created_at',
      'id',
      'key',
      'slug',
      'status',
      'taxonomies',
      'updated_at',
    ])
    expect((await read(made.body.id)).body).toEqual(made.body)
  })

  test(`An update of a ${kind} keeps absent fields and can send it back as read`, async () => {
    const { body } = await create({ slug: { en: unique() }, blocks: [block] })
    expect(await update(body.id, body)).toMatchObject({
      status: 200,
      body: { ...body, updated_at: expect.any(Number) },
    })
    const changed = await update(body.id, { status: 'ARCHIVED' })
    expect(changed.body).toEqual({ ...body, status: 'archived', updated_at: expect.any(Number) })
    expect((await update(body.id, { blocks: [], key: unique() })).body).toMatchObject({
      slug: body.slug,
      blocks: [],
      status: 'archived',
    })
    expect(codeAndPlaces(await update(body.id, { status: 'gone' }))).toEqual([422, 'invalid_input', ['/status']])
  })

  test(`A ${kind} key is unique in its store, also for concurrent creations`, async () => {
    const key = unique()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => shop.asOperator('POST', `/${kind}s`, { key }, eitherApi())),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    for (const refused of answers.filter(({ status }) => status === 409))
      expect(codeAndPlaces(refused)).toEqual([409, 'key_taken', ['/key']])
    const { body: other } = await create()
    expect(codeAndPlaces(await update(other.id, { key }))).toEqual([409, 'key_taken', ['/key']])
    expect((await create({ key }, await newShop())).status).toBe(201)
  })

  test(`A ${kind} is found by its slug in a locale or the store’s first language`, async () => {
    const word = unique()
    const { body: english } = await create({ slug: { en: word } })
    const { body: german } = await create({ slug: { de: word } })
    expect((await read(`${word}?locale=en`)).body.id).toBe(english.id)
    expect((await read(`${word}?locale=de`)).body.id).toBe(german.id)
    expect((await read(word)).body.id).toBe(german.id)
    expect((await read(`${word}?locale=fr`)).status).toBe(404)
    expect(codeAndPlaces(await create({ slug: { fr: unique(), en: word } }))).toEqual([409, 'slug_taken', ['/slug/en']])
    // Products have slugs of their own.
    expect((await shop.asOperator('POST', '/products', { key: unique(), slug: { en: word } })).status).toBe(201)
    await update(german.id, { slug: {} })
    expect((await read(word)).body.id).toBe(english.id)
  })

  test(`A ${kind} is listed by status, ids and text, page by page`, async () => {
    const own = await newShop()
    const ids: Record<string, string> = {}
    for (const key of ['cut', 'dye', 'wash'])
      ids[key] = (
        await create(
          { key, slug: { en: `best-${key}` }, blocks: [{ ...block, value: { de: `Ein ${key}-Ereignis` } }] },
          own,
        )
      ).body.id
    await update(ids.dye as string, { status: 'draft' }, own)
    await update(ids.wash as string, { status: 'archived', slug: { en: 'cleaner' } }, own)
    const keysOf = async (query: string) =>
      (await own.asOperator('GET', `/${kind}s?${query}`)).body.items.map(({ key }: { key: string }) => key)
    expect(await keysOf('')).toEqual(['wash', 'dye', 'cut'])
    expect(await keysOf('statuses=draft,ARCHIVED')).toEqual(['wash', 'dye'])
    expect(await keysOf('statuses=active&statuses=draft&sort_field=key&sort_direction=asc')).toEqual(['cut', 'dye'])
    expect(await keysOf(`ids=${ids.cut},${ids.wash}`)).toEqual(['wash', 'cut'])
    expect(await keysOf('query=BEST')).toEqual(['dye', 'cut'])
    expect(await keysOf('query=cut%20ereig')).toEqual(['cut'])
    expect(await keysOf('query=clean')).toEqual(['wash'])
    expect(await keysOf('query=mango')).toEqual([])
    const { body: first } = await own.asOperator('GET', `/${kind}s?limit=2`)
    expect((await own.asOperator('GET', `/${kind}s?limit=2&cursor=${first.cursor}`)).body).toMatchObject({
      items: [{ key: 'cut' }],
      cursor: null,
    })
    for (const query of ['statuses=gone', 'ids=1', 'sort_field=blocks'])
      expect((await own.asOperator('GET', `/${kind}s?${query}`)).status).toBe(422)
  })

  test(`A deleted ${kind} loses its links, and its names are free`, async () => {
    const slug = { en: unique() }
    const { body } = await create({ slug })
    const other = (await shop.asOperator('POST', kind === 'service' ? '/providers' : '/services', { key: unique() }))
      .body.id
    const pair =
      kind === 'service' ? { service_id: body.id, provider_id: other } : { service_id: other, provider_id: body.id }
    const link = (await shop.asOperator('POST', '/service-providers', { ...pair, slot_interval: 30 })).body.id
    expect(await remove(body.id)).toMatchObject({ status: 200, body: { success: true } })
    expect((await read(body.id)).status).toBe(404)
    expect((await remove(body.id)).status).toBe(404)
    expect((await shop.asOperator('GET', `/service-providers/${link}`)).status).toBe(404)
    expect((await create({ key: body.key, slug })).status).toBe(201)
  })

  test(`A ${kind} with future bookings cannot be deleted, but can be archived`, async () => {
    const [{ body: booked }, other] = [
      await create(),
      await shop.asOperator('POST', kind === 'service' ? '/providers' : '/services', { key: unique() }),
    ]
    const pair =
      kind === 'service'
        ? { service_id: booked.id, provider_id: other.body.id }
        : { service_id: other.body.id, provider_id: booked.id }
    const bookings = await bookAhead(shop, pair, ['pending', 'confirmed', 'cancelled', 'completed'])
    const refused = await remove(booked.id)
    expect([refused.status, refused.body.code, refused.body.bookings]).toEqual([409, 'bookings_ahead', 2])
    expect(refused.body.detail).toMatch(/2/)
    expect((await update(booked.id, { status: 'archived' })).status).toBe(200)
    await bookings.end()
    expect((await remove(booked.id)).status).toBe(200)
  })

  test(`A ${kind} of another store returns 404 by id and slug`, async () => {
    const other = await newShop()
    const { body: theirs } = await create({ slug: { en: unique() } }, other)
    for (const name of [theirs.id, theirs.slug.en]) expect((await read(name)).status).toBe(404)
    expect((await update(theirs.id, { status: 'archived' })).status).toBe(404)
    expect((await remove(theirs.id)).status).toBe(404)
    expect((await read(theirs.id, other)).body.status).toBe('active')
  })
})

test('Services and providers are filtered by their links', async () => {
  const own = await newShop()
  const made = async (path: string, key: string) => (await own.asOperator('POST', path, { key })).body.id as string
  const [cut, dye] = [await made('/services', 'cut'), await made('/services', 'dye')]
  const [ann, bob] = [await made('/providers', 'ann'), await made('/providers', 'bob')]
  for (const [service_id, provider_id] of [
    [cut, ann],
    [cut, bob],
    [dye, bob],
  ])
    await own.asOperator('POST', '/service-providers', { service_id, provider_id, slot_interval: 30 })
  const keysOf = async (path: string) =>
    (await own.asOperator('GET', path)).body.items.map(({ key }: { key: string }) => key)
  expect(await keysOf(`/services?provider_id=${ann}`)).toEqual(['cut'])
  expect(await keysOf(`/services?provider_id=${bob}`)).toEqual(['dye', 'cut'])
  expect(await keysOf(`/providers?service_id=${dye}`)).toEqual(['bob'])
  expect(await keysOf(`/providers?service_id=${cut}&limit=1`)).toEqual(['bob'])
  expect(await keysOf(`/providers?service_id=${bob}`)).toEqual([])
  // Another store sees none of it.
  expect((await shop.asOperator('GET', `/services?provider_id=${bob}`)).body.items).toEqual([])
  expect((await shop.asOperator('GET', '/services?provider_id=bob')).status).toBe(422)
})

describe('Time zones', () => {
  const zone = (at: Shop, timezone: string) => at.asOperator('PUT', `/v1/stores/${at.store_id}`, { timezone })

  test('A store’s time zone cannot change while it has future bookings', async () => {
    const own = await newShop()
    const pair = {
      service_id: (await own.asOperator('POST', '/services', { key: 's' })).body.id,
      provider_id: (await own.asOperator('POST', '/providers', { key: 'p' })).body.id,
    }
    expect((await zone(own, 'Europe/Paris')).body.timezone).toBe('Europe/Paris')
    const bookings = await bookAhead(own, pair, ['pending'])
    const refused = await zone(own, 'Asia/Tokyo')
    expect(codeAndPlaces(refused)).toEqual([409, 'bookings_ahead', ['/timezone']])
    expect(refused.body.bookings).toBe(1)
    // The same value can be sent again, and other fields can change.
    expect((await zone(own, 'europe/paris')).status).toBe(200)
    expect((await own.asOperator('PUT', `/v1/stores/${own.store_id}`, { languages: ['fr'] })).status).toBe(200)
    await bookings.end()
    expect((await zone(own, 'Asia/Tokyo')).body.timezone).toBe('Asia/Tokyo')
  })

  test('Bookings of another store do not keep a time zone from changing', async () => {
    const [own, other] = [await newShop(), await newShop()]
    const pair = {
      service_id: (await other.asOperator('POST', '/services', { key: 's' })).body.id,
      provider_id: (await other.asOperator('POST', '/providers', { key: 'p' })).body.id,
    }
    await bookAhead(other, pair, ['confirmed'])
    expect((await zone(own, 'Asia/Tokyo')).status).toBe(200)
  })
})
