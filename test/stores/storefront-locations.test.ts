// Visitors see where they can pick up, and no other location.
import { expect, test } from '@jest/globals'
import { newShop } from '../kit/shop.ts'

test('A storefront lists the pickup locations that have a country, with their addresses alone', async () => {
  const shop = await newShop()
  const address = { name: 'Shop', street1: '1 Market Street', city: 'Berlin', country: 'DE' }
  const add = async (key: string, more: object) =>
    (await shop.asOperator('POST', '/locations', { key, is_pickup_location: true, ...more })).body
  await add('cellar', { address: null })
  await add('depot', { address, is_pickup_location: false })
  const { id } = await add('counter', { address })
  const { status, body } = await shop.asVisitor('GET', '/locations')
  expect([status, body]).toEqual([200, [{ id, key: 'counter', address: expect.objectContaining(address) }]])
})
