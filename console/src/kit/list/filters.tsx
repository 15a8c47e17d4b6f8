// The filters of a list are the query parameters that the API takes. They are in the address of the page.
import { Button, Group, Menu, MultiSelect, NumberInput, Popover, Select, Stack, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { useHere } from '../access.tsx'
import type { Operation, Parameter } from '../document/operations.ts'
import { describe, fieldName, type Shape, wordsOf } from '../document/schema.ts'
import type { Place, Tree } from '../document/tree.ts'
import { isTime, shortId, timeText, unixOf, wallClock } from '../format.ts'
import { useLabel } from '../labels.ts'
import { Icon } from '../ui/icons.tsx'
import type { Search } from '../ui/links.tsx'
import classes from './list.module.css'
import { listNamed, RecordSelect, yesOrNo } from './record-select.tsx'

const ofPages = /^(cursor|limit|sort_?field|sort_?direction|locale)$/i
export const filtersOf = (operation: Operation): Parameter[] =>
  operation.query.filter((one) => !ofPages.test(one.name) && !(one.name === 'query' && !one.required))
export const hasSearch = (operation: Operation): boolean =>
  operation.query.some((one) => one.name === 'query' && !one.required)

type Given = string | string[] | undefined
type FieldProps = {
  tree: Tree
  place: Place
  parameter: Parameter
  value: Given
  change(value: Given): void
  isNarrow?: boolean
}

const one = (value: Given): string => [value].flat()[0] ?? ''
const choices = (shape: Shape) =>
  shape.kind === 'choice' ? shape.values.map((value) => ({ value: String(value), label: wordsOf(String(value)) })) : []

const labelOf = ({ tree, parameter: { name, schema, description } }: Pick<FieldProps, 'tree' | 'parameter'>) =>
  fieldName(name, describe(name, { ...schema, description }, tree.schemas))

/** The input of one parameter. */
export function FilterField({ tree, place, parameter, value, change, isNarrow = true }: FieldProps) {
  const { zone } = useHere()
  const { name, schema, description } = parameter
  const { shape } = describe(name, { ...schema, description }, tree.schemas)
  const inner = shape.kind === 'list' ? describe(name, shape.item, tree.schemas).shape : shape
  const label = labelOf({ tree, parameter })
  const about = { label, description: description || undefined, required: parameter.required }
  const list = inner.kind === 'id' ? listNamed(tree, name, place, {}) : undefined
  if (list)
    return (
      <RecordSelect
        list={list}
        value={one(value) || null}
        change={(id) => change(id ?? undefined)}
        label={label}
        description={description}
        isRequired={parameter.required}
        isNarrow={isNarrow}
      />
    )
  if (shape.kind === 'list' && inner.kind === 'choice')
    return (
      <MultiSelect
        {...about}
        data={choices(inner)}
        value={[value ?? []].flat()}
        onChange={change}
        comboboxProps={{ withinPortal: !isNarrow }}
      />
    )
  if (inner.kind === 'choice' || inner.kind === 'boolean')
    return (
      <Select
        {...about}
        data={inner.kind === 'choice' ? choices(inner) : yesOrNo}
        value={one(value) || null}
        onChange={(text) => change(text ?? undefined)}
        clearable
        comboboxProps={{ withinPortal: !isNarrow }}
      />
    )
  if (inner.kind === 'time') {
    const shown = one(value) && isTime(Number(one(value))) ? wallClock(Number(one(value)), zone).slice(0, 16) : ''
    return (
      <TextInput
        {...about}
        type="datetime-local"
        defaultValue={shown}
        onChange={({ currentTarget }) => change(unixOf(currentTarget.value, zone)?.toString())}
      />
    )
  }
  if (inner.kind === 'number' || inner.kind === 'money')
    return (
      <NumberInput
        {...about}
        value={one(value)}
        onChange={(number) => change(number === '' ? undefined : String(number))}
      />
    )
  return (
    <TextInput
      {...about}
      value={one(value)}
      onChange={({ currentTarget }) => change(currentTarget.value || undefined)}
    />
  )
}

function TextOf({ tree, place, parameter, value }: Omit<FieldProps, 'change'>) {
  const { zone } = useHere()
  const { shape } = describe(parameter.name, { ...parameter.schema, description: parameter.description }, tree.schemas)
  const text = one(value)
  const list = shape.kind === 'id' ? listNamed(tree, parameter.name, place, {}) : undefined
  const record = list?.node.children.find((child) => child.segment === '{}')
  const label = useLabel(record && list ? { node: record, values: [...list.values, text] } : undefined, true)
  if (shape.kind === 'time' && isTime(Number(text))) return timeText(Number(text), zone)
  if (shape.kind === 'boolean') return text === 'true' ? 'yes' : 'no'
  if (shape.kind === 'id') return label ?? shortId(text)
  const inner = shape.kind === 'list' ? describe(parameter.name, shape.item, tree.schemas).shape : shape
  return [value ?? []]
    .flat()
    .map(inner.kind === 'choice' ? wordsOf : String)
    .join(', ')
}

function Chip({ isNew, ...props }: FieldProps & { isNew: boolean }) {
  const [isOpen, setOpen] = useState(isNew)
  const [draft, setDraft] = useState<Given>(props.value)
  useEffect(() => setDraft(props.value), [props.value])
  const label = labelOf(props)
  const apply = () => {
    setOpen(false)
    props.change(draft)
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" width={300} trapFocus>
      <Popover.Target>
        <Button.Group>
          <Button size="xs" variant="default" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
            {label}
            {props.value !== undefined && (
              <>
                :&nbsp;
                <span dir="auto">
                  <TextOf {...props} />
                </span>
              </>
            )}
          </Button>
          <Button
            size="xs"
            variant="default"
            px={6}
            aria-label={`Remove the filter ${label}`}
            onClick={() => props.change(undefined)}
          >
            <Icon name="close" size={13} />
          </Button>
        </Button.Group>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            apply()
          }}
        >
          <Stack gap="sm">
            <FilterField {...props} value={draft} change={setDraft} />
            <Group justify="flex-end">
              <Button type="submit" size="xs">
                Apply
              </Button>
            </Group>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}

