// What the demo store sells: goods in variants with prices, stock and pictures, filed by room and by topic; a workshop
// with a few places; and what its services look like.

import type { Call } from './call.ts'
import { everywhere, hours, ofKey, type Room, type Topic, taxonomies } from './kit.ts'

/** `variants`: what they are called, the price in minor units, and the units in stock. */
type Goods = {
  key: string
  name: string
  text: string
  room: Room
  topic?: Topic
  option: string
  variants: [name: string, amount: number, available: number][]
  weight: number
  digital?: true
}

// The words of all texts are searched: only the first of them begins with “tea”, which the guides look for.
export const goods: Goods[] = [
  {
    ...{ key: 'gift-card', name: 'Gift card', room: 'gifts', option: 'Value', weight: 0, digital: true },
    text: 'For those who know best what they need. It comes by e-mail and never expires.',
    variants: [
      ['$25', 2500, 1000],
      ['$50', 5000, 1000],
      ['$100', 10_000, 1000],
    ],
  },
  {
    ...{ key: 'potted-laurel', name: 'Potted laurel', room: 'living-room', option: 'Pot', weight: 2800 },
    text: 'A young bay laurel in a pot that was thrown by hand. Water it on Sundays, and pick a leaf for the soup.',
    variants: [
      ['Terracotta', 3400, 12],
      ['Glazed white', 3900, 3],
    ],
  },
  {
    ...{ key: 'beeswax-candles', name: 'Beeswax candles', room: 'gifts', option: 'Set', weight: 520 },
    text: 'Poured from the wax of one meadow. A tall one burns for twenty hours and smells of **honey**.',
    variants: [
      ['Two', 2200, 80],
      ['Four', 3900, 40],
    ],
  },
  {
    ...{ key: 'enamel-lamp', name: 'Enamel lamp', room: 'living-room', option: 'Colour', weight: 1900 },
    text: 'A factory lamp for the kitchen table. The enamel is fired twice, and the cord is two metres long.',
    variants: [
      ['Red', 14_900, 8],
      ['Slate', 14_900, 0],
    ],
  },
  {
    ...{
      key: 'wool-blanket',
      name: 'Wool blanket',
      room: 'living-room',
      option: 'Colour',
      weight: 1400,
      topic: 'care',
    },
    text: 'Woven of wool from two valleys, and fulled until it is dense. Air it; it rarely needs a wash.',
    variants: [
      ['Brick', 11_800, 15],
      ['Heather', 11_800, 6],
    ],
  },
  {
    ...{ key: 'serving-board', name: 'Serving board', room: 'kitchen', option: 'Size', weight: 900, topic: 'craft' },
    text: 'One piece of oak with a hole to hang it by. Rub it with oil once a year.',
    variants: [
      ['Small', 3600, 60],
      ['Large', 5200, 30],
    ],
  },
  {
    ...{ key: 'stoneware-mug', name: 'Stoneware mug', room: 'kitchen', option: 'Glaze', weight: 380, topic: 'craft' },
    text: 'Holds a quarter of a litre and keeps it warm. Each one has speckles of its own.',
    variants: [
      ['Moss', 2600, 42],
      ['Clay', 2600, 0],
      ['Chalk', 2600, 18],
    ],
  },
  {
    ...{ key: 'shampoo', name: 'Shampoo', room: 'bath', option: 'Size', weight: 300 },
    text: 'What Rosa and Sam use in the chair: birch and rosemary, without perfume.',
    variants: [
      ['250 ml', 1200, 200],
      ['500 ml', 1900, 90],
    ],
  },
  {
    ...{ key: 'oak-stool', name: 'Oak stool', room: 'living-room', option: 'Finish', weight: 4200, topic: 'craft' },
    text: 'A seat, three legs and **no screw**. All parts come from one board, so they move alike when the weather does.',
    variants: [
      ['Natural oil', 12_900, 25],
      ['Dark oil', 13_900, 9],
    ],
  },
  {
    ...{ key: 'tea-towel', name: 'Tea towel', room: 'kitchen', option: 'Stripe', weight: 120, topic: 'care' },
    text: 'Half linen, half cotton: it dries a whole dinner and is softer after every wash.',
    variants: [
      ['Blue', 1900, 500],
      ['Rust', 1900, 140],
      ['Herringbone', 2100, 260],
    ],
  },
]

