// Which fields of a record tell it apart from others: its title, and the columns of a table.
import { shortId } from '../format.ts'
import { describe, fieldName, propertiesOf, type Schema, type Schemas, type Value } from './schema.ts'
import { type Item, singular } from './tree.ts'

export type Column = {
  /** Path of property names: `money.total` is in `money`. */
  path: readonly string[]
  label: string
  value: Value
  /** The field by which the API sorts, where it does. */
  sort: string | undefined
  rank: number
}

const titles = [
  'name',
  'title',
  'number',
  'key',
  'code',
  'sku',
  'email',
  'label',
  'subject',
  'username',
  'address',
  'url',
  'text',
  'message',
  'goal',
]
const states = /^(status|state)$/
const hidden = /^(id|store_?id|business_?id|tenant_?id|version|publishable_?key|blocks|schema)$/i
const dull = /(evidence|settings|headers|updated_?at|attempt|extra|is_network)/i

function rankOf(name: string, { shape }: Value): number {
  const title = titles.indexOf(name)
  if (title >= 0 && ['text', 'number'].includes(shape.kind)) return 200 - title
  if (hidden.test(name)) return 0
  if (states.test(name)) return 150
  if (dull.test(name)) return 6
  if (/^created_?at$/i.test(name)) return 90
  switch (shape.kind) {
    case 'money':
      return 120
    case 'choice':
      return 100
    case 'time':
      return 70
    case 'id':
      return /_?ids?$/i.test(name) ? 60 : 20
    case 'number':
    case 'share':
    case 'bytes':
      return 55
    case 'text':
      return shape.isLong || shape.isSecret ? 15 : 65
    case 'boolean':
      return 45
    case 'list':
      return 25
    case 'map':
      return 18
    default:
      return 4
  }
}

/** A total with its currency beside it is a column of its own. */
function totalIn(name: string, schema: Schema, schemas: Schemas): Column | undefined {
  const { currency, total } = propertiesOf(schema, schemas)
  if (!currency || !total) return undefined
  const value = describe('total', total, schemas)
  return { path: [name, 'total'], label: 'Total', value, sort: undefined, rank: 125 }
}

/** Fields that name a record around the list: they are the same in all of its items. */
const isAround = (name: string, path: string): boolean => {
  const around = path.split('/').filter((segment) => segment !== '{}' && segment !== 'v1')
  return around
    .slice(0, -1)
    .some((segment) => new RegExp(`^${singular(segment).replaceAll('-', '_')}_?id$`, 'i').test(name))
}

/** All columns of the items at a path, the most telling first. `sorts`: the fields by which the API sorts. */
export function columnsOf(
  item: Schema | undefined,
  schemas: Schemas,
  sorts: readonly string[],
  path: string,
): Column[] {
  const columns = Object.entries(propertiesOf(item, schemas)).flatMap(([name, schema]): Column[] => {
    const value = describe(name, schema, schemas)
    const total = value.shape.kind === 'object' ? totalIn(name, schema, schemas) : undefined
    const sort = sorts.includes(name) ? name : undefined
    const own = {
      path: [name],
      label: fieldName(name, value),
      value,
      sort,
      rank: isAround(name, path) ? 0 : rankOf(name, value),
    }
    return total ? [total, own] : [own]
  })
  return columns.sort((a, b) => b.rank - a.rank)
}

/** The columns that a table begins with: the title, the state, up to four more, and the time of creation last. */
export function chosenColumns(all: readonly Column[], most = 6): Column[] {
  const telling = all.filter(({ rank }) => rank > 15)
  // A record without a name of its own is known by whom it is about.
  const isNamed = (telling[0]?.rank ?? 0) > 180
  const first = isNamed ? telling[0] : (telling.find(({ value }) => value.shape.kind === 'id') ?? telling[0])
  if (!first) return all.slice(0, most)
  const created = telling.find(({ path }) => /^created_?at$/i.test(path[0] ?? ''))
  const others = telling.filter((one) => one !== first && one !== created && !(first.rank > 190 && one.rank > 195))
  const middle = others.slice(0, most - (created ? 2 : 1))
  return [first, ...middle, ...(created && created !== first ? [created] : [])]
}

export const at = (item: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, name) => (value === null || typeof value !== 'object' ? undefined : (value as Item)[name]),
    item,
  )

/** What a content record is called in its blocks. */
function nameInBlocks(blocks: unknown): string | undefined {
  if (!Array.isArray(blocks)) return undefined
  const named = blocks.find((block) => ['name', 'title'].includes(String((block as Item)?.key)))
  const value = (named as Item | undefined)?.value
  const text = value !== null && typeof value === 'object' ? Object.values(value)[0] : value
  return typeof text === 'string' && text !== '' ? text : undefined
}

/** What a person calls the record, if it has a name of its own. */
export function nameIn(item: Item): string | undefined {
  const { settings, contact } = item
  const named = settings !== null && typeof settings === 'object' ? (settings as Item).name : undefined
  const given = nameInBlocks(item.blocks) ?? named
  if (typeof given === 'string' && given !== '') return given
  for (const name of titles) {
    const value = item[name]
    if (name === 'number' && typeof value === 'number') return `#${value}`
    if (typeof value === 'string' && value !== '' && value !== '__redacted__') return [...value].slice(0, 120).join('')
  }
  return contact !== null && typeof contact === 'object' ? nameIn(contact as Item) : undefined
}

/** The name of the record, or the end of its id. */
export const labelOf = (item: Item): string =>
  nameIn(item) ?? (typeof item.id === 'string' ? shortId(item.id) : 'Record')
