// Chooses a record by its name, and gives its id.
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { useHere } from '../access.tsx'
import { ask } from '../api.ts'
import { labelOf, nameIn } from '../document/columns.ts'
import {
  addressOf,
  type Item,
  type Node,
  type Place,
  placeNamed,
  type Source,
  sourceAround,
  type Tree,
} from '../document/tree.ts'
import { isUuid, shortId, timeText } from '../format.ts'
import { useLabel } from '../labels.ts'

/** The list that holds what a field names: `contact_id` → the contacts. */
export function listNamed(tree: Tree, name: string, at: Place, item: Item): Source | undefined {
  const place = placeNamed(tree, name, 'id', item, at)
  const node = place?.node.parent
  return node?.get?.item ? { node, values: place?.values.slice(0, -1) ?? [] } : sourceAround(tree, name, at)
}

/** Records without a name are distinguished by the time of their creation; lines of one name by what they are of. */
function choiceOf(item: Item, zone: string): string {
  const created = item.created_at ?? item.createdAt
  const name = nameIn(item)
  if (!name) return typeof created === 'number' ? `${timeText(created, zone)} ${labelOf(item)}` : labelOf(item)
  const sku = typeof item.sku === 'string' && item.sku !== name ? [item.sku] : []
  return [name, ...sku, ...(typeof item.quantity === 'number' ? [`× ${item.quantity}`] : [])].join(' ')
}

export const yesOrNo = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

type Props = {
  list: Source
  value: string | null
  change(id: string | null): void
  label: ReactNode
  description?: ReactNode
  error?: ReactNode
  isRequired?: boolean
  isNarrow?: boolean
}

export function RecordSelect({ list, value, change, label, description, error, isRequired, isNarrow }: Props) {
  const { zone } = useHere()
  const [words, setWords] = useState('')
  const picked = useRef<string>(undefined)
  const [settled] = useDebouncedValue(words, 250)
  const operation = list.node.get as NonNullable<Node['get']>
  const has = (name: string) => operation.query.some((one) => one.name === name)
  const path = addressOf(list.node, list.values)
  const record = list.within ? undefined : list.node.children.find((child) => child.segment === '{}')
  const chosen = useLabel(value && record ? { node: record, values: [...list.values, value] } : undefined, true)
  const { data } = useQuery({
    queryKey: ['choices', path, list.within, settled],
    queryFn: async () => {
      // A number is shown with a sign that the API does not search for.
      const searched = settled.replace(/^#(?=\d)/, '')
      const query = {
        ...(has('query') && searched ? { query: searched } : {}),
        ...(has('limit') ? { limit: '50' } : {}),
      }
      const page = await ask(operation, { values: list.values, query })
      return (Array.isArray(page) ? page : (page as Record<string, Item[]>)[list.within ?? 'items']) as Item[]
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
  const found = (data ?? []).flatMap((item) =>
    typeof item.id === 'string' ? [{ value: item.id, label: choiceOf(item, zone) }] : [],
  )
  const isListed = (id: string) => found.some((one) => one.value === id)
  const pasted = words.trim().toLowerCase()
  const options = [
    ...(value && !isListed(value) ? [{ value, label: chosen ?? shortId(value) }] : []),
    // The list may not search by ids, or be too long to show the record.
    ...(isUuid(pasted) && pasted !== value && !isListed(pasted) ? [{ value: pasted, label: pasted }] : []),
    ...found,
  ]
  const labelNow = options.find((one) => one.value === value)?.label
  return (
    <Select
      label={label}
      description={description}
      error={error}
      required={isRequired ?? false}
      data={options}
      value={value}
      onChange={(id) => {
        picked.current = options.find((one) => one.value === id)?.label
        change(id)
      }}
      // The name of the record that was chosen is no search.
      onSearchChange={(text) => setWords([picked.current, labelNow].includes(text) ? '' : text)}
      // The API searches where it can; what it found is shown as it is.
      filter={has('query') || isUuid(pasted) ? ({ options: all }) => all : undefined}
      searchable
      clearable
      placeholder="Search by number or name, or paste an id"
      nothingFoundMessage="Nothing found"
      comboboxProps={{ withinPortal: !isNarrow }}
    />
  )
}
