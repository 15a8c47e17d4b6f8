// A record of the API as a page: its fields, what can be done with it, and the lists below it.
import { Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useHere } from '../access.tsx'
import { ApiProblem } from '../api.ts'
import { chosenColumns, columnsOf, labelOf } from '../document/columns.ts'
import { openForm } from '../document/forms.ts'
import type { Operation } from '../document/operations.ts'
import { propertiesOf, resolved, type Schema, wordsOf } from '../document/schema.ts'
import { pageOf } from '../document/scope.ts'
import {
  actionsOf,
  addressOf,
  type Item,
  type Node,
  type Place,
  resembles,
  shownBelow,
  singular,
  type Tree,
  titleOf,
  verbOf,
} from '../document/tree.ts'
import { useList } from '../list/list-page.tsx'
import { RecordTable, TableSkeleton } from '../list/table.tsx'
import { useRecord } from '../read.ts'
import { subjectOf } from '../timeline/records.ts'
import { Id } from '../ui/copy.tsx'
import { ButtonLink, PageLink } from '../ui/links.tsx'
import { Fault, Loading, PageTitle, Status, Time, useTitle } from '../ui/ui.tsx'
import { currencyIn, Fields, FrameProvider, useMarkets } from '../value.tsx'
import { ActionButtons } from './actions.tsx'
import classes from './record.module.css'

type SectionProps = { title: string; to?: string; actions?: ReactNode; children: ReactNode }

function Section({ title, to, actions, children }: SectionProps) {
  return (
    <section className={classes.section}>
      <header>
        <Title order={2} size="h5">
          {to ? (
            <PageLink to={to} c="inherit" fw={600}>
              {title}
            </PageLink>
          ) : (
            title
          )}
        </Title>
        <Group gap="xs">{actions}</Group>
      </header>
      {children}
    </section>
  )
}

const few = 5

/** The first records of a list below the record. */
function Related({ tree, place, currency }: { tree: Tree; place: Place; currency: string | undefined }) {
  const { may } = useHere()
  const { node, values } = place
  const operation = node.get as Operation
  const query = operation.query.some((one) => one.name === 'limit') ? { limit: String(few) } : {}
  const { data, error } = useList(operation, place, query)
  const to = pageOf(addressOf(node, values))
  const items = data?.items.slice(0, few) ?? []
  const isMore = data !== undefined && (data.cursor !== null || data.items.length > few)
  const main = node.post ?? node.put
  return (
    <Section
      title={titleOf(node)}
      to={to}
      actions={
        <>
          {isMore && (
            <PageLink to={to} size="sm">
              See all
            </PageLink>
          )}
          {main && may(main.access) && (
            <ButtonLink
              size="compact-xs"
              variant="default"
              to={to}
              search={{ [openForm]: main.id }}
              title={main.summary}
            >
              {main === node.put ? 'Edit' : verbOf(main, node)}
            </ButtonLink>
          )}
        </>
      }
    >
      {error ? (
        <Fault error={error} />
      ) : !data ? (
        <TableSkeleton rows={2} />
      ) : items.length === 0 ? (
        <Text className={classes.none}>None</Text>
      ) : (
        <RecordTable
          tree={tree}
          place={place}
          items={items}
          columns={chosenColumns(columnsOf(operation.item, tree.schemas, [], node.key), 5)}
          label={titleOf(node)}
          currency={currency}
        />
      )}
    </Section>
  )
}

/** A record that there is once below this one, such as the payment of an order. */
function Single({ tree, place, currency }: { tree: Tree; place: Place; currency: string | undefined }) {
  const { may } = useHere()
  const { data, error } = useRecord(tree, place)
  const { node, values } = place
  const actions = [...(node.put ? [node.put] : []), ...actionsOf(node)].filter((one) => may(one.access))
  return (
    <Section
      title={titleOf(node)}
      to={pageOf(addressOf(node, values))}
      actions={<ActionButtons tree={tree} place={place} main={undefined} actions={actions} item={data} />}
    >
      {error ? (
        error instanceof ApiProblem && error.status === 404 ? (
          <Text className={classes.none}>None</Text>
        ) : (
          <Fault error={error} />
        )
      ) : !data ? (
        <TableSkeleton rows={2} />
      ) : (
        <FrameProvider frame={{ tree, place }}>
          <div className={classes.card}>
            <Fields schema={answerOf(tree, node)} value={data} currency={currency} />
          </div>
        </FrameProvider>
      )}
    </Section>
  )
}

