// A list of the API as a page: search, filters, sort order and page are in its address, records are pages of their own.
import { ActionIcon, Button, Checkbox, Group, Menu, Popover, ScrollArea, Stack, Text, Tooltip } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useHere } from '../access.tsx'
import { ask } from '../api.ts'
import { type Column, chosenColumns, columnsOf } from '../document/columns.ts'
import type { Operation } from '../document/operations.ts'
import { wordsOf } from '../document/schema.ts'
import { pageOf } from '../document/scope.ts'
import { actionsOf, addressOf, type Place, shownBelow, type Tree, titleOf } from '../document/tree.ts'
import { pageIn, useAround } from '../read.ts'
import { ActionButtons } from '../record/actions.tsx'
import { Icon } from '../ui/icons.tsx'
import { PageLink, type Search } from '../ui/links.tsx'
import { Empty, Fault, PageTitle, useTitle } from '../ui/ui.tsx'
import { currencyIn } from '../value.tsx'
import { FilterBar, FilterField, filtersOf } from './filters.tsx'
import classes from './list.module.css'
import { RecordTable, type Sorting, TableSkeleton } from './table.tsx'

const pageSize = 50
const sortNames = (operation: Operation) => {
  const field = operation.query.find((one) => /^sort_?field$/i.test(one.name))
  const direction = operation.query.find((one) => /^sort_?direction$/i.test(one.name))
  return field && direction
    ? { field: field.name, direction: direction.name, fields: field.schema.enum as string[] }
    : undefined
}

const has = (operation: Operation, name: string) => operation.query.some((one) => one.name === name)
const only = (operation: Operation, search: Search): Search =>
  Object.fromEntries(Object.entries(search).filter(([name]) => has(operation, name)))

export function useList(operation: Operation, place: Place, query: Search, isEnabled = true) {
  return useQuery({
    queryKey: ['list', addressOf(place.node, place.values), query],
    queryFn: async ({ signal }) => pageIn(await ask(operation, { values: place.values, query, signal })),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  })
}

// The API's cursors lead forward. The pages that were seen are remembered, so that there is a way back.
const seen = new Map<string, (string | undefined)[]>()

type PagesProps = { of: string; cursor: string | undefined; next: string | null; go(cursor?: string): void }