type BarProps = {
  tree: Tree
  place: Place
  operation: Operation
  search: Search
  change(search: Search): void
  children?: React.ReactNode
}

export function FilterBar({ tree, place, operation, search, change, children }: BarProps) {
  const [added, setAdded] = useState<string>()
  const [words, setWords] = useState(one(search.query))
  const given = one(search.query)
  useEffect(() => setWords(given), [given])
  const look = useDebouncedCallback((text: string) => change({ query: text || undefined }), 300)
  const filters = filtersOf(operation)
  const shown = filters.filter((filter) => search[filter.name] !== undefined || filter.name === added)
  const others = filters.filter((filter) => !shown.includes(filter))
  return (
    <search className={classes.bar}>
      {hasSearch(operation) && (
        <TextInput
          className={classes.search}
          size="xs"
          type="search"
          aria-label="Search"
          placeholder="Search"
          leftSection={<Icon name="search" size={15} />}
          value={words}
          dir="auto"
          onChange={({ currentTarget }) => {
            setWords(currentTarget.value)
            look(currentTarget.value.trim())
          }}
        />
      )}
      {shown.map((parameter) => (
        <Chip
          key={parameter.name}
          tree={tree}
          place={place}
          parameter={parameter}
          value={search[parameter.name]}
          isNew={parameter.name === added && search[parameter.name] === undefined}
          change={(value) => {
            setAdded(undefined)
            change({ [parameter.name]: value })
          }}
        />
      ))}
      {others.length > 0 && (
        <Menu position="bottom-start" shadow="md" width={240}>
          <Menu.Target>
            <Button
              size="xs"
              variant="subtle"
              color="gray"
              c="var(--mantine-color-text)"
              leftSection={<Icon name="filter" size={15} />}
            >
              Filter
            </Button>
          </Menu.Target>
          <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
            {others.map((parameter) => (
              <Menu.Item key={parameter.name} onClick={() => setAdded(parameter.name)}>
                {labelOf({ tree, parameter })}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {children}
    </search>
  )
}