const services = [
  { key: 'haircut', text: 'Wash, cut and a word about the weather. Half an hour with Rosa or Sam.' },
  {
    key: 'oiling-workshop',
    name: 'Oiling workshop',
    text: 'Bring a board or a chair: Noor shows six people how to clean, sand and oil wood. Two hours, oil included.',
  },
]

export const pictured = [...goods, ...services].map(({ key }) => key)

type Blocks = { key: string; type: string; value?: unknown }[]
const text = (key: string, type: 'text' | 'markdown', value: string) => ({ key, type, value })

/** The blocks that a record lacks, behind those that it has. */
const completed = (
  before: Blocks,
  { name, text: said, picture }: { name?: string | undefined; text: string; picture: string | undefined },
) => {
  const all: Blocks = [
    ...(name === undefined ? [] : [text('name', 'text', name)]),
    text('description', 'markdown', said),
    ...(picture === undefined ? [] : [{ key: 'picture', type: 'media', value: picture }]),
  ]
  return [...before, ...all.filter(({ key }) => !before.some((one) => one.key === key))]
}

/** Keeps existing records: an earlier start may have been interrupted, or of a version that had fewer of them. */
export async function fillShelves(call: Call, storeId: string, pictures: ReadonlyMap<string, string>): Promise<void> {
  const path = { storeId }
  const [rooms, topics] = [
    await taxonomies(call, storeId, 'rooms', ['kitchen', 'living-room', 'bath', 'gifts']),
    await taxonomies(call, storeId, 'topics', ['care', 'craft']),
  ]
  const [location] = await call('GET /v1/stores/{storeId}/locations', { path })
  const { items: known } = await call('GET /v1/stores/{storeId}/products', { path, query: { limit: 100 } })
  for (const { key, name, text, room, topic, option, variants, weight, digital } of goods) {
    const found = ofKey(known, key)
    const filed = [rooms.under(room), ...(topic ? [topics.under(topic)] : [])]
    const blocks = completed(found?.blocks ?? [], { name, text, picture: pictures.get(key) })
    if (found) {
      await call('PUT /v1/stores/{storeId}/products/{id}', {
        path: { ...path, id: found.id },
        body: { blocks, taxonomies: found.taxonomies.length > 0 ? found.taxonomies : filed },
      })
      continue
    }
    await call('POST /v1/stores/{storeId}/products', {
      path,
      body: {
        ...{ key, slug: { en: key }, blocks, taxonomies: filed },
        variants: variants.map(([value, amount, available]) => ({
          sku: `${key}-${value}`.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '-'),
          prices: everywhere(amount),
          attributes: [{ name: option, value }],
          ...(location ? { inventory: [{ location_id: location.id, available }] } : {}),
          ...(digital ? { is_digital: true, requires_shipping: false } : { weight }),
        })),
      },
    })
  }
  await openWorkshop(call, storeId)
  const { items: offered } = await call('GET /v1/stores/{storeId}/services', { path, query: { limit: 100 } })
  for (const { key, ...about } of services) {
    const found = ofKey(offered, key)
    if (!found) continue
    await call('PUT /v1/stores/{storeId}/services/{id}', {
      path: { ...path, id: found.id },
      body: { blocks: completed(found.blocks, { ...about, picture: pictures.get(key) }) },
    })
  }
}

/** Two hours on Saturdays, for six people at a time. */
async function openWorkshop(call: Call, storeId: string): Promise<void> {
  const path = { storeId }
  const key = 'oiling-workshop'
  const { items } = await call('GET /v1/stores/{storeId}/services', { path, query: { query: 'oiling' } })
  if (ofKey(items, key)) return
  const provider = await call('POST /v1/stores/{storeId}/providers', {
    path,
    body: { key: 'noor', slug: { en: 'noor' }, blocks: [text('name', 'text', 'Noor')] },
  })
  const service = await call('POST /v1/stores/{storeId}/services', {
    path,
    body: { key, slug: { en: key }, blocks: [] },
  })
  await call('POST /v1/stores/{storeId}/service-providers', {
    path,
    body: {
      ...{ service_id: service.id, provider_id: provider.id, working_days: hours(['saturday'], '10:00', '14:00') },
      ...{ durations: [{ duration: 120 }], slot_interval: 120, concurrent_limit: 6, prices: everywhere(3500) },
    },
  })
}