function Pages({ of, cursor, next, go }: PagesProps) {
  const trail = seen.get(of) ?? [undefined]
  seen.set(of, trail)
  const index = trail.indexOf(cursor)
  if (cursor === undefined && next === null) return null
  return (
    <div className={classes.foot}>
      <Text size="xs" c="dimmed">
        {cursor === undefined ? 'First page' : index > 0 ? `Page ${index + 1}` : ''}
      </Text>
      <Group gap="xs">
        {cursor !== undefined && (
          <Button size="xs" variant="default" onClick={() => go(index > 0 ? trail[index - 1] : undefined)}>
            {index > 0 ? 'Previous' : 'First page'}
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          disabled={next === null}
          onClick={() => {
            if (index >= 0) seen.set(of, [...trail.slice(0, index + 1), next ?? undefined])
            go(next ?? undefined)
          }}
        >
          Next
        </Button>
      </Group>
    </div>
  )
}

const choicesKey = (path: string) => `columns ${path}`
function rememberedColumns(path: string): string[] | undefined {
  try {
    return JSON.parse(localStorage.getItem(choicesKey(path)) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

function useColumns(tree: Tree, place: Place, operation: Operation) {
  const all = columnsOf(operation.item, tree.schemas, sortNames(operation)?.fields ?? [], place.node.key)
  const [names, setNames] = useState(() => rememberedColumns(place.node.key))
  const byName = (name: string) => all.find((column) => column.path.join('.') === name)
  const columns = names?.map(byName).filter((one): one is Column => one !== undefined) ?? chosenColumns(all)
  return {
    all,
    columns: columns.length > 0 ? columns : chosenColumns(all),
    choose(next: string[] | undefined) {
      setNames(next)
      if (next) localStorage.setItem(choicesKey(place.node.key), JSON.stringify(next))
      else localStorage.removeItem(choicesKey(place.node.key))
    },
  }
}

function ColumnChoice({ all, columns, choose }: ReturnType<typeof useColumns>) {
  const chosen = columns.map((column) => column.path.join('.'))
  return (
    <Popover position="bottom-end" width={240} trapFocus>
      <Popover.Target>
        <Tooltip label="Columns">
          <ActionIcon variant="subtle" color="gray" c="var(--mantine-color-text)" size="md" aria-label="Columns">
            <Icon name="columns" size={16} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown p="xs">
        <ScrollArea.Autosize mah={320} type="auto">
          <Checkbox.Group
            value={chosen}
            onChange={(names) => choose(all.map((one) => one.path.join('.')).filter((name) => names.includes(name)))}
          >
            <Stack gap={6} p={6}>
              {all.map((column) => (
                <Checkbox key={column.path.join('.')} size="xs" value={column.path.join('.')} label={column.label} />
              ))}
            </Stack>
          </Checkbox.Group>
        </ScrollArea.Autosize>
        <Button size="compact-xs" variant="subtle" mt={6} onClick={() => choose(undefined)}>
          As chosen by the console
        </Button>
      </Popover.Dropdown>
    </Popover>
  )
}

type SortProps = { sorting: Sorting; fields: readonly string[]; columns: readonly Column[] }

function SortMenu({ sorting, fields, columns }: SortProps) {
  // As the head of the column says it.
  const labelOf = (field: string) => columns.find(({ sort }) => sort === field)?.label ?? wordsOf(field)
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          c="var(--mantine-color-text)"
          aria-label={`Sorted by ${labelOf(sorting.field)}`}
          rightSection={<Icon name={sorting.direction === 'asc' ? 'up' : 'down'} size={13} />}
        >
          {labelOf(sorting.field)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Sort by</Menu.Label>
        {fields.map((field) => (
          <Menu.Item key={field} onClick={() => sorting.by(field)}>
            {labelOf(field)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

type Props = { tree: Tree; place: Place; trail?: ReactNode }

export function ListPage({ tree, place, trail }: Props) {
  const { may } = useHere()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const { node } = place
  const operation = node.get as Operation
  const given = only(operation, search)
  const required = operation.query.filter((one) => one.required && !/^limit$/.test(one.name))
  const isReady = required.every((one) => given[one.name] !== undefined)
  const query = has(operation, 'limit') ? { limit: String(pageSize), ...given } : given
  const { data, error, isPlaceholderData, refetch } = useList(operation, place, query, isReady)
  const choice = useColumns(tree, place, operation)
  const go = (changes: Search) => void navigate({ to: '.', search: { ...search, cursor: undefined, ...changes } })
  const names = sortNames(operation)
  const sorting: Sorting | undefined = names && {
    field: String(given[names.field] ?? names.fields[0]),
    direction: given[names.direction] === 'asc' ? 'asc' : 'desc',
    by(field) {
      const isSame = field === (given[names.field] ?? names.fields[0])
      const direction = isSame && given[names.direction] !== 'asc' ? 'asc' : isSame ? 'desc' : 'desc'
      go({ [names.field]: field, [names.direction]: direction })
    },
  }
  const title = titleOf(node)
  useTitle(title)
  const isFiltered = filtersOf(operation).some((one) => given[one.name] !== undefined) || given.query !== undefined
  const main = [node.post, node.put].find((one) => one && may(one.access))
  const actions = actionsOf(node).filter((one) => one !== main && may(one.access))
  const hasMoney = choice.all.some(({ value }) => value.shape.kind === 'money')
  const around = useAround(tree, place, hasMoney)
  const beside = shownBelow(node).filter((one) => !one.get || may(one.get.access))
  const { cursor, ...ofPages } = given
  return (
    <>
      {trail}
      <PageTitle actions={<ActionButtons tree={tree} place={place} main={main} actions={actions} item={undefined} />}>
        {title}
      </PageTitle>
      {beside.length > 0 && (
        <Group component="nav" aria-label="Beside this list" gap="md" mb="sm">
          {beside.map((one) => (
            <PageLink key={one.key} to={pageOf(addressOf(one, place.values))} size="sm">
              {titleOf(one)}
            </PageLink>
          ))}
        </Group>
      )}
      {required.length > 0 && (
        <Stack gap="sm" maw={420} mb="md">
          {required.map((parameter) => (
            <FilterField
              key={parameter.name}
              tree={tree}
              place={place}
              parameter={parameter}
              value={given[parameter.name]}
              change={(value) => go({ [parameter.name]: value })}
              isNarrow={false}
            />
          ))}
        </Stack>
      )}
      <FilterBar tree={tree} place={place} operation={operation} search={given} change={go}>
        <Group gap={4} ml="auto">
          {sorting && names && <SortMenu sorting={sorting} fields={names.fields} columns={choice.all} />}
          <ColumnChoice {...choice} />
        </Group>
      </FilterBar>
      {!isReady ? (
        <Empty title="Choose what to list">
          <Text size="sm">{operation.summary}.</Text>
        </Empty>
      ) : error && !data ? (
        <Fault error={error} retry={() => void refetch()} />
      ) : !data ? (
        <TableSkeleton />
      ) : data.items.length === 0 ? (
        <Empty title={isFiltered ? 'Nothing matches the filters' : `No ${title.toLowerCase()} yet`}>
          {isFiltered ? (
            <Button size="xs" variant="default" onClick={() => void navigate({ to: '.', search: {} })}>
              Clear the filters
            </Button>
          ) : (
            <Text size="sm" maw={420}>
              {tree.tags.find((tag) => tag.name === node.tag)?.description}
            </Text>
          )}
        </Empty>
      ) : (
        <>
          <RecordTable
            tree={tree}
            place={place}
            items={data.items}
            columns={choice.columns}
            label={title}
            sorting={sorting}
            currency={currencyIn(around, new Map())}
            isStale={isPlaceholderData}
          />
          <Pages
            of={`${addressOf(node, place.values)}${JSON.stringify(ofPages)}`}
            cursor={[cursor].flat()[0]}
            next={data.cursor}
            go={(next) => go({ cursor: next })}
          />
        </>
      )}
    </>
  )
}
