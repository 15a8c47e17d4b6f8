// One store whose pages hang, or one account with many stores, keeps no other from its places.
import { expect, test } from '@jest/globals'
import { newPlaces } from '../../activities/kit/places.ts'

test('A tenant has some of the places, all tenants together no more than there are', () => {
  const places = newPlaces(5, 2, 5)
  const enter = (tenant: string) => places.enter({ account: tenant, tenant })
  const [first, second] = [enter('a'), enter('a')]
  expect([first, second].map((leave) => leave !== null)).toEqual([true, true])
  expect([enter('a'), enter('b') !== null, enter('b') !== null, enter('c') !== null]).toEqual([null, true, true, true])
  expect(enter('d')).toBeNull()
  first?.()
  expect([enter('d') !== null, enter('a')]).toEqual([true, null])
  second?.()
  expect(enter('a') !== null).toBe(true)
})

test('The tenants of one account have some of the places together', () => {
  const places = newPlaces(9, 2, 3)
  const enter = (account: string, tenant: string) => places.enter({ account, tenant }) !== null
  expect(['1', '2', '3', '4'].map((tenant) => enter('a', tenant))).toEqual([true, true, true, false])
  expect(enter('b', '5')).toBe(true)
})
