// An item of a schema keeps its id as long as it is the same item, however it is sent.
import { describe, expect, test } from '@jest/globals'
import { withIds } from '../../rules/content/forms.ts'

const numbered = () => {
  let last = 0
  return () => `made-${++last}`
}
const before = [
  { id: 'a', key: 'name', type: 'text' },
  { id: 'b', key: 'size', type: 'number' },
]
const idsOf = (...schema: { id?: string; key: string; type: string }[]) => withIds(schema, numbered(), before).map(({ id }) => id)

describe('the id of an item', () => {
  test('that is sent stays', () => {
    expect(idsOf({ id: 'mine', key: 'name', type: 'text' }, { id: 'b', key: 'other', type: 'boolean' })).toEqual(['mine', 'b'])
  })

  test('that is not sent is the stored one of its key and type, wherever it stands', () => {
    expect(idsOf({ key: 'size', type: 'number' }, { key: 'name', type: 'text' })).toEqual(['b', 'a'])
  })

  test('is made for a new key, and for a key that is something else now', () => {
    expect(idsOf({ key: 'colour', type: 'text' }, { key: 'name', type: 'number' })).toEqual(['made-1', 'made-2'])
  })

  test('is never there twice: what was sent with it has it', () => {
    expect(idsOf({ id: 'a', key: 'title', type: 'text' }, { key: 'name', type: 'text' })).toEqual(['a', 'made-1'])
  })
})
