// An item of a schema keeps its id as long as its key and type stay.
import { expect, test } from '@jest/globals'
import { withIds } from '../../rules/content/forms.ts'

const numbered = () => {
  let last = 0
  return () => `made-${++last}`
}
const before = [
  { id: 'a', key: 'name', type: 'text' },
  { id: 'b', key: 'size', type: 'number' },
]
const idsOf = (...schema: { id?: string; key: string; type: string }[]) =>
  withIds(schema, numbered(), before).map(({ id }) => id)

test('A schema item keeps the id that is sent', () => {
  expect(idsOf({ id: 'mine', key: 'name', type: 'text' }, { id: 'b', key: 'other', type: 'boolean' })).toEqual([
    'mine',
    'b',
  ])
})

test('A schema item without an id gets the stored one of its key and type, wherever it is', () => {
  expect(idsOf({ key: 'size', type: 'number' }, { key: 'name', type: 'text' })).toEqual(['b', 'a'])
})

test('A schema item with a new key or another type gets a new id', () => {
  expect(idsOf({ key: 'colour', type: 'text' }, { key: 'name', type: 'number' })).toEqual(['made-1', 'made-2'])
})

test('An id occurs once: the item that was sent with it has it', () => {
  expect(idsOf({ id: 'a', key: 'title', type: 'text' }, { key: 'name', type: 'text' })).toEqual(['a', 'made-1'])
})
