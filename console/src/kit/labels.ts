// The names of records that others mention by their ids: read once, many at a time where the list takes ids.
import { useQuery } from '@tanstack/react-query'
import { ask } from './api.ts'
import { labelOf } from './document/columns.ts'
import { addressOf, type Item, type Node, ownValue, type Place } from './document/tree.ts'
import { pageIn } from './read.ts'

/** Ids that were asked for in the same moment are read by one request. */
type Waiting = { ids: Map<string, ((item: Item | undefined) => void)[]>; timer: ReturnType<typeof setTimeout> }
const batches = new Map<string, Waiting>()

function readInBatch(place: Place): Promise<Item | undefined> {
  const list = place.node.parent
  const operation = list?.get
  if (!list || !operation) return Promise.resolve(undefined)
  const values = place.values.slice(0, -1)
  const id = place.values.at(-1) ?? ''
  const key = addressOf(list, values)
  return new Promise((done) => {
    const batch = batches.get(key) ?? { ids: new Map(), timer: setTimeout(() => void readAll(), 10) }
    batches.set(key, batch)
    batch.ids.set(id, [...(batch.ids.get(id) ?? []), done])
    async function readAll() {
      batches.delete(key)
      const ids = [...batch.ids.keys()].slice(0, 100)
      const page = await ask(operation as NonNullable<typeof operation>, {
        values,
        query: takesIds(list) ? { ids, limit: '100' } : {},
      }).catch(() => undefined)
      const items = page === undefined ? [] : pageIn(page).items
      for (const [one, waiting] of batch.ids) {
        const found = items.find((item) => ownValue(place.node, item) === one)
        for (const tell of waiting) tell(found)
      }
    }
  })
}

const takesIds = (list: Node | undefined) => list?.get?.query.some((one) => one.name === 'ids') ?? false
/** One request reads the names of many records: of those that are asked for, or of a list without pages. */
const isCheap = (list: Node | undefined) => takesIds(list) || ['array', 'whole'].includes(list?.get?.page ?? '')

async function readLabel(place: Place, isOne: boolean): Promise<string | null> {
  const { node, values } = place
  const item =
    takesIds(node.parent) || (isCheap(node.parent) && !(isOne && node.get))
      ? await readInBatch(place)
      : node.get && ((await ask(node.get, { values }).catch(() => undefined)) as Item | undefined)
  return item ? labelOf(item) : null
}

/** Null for a record that is gone or cannot be read. `isOne`: reads a record by itself if its list takes no ids. */
export function useLabel(place: Place | undefined, isOne: boolean): string | null | undefined {
  const { data } = useQuery({
    queryKey: ['label', place && addressOf(place.node, place.values)],
    queryFn: () => readLabel(place as Place, isOne),
    enabled: place !== undefined && (isCheap(place.node.parent) || (isOne && place.node.get !== undefined)),
    staleTime: 300_000,
  })
  return data
}
