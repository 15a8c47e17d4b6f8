// One store whose pages hang keeps no other from its places.
import { expect, test } from '@jest/globals'
import { newPlaces } from '../../activities/places.ts'

test('A tenant has some of the places, all tenants together no more than there are', () => {
  const places = newPlaces(5, 2)
  const [first, second] = [places.enter('a'), places.enter('a')]
  expect([first, second].map((leave) => leave !== null)).toEqual([true, true])
  expect([places.enter('a'), places.enter('b') !== null, places.enter('b') !== null, places.enter('c') !== null]).toEqual([null, true, true, true])
  expect(places.enter('d')).toBeNull()
  first?.()
  expect([places.enter('d') !== null, places.enter('a')]).toEqual([true, null])
  second?.()
  expect(places.enter('a') !== null).toBe(true)
})