const answerOf = (tree: Tree, node: Node): Schema => {
  const item = node.parent?.get?.item
  const given = item && node.get && !resembles(node, item, tree.schemas) ? item : (node.get?.answer ?? item)
  return given ? resolved(given, tree.schemas) : {}
}

const isReadable = (node: Node) => !(node.get?.query ?? []).some((one) => one.required)

type Props = { tree: Tree; place: Place; trail?: ReactNode }

export function RecordPage(props: Props) {
  return (
    <FrameProvider frame={{ tree: props.tree, place: props.place }}>
      <Record {...props} />
    </FrameProvider>
  )
}

function Record({ tree, place, trail }: Props) {
  const { may, tenant } = useHere()
  const { node, values } = place
  const { data, error, refetch } = useRecord(tree, place)
  const markets = useMarkets()
  const name = data && node.kind === 'record' ? labelOf(data) : titleOf(node)
  const label = name.startsWith('#') ? `${wordsOf(singular(node.parent?.segment ?? ''))} ${name}` : name
  useTitle(label)
  if (error && !data)
    return (
      <>
        {trail}
        <PageTitle>{label}</PageTitle>
        <Fault error={error} retry={() => void refetch()} />
        <Below tree={tree} place={place} currency={undefined} />
      </>
    )
  if (!data)
    return (
      <>
        {trail}
        <Loading />
      </>
    )
  const currency = currencyIn(data, markets)
  const put = node.put && may(node.put.access) ? node.put : undefined
  const others = [...actionsOf(node), ...(node.delete ? [node.delete] : [])].filter((one) => may(one.access))
  const { id, status, updated_at: updated, updatedAt } = data
  const subject = typeof id === 'string' && node.kind === 'record' ? subjectOf(node, id) : undefined
  const isNamed = Object.keys(propertiesOf(answerOf(tree, node), tree.schemas)).length > 0
  const changed = updated ?? updatedAt
  return (
    <>
      {trail}
      <PageTitle actions={<ActionButtons tree={tree} place={place} main={put} actions={others} item={data} />}>
        {label}
      </PageTitle>
      <div className={classes.under}>
        {typeof status === 'string' && <Status value={status} />}
        {typeof id === 'string' && <Id id={id} whole />}
        {typeof changed === 'number' && (
          <span>
            Changed <Time at={changed} ago />
          </span>
        )}
        {subject && tenant && (
          <PageLink to={`/${tenant.surface}/${tenant.id}/timeline`} search={{ subject }} size="sm">
            What happened
          </PageLink>
        )}
      </div>
      <div className={classes.card}>
        <Fields schema={isNamed ? answerOf(tree, node) : {}} value={withoutShown(data)} currency={currency} />
      </div>
      <Below tree={tree} place={{ node, values }} currency={currency} />
    </>
  )
}

/** What the head of the page says already. */
const withoutShown = (item: Item): Item =>
  Object.fromEntries(
    Object.entries(item).filter(
      ([name, value]) =>
        !/^(id|store_?id|business_?id)$/i.test(name) && !(name === 'status' && typeof value === 'string'),
    ),
  )

function Below({ tree, place, currency }: { tree: Tree; place: Place; currency: string | undefined }) {
  const { may } = useHere()
  const below = shownBelow(place.node).filter((node) => (node.get ? may(node.get.access) : true))
  const open = below.filter((node) => !node.get || !isReadable(node))
  return (
    <>
      {below
        .filter((node) => node.get && isReadable(node))
        .map((node) => {
          const inner = { node, values: place.values }
          if (node.kind === 'list') return <Related key={node.key} tree={tree} place={inner} currency={currency} />
          return node.kind === 'single' ? <Single key={node.key} tree={tree} place={inner} currency={currency} /> : null
        })}
      {open.length > 0 && (
        <Section title="More">
          <Group gap="md">
            {open.map((node) => (
              <PageLink key={node.key} to={pageOf(addressOf(node, place.values))} size="sm">
                {titleOf(node)}
              </PageLink>
            ))}
          </Group>
        </Section>
      )}
    </>
  )
}
