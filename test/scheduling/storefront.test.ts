// A storefront shows active services and providers with prices to everyone and nothing else.
import { beforeAll, expect, test } from '@jest/globals'
import { newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
const ids: Record<string, string> = {}
const us = { market: 'us', currency: 'USD', amount: 5 }
beforeAll(async () => {
  shop = await newShop()
  for (const kind of ['service', 'provider'])
    for (const status of ['active', 'draft', 'archived']) {
      const body = { key: `a-${status}-${kind}`, slug: { en: `${status}-${kind}` }, status }
      ids[`${status}-${kind}`] = (await shop.asOperator('POST', `/${kind}s`, body)).body.id
    }
  ids.second = (await shop.asOperator('POST', '/providers', { key: 'second' })).body.id
  for (const provider of ['second', 'active-provider', 'draft-provider']) {
    const link = {
      service_id: ids['active-service'],
      provider_id: ids[provider],
      prices: [us],
      durations: [{ duration: 45 }],
      slot_interval: 15,
    }
    await shop.asOperator('POST', '/service-providers', link)
  }
})
const see = (path: string) => shop.asVisitor('GET', path)
const idsOf = async (path: string) => (await see(path)).body.items.map(({ id }: { id: string }) => id)
const offer = (provider: string) => ({
  provider_id: ids[provider],
  prices: [us],
  durations: [{ duration: 45 }],
  slot_interval: 15,
})

test('A storefront lists active services and providers under every filter', async () => {
  for (const query of [
    '',
    '?query=service',
    `?ids=${ids['active-service']},${ids['draft-service']}`,
    `?provider_id=${ids.second}`,
  ])
    expect([query, await idsOf(`/services${query}`)]).toEqual([query, [ids['active-service']]])
  for (const query of ['?query=active', `?ids=${ids['active-provider']},${ids['archived-provider']}`])
    expect([query, await idsOf(`/providers${query}`)]).toEqual([query, [ids['active-provider']]])
  expect(await idsOf(`/providers?service_id=${ids['active-service']}`)).toEqual([ids.second, ids['active-provider']])
  expect(await idsOf('/services?query=draft')).toEqual([])
  for (const path of ['/services', '/providers']) expect((await see(`${path}?statuses=draft`)).status).toBe(422)
})

test('A storefront service names its active providers and their prices', async () => {
  const providers = [offer('active-provider'), offer('second')]
  expect((await see(`/services/${ids['active-service']}`)).body.providers).toEqual(providers)
  expect((await see('/services')).body.items[0].providers).toEqual(providers)
})

test.each(['service', 'provider'])('A storefront reads a %s by id or slug while it is active', async (kind) => {
  for (const name of [ids[`active-${kind}`], `active-${kind}`, `active-${kind}?locale=en`])
    expect((await see(`/${kind}s/${name}`)).body.id).toBe(ids[`active-${kind}`])
  for (const name of [
    ids[`draft-${kind}`],
    ids[`archived-${kind}`],
    `draft-${kind}`,
    `active-${kind}?locale=de`,
    `no-${kind}`,
  ])
    expect((await see(`/${kind}s/${name}`)).status).toBe(404)
})

test('A storefront service or provider has no fields for operators', async () => {
  expect(Object.keys((await see('/services/active-service')).body).sort()).toEqual([
    'blocks',
    'created_at',
    'id',
    'key',
    'providers',
    'slug',
    'stars',
    'taxonomies',
  ])
  expect(Object.keys((await see('/providers/active-provider')).body).sort()).toEqual([
    'blocks',
    'created_at',
    'id',
    'key',
    'slug',
    'stars',
    'taxonomies',
  ])
})

test('A publishable key gives access to its own store alone', async () => {
  const other = await newShop()
  expect((await other.asVisitor('GET', '/services')).body.items).toEqual([])
  expect((await other.asVisitor('GET', `/services/${ids['active-service']}`)).status).toBe(404)
  expect((await other.asVisitor('GET', `/providers?service_id=${ids['active-service']}`)).body.items).toEqual([])
})
