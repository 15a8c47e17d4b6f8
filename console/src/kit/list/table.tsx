// A table of records. Its columns come from the schema of its items.
import { Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { at, type Column, labelOf } from '../document/columns.ts'
import { pageOf } from '../document/scope.ts'
import { addressOf, type Item, type Place, placeOf, type Tree } from '../document/tree.ts'
import { Icon } from '../ui/icons.tsx'
import { currencyIn, FrameProvider, InlineValue, pictureOf, useMarkets } from '../value.tsx'
import classes from './list.module.css'

export type Sorting = { field: string; direction: 'asc' | 'desc'; by(field: string): void }

const isAtEnd = ({ value }: Column, rank: number) =>
  rank > 0 && ['money', 'number', 'share', 'bytes'].includes(value.shape.kind)

function Head({ columns, sorting }: { columns: readonly Column[]; sorting: Sorting | undefined }) {
  return (
    <thead>
      <tr>
        {columns.map((column, rank) => {
          const { label, sort } = column
          const isBy = sorting !== undefined && sort === sorting.field
          const order = isBy ? (sorting.direction === 'asc' ? 'ascending' : 'descending') : undefined
          return (
            <th
              key={column.path.join('.')}
              scope="col"
              data-rank={rank}
              data-end={isAtEnd(column, rank) || undefined}
              aria-sort={order}
            >
              {sort && sorting ? (
                <button type="button" className={classes.sort} onClick={() => sorting.by(sort)}>
                  {label}
                  {isBy && <Icon name={sorting.direction === 'asc' ? 'up' : 'down'} size={13} />}
                </button>
              ) : (
                label
              )}
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

const keyOf = (item: Item, index: number) =>
  typeof item.id === 'string' ? item.id : String(item.account_id ?? item.key ?? index)

type Props = {
  tree: Tree
  place: Place
  items: readonly Item[]
  columns: readonly Column[]
  label: string
  sorting?: Sorting | undefined
  isStale?: boolean
  currency?: string | undefined
}

type CellProps = { column: Column; item: Item; currency: string | undefined; isPlain: boolean }

function Cell({ column, item, currency, isPlain }: CellProps) {
  const { path, value } = column
  return (
    <InlineValue
      name={path.at(-1) ?? ''}
      schema={value.schema}
      value={at(item, path)}
      item={item}
      currency={currency}
      isPlain={isPlain}
    />
  )
}

export function RecordTable({ tree, place, items, columns, label, sorting, isStale, currency: around }: Props) {
  return (
    <FrameProvider frame={{ tree, place }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <section className={classes.frame} data-stale={isStale || undefined} tabIndex={0} aria-label={label}>
        <table className={classes.table}>
          <Head columns={columns} sorting={sorting} />
          <Rows tree={tree} place={place} items={items} columns={columns} around={around} />
        </table>
      </section>
    </FrameProvider>
  )
}

function Rows({
  tree,
  place,
  items,
  columns,
  around,
}: Pick<Props, 'tree' | 'place' | 'items' | 'columns'> & { around: string | undefined }) {
  const markets = useMarkets()
  return (
    <tbody>
      {items.map((item, index) => {
        const target = placeOf(tree, place, item)
        const currency = currencyIn(item, markets, around)
        return (
          <tr key={keyOf(item, index)} className={target ? classes.row : undefined}>
            {columns.map((column, rank) => {
              const cell = (
                <Cell column={column} item={item} currency={currency} isPlain={rank === 0 && target !== undefined} />
              )
              const picture = rank === 0 ? pictureOf(item) : undefined
              return (
                <td key={column.path.join('.')} data-rank={rank} data-end={isAtEnd(column, rank) || undefined}>
                  {picture && <img className={classes.thumb} src={picture} alt="" loading="lazy" />}
                  {rank === 0 && target ? (
                    <Link to={pageOf(addressOf(target.node, target.values))} className={classes.open}>
                      {column.path[0] === 'number' ? labelOf(item) : cell}
                    </Link>
                  ) : (
                    cell
                  )}
                </td>
              )
            })}
          </tr>
        )
      })}
    </tbody>
  )
}

export const TableSkeleton = ({ rows = 8 }: { rows?: number }) => (
  <div className={classes.frame} aria-hidden="true">
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are alike
      <Skeleton key={row} height={14} m={14} width={`${90 - ((row * 17) % 45)}%`} />
    ))}
  </div>
)
