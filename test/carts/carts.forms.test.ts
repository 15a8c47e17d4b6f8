// A buyer's answers are stored on cart and order as they were sent: the API checks their shape, the storefront knows
// their meaning.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Buyer, buyer, cash, checkOut, product, read, type Sold, update } from '../kit/orders/buying.ts'
import { type Answer, database, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
let tea: Sold
let mine: Buyer
let order_id: string
beforeAll(async () => {
  shop = await newShop()
  tea = await product(shop)
  mine = await buyer(shop, [tea.item()])
  const bought = await buyer(shop, [tea.item()])
  order_id = (await checkOut(bought.visitor, bought.cart, cash)).body.order_id
})
afterAll(() => database().end())

const writes: [string, (forms: unknown) => Promise<Answer>, () => Promise<{ forms: unknown }>][] = [
  [
    'a cart',
    (forms) => mine.visitor.call('PUT', `/carts/${mine.cart.id}`, { forms }),
    async () => (await mine.visitor.call('GET', `/carts/${mine.cart.id}`)).body,
  ],
  ['an order', (forms) => update(shop, order_id, { forms }), () => read(shop, order_id)],
]

/** Also forms and fields that the store does not have, duplicates, and any order. */
const kept = [
  {
    key: 'order-notes',
    entries: [
      { key: 'notes', value: 'ring twice' },
      { key: 'is_gift', value: true },
      { key: 'nobody asked', value: { z: [null, 1.5], a: '%_"' } },
    ],
  },
  { key: '注文', entries: [] },
  {
    key: 'order-notes',
    entries: [
      { key: 'notes', value: null },
      { key: 'notes', value: '' },
    ],
  },
]

describe.each(writes)('Forms of %s', (name, put, get) => {
  test(`The forms of ${name} are stored and returned as they were sent`, async () => {
    const { status, body } = await put(kept)
    expect([status, body.forms, (await get()).forms]).toEqual([200, kept, kept])
    expect((await put([])).body.forms).toEqual([])
  })

  test.each([
    ['no list', { key: 'a', entries: [] }, ['/forms invalid_type']],
    ['a list of names', ['order-notes'], ['/forms/0 invalid_type']],
    ['a form without a key', [{ entries: [] }], ['/forms/0/key required']],
    ['an empty key', [{ key: '', entries: [] }], ['/forms/0/key too_small']],
    ['a form without entries', [{ key: 'a', entries: [] }, { key: 'b' }], ['/forms/1/entries required']],
    ['entries as a map', [{ key: 'a', entries: { notes: 'x' } }], ['/forms/0/entries invalid_type']],
    ['an entry without a key', [{ key: 'a', entries: [{ value: 1 }] }], ['/forms/0/entries/0/key required']],
    ['a typo', [{ key: 'a', entries: [{ key: 'b', valeu: 1, value: 1 }] }], ['/forms/0/entries/0/valeu unknown_field']],
    [
      'a form of another shape',
      [{ formId: 'a', values: [] }],
      [
        '/forms/0/entries required',
        '/forms/0/formId unknown_field',
        '/forms/0/key required',
        '/forms/0/values unknown_field',
      ],
    ],
    [
      'too many entries',
      [{ key: 'a', entries: Array(201).fill({ key: 'b', value: 1 }) }],
      ['/forms/0/entries too_big'],
    ],
    ['too many forms', Array(101).fill({ key: 'a', entries: [] }), ['/forms too_big']],
  ])(`Forms of ${name} are refused with their pointer: %s`, async (_what, forms, faults) => {
    await put(kept)
    const { status, body } = await put(forms)
    const told = body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
    expect([status, told.sort()]).toEqual([422, faults])
    expect((await get()).forms).toEqual(kept)
  })
})
