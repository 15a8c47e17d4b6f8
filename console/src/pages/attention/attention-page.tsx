// What a person has to do: grouped by what is done about it, the oldest first, one item open beside the list.
import { Button, Text } from '@mantine/core'
import { Link, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useHere } from '../../kit/access.tsx'
import { isMissing } from '../../kit/answers.ts'
import { countText, type Item, type ItemStatus, useAttention, useItem } from '../../kit/attention.ts'
import { peopleText } from '../../kit/document/schema.ts'
import { agoText, clockText, moneyText } from '../../kit/format.ts'
import { Icon } from '../../kit/ui/icons.tsx'
import { ButtonLink, PageLink, type Search } from '../../kit/ui/links.tsx'
import { Fault, Loading, PageTitle, Quiet, useNow, useTitle } from '../../kit/ui/ui.tsx'
import classes from './attention-page.module.css'
import { Returned } from './connect.tsx'
import { groups, shownItem } from './subjects.ts'

const Detail = lazy(() => import('./detail.tsx').then(({ Detail }) => ({ default: Detail })))

/** The items that are left to do, or those that were recorded lately. */
const viewOf = (status: ItemStatus): Search => (status === 'open' ? {} : { status })

type RowProps = { item: Item; view: Search; isOpen: boolean; isOfAll: boolean }

function Row({ item, view, isOpen, isOfAll }: RowProps) {
  const now = useNow()
  const { id, title, subject, amount, currency, since, due_at: due, tenant } = item
  return (
    <li>
      <Link
        to="."
        search={{ ...view, item: id }}
        className={classes.item}
        data-active={isOpen || undefined}
        aria-current={isOpen || undefined}
        resetScroll={false}
      >
        <span className={classes.itemTitle} dir="auto">
          {peopleText(title)}
        </span>
        <span className={classes.itemAmount}>{amount !== null && currency ? moneyText(amount, currency) : ''}</span>
        <span className={classes.itemAbout}>
          {subject.label && <bdi>{subject.label}</bdi>}
          {subject.label && ' · '}
          {isOfAll && tenant && <bdi>{tenant.key}</bdi>}
          {isOfAll && tenant && ' · '}
          {agoText(since, now)}
          {due !== null && ' · '}
          {due !== null && <span className={classes.due}>due {agoText(due, now)}</span>}
        </span>
      </Link>
    </li>
  )
}

/** How many items the other stores and businesses of the operator have. */
function Elsewhere({ id }: { id: string }) {
  const { data, hasNextPage } = useAttention({ kind: 'account' })
  const others = data?.pages.flatMap(({ items }) => items.filter(({ tenant }) => tenant?.id !== id)) ?? []
  if (others.length === 0) return null
  return (
    <PageLink to="/attention" size="sm">
      {countText(others.length, hasNextPage)} {others.length === 1 ? 'item waits' : 'items wait'} in your other stores
      and businesses
    </PageLink>
  )
}

function Calm({ at, status }: { at: number; status: ItemStatus }) {
  const { zone, tenant } = useHere()
  return (
    <div className={classes.calm} role="status">
      <Icon name="check" size={40} />
      <Text fw={600}>{status === 'open' ? 'Nothing needs you' : 'Nothing was resolved lately'}</Text>
      <Quiet>
        The list has no item. Looked at {clockText(Math.floor(at / 1000), zone)}, and again every ten seconds.
      </Quiet>
      {status === 'open' && tenant && <Elsewhere id={tenant.id} />}
    </div>
  )
}

function Views({ status }: { status: ItemStatus }) {
  const views: [ItemStatus, string][] = [
    ['open', 'To do'],
    ['resolved', 'Recently resolved'],
  ]
  return (
    <nav className={classes.views} aria-label="Which items">
      {views.map(([one, name]) => (
        <Link
          key={one}
          to="."
          search={viewOf(one)}
          // The address may name an item as well.
          activeOptions={{ exact: true }}
          aria-current={one === status ? 'page' : undefined}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}

/**
 * The item that the address names, wherever it is: in the list, resolved meanwhile, or beyond the pages that are
 * loaded.
 */
function useChosen(items: readonly Item[] | undefined) {
  const { scope } = useHere()
  const search = useSearch({ strict: false }) as Search
  const chosen = [search.item].flat()[0]
  const found = items?.find(({ id }) => id === chosen)
  const { data, error } = useItem(scope, items && !found ? chosen : undefined)
  // What was mended while it was open is no item any more; it stays open as it was.
  const [kept, setKept] = useState<Item>()
  useEffect(() => {
    if (found) setKept(found)
  }, [found])
  const last = found ?? [data, kept].find((one) => one?.id === chosen)
  return { chosen, shown: last && shownItem(last, error), error }
}

export function AttentionPage() {
  const { scope, zone } = useHere()
  const search = useSearch({ strict: false }) as Search
  const status: ItemStatus = [search.status].flat()[0] === 'resolved' ? 'resolved' : 'open'
  const list = useAttention(scope, status)
  const { data, error, refetch, dataUpdatedAt, hasNextPage, fetchNextPage, isFetchingNextPage } = list
  useTitle('Attention')
  const items = data?.pages.flatMap((page) => page.items)
  const { chosen, shown, error: missing } = useChosen(items)
  const isOfAll = scope.kind !== 'tenant'
  const named: readonly [string, string][] = status === 'open' ? groups : [['resolved', 'Recently resolved']]
  const sections = named
    .map(([group, title]) => ({
      title,
      items: items?.filter((item) => status === 'resolved' || item.group === group) ?? [],
    }))
    .filter((section) => section.items.length > 0)
  if (error && !data) return <Fault error={error} retry={() => void refetch()} />
  if (!items) return <Loading />
  const calm = <Calm at={dataUpdatedAt} status={status} />
  return (
    <>
      <PageTitle
        actions={
          <span className={classes.looked} role="status">
            Looked at {clockText(Math.floor(dataUpdatedAt / 1000), zone)} ({zone})
          </span>
        }
      >
        Attention
      </PageTitle>
      <Views status={status} />
      {items.length === 0 && !chosen ? (
        calm
      ) : (
        <div className={classes.layout} data-open={chosen !== undefined || undefined}>
          <div className={classes.groups}>
            {items.length === 0 && calm}
            {sections.map(({ title, items: own }) => (
              <section key={title} className={classes.group} aria-label={title}>
                <h2 className={classes.groupName}>
                  {title} <span>{countText(own.length, hasNextPage)}</span>
                </h2>
                <ul className={classes.items}>
                  {own.map((item) => (
                    <Row
                      key={item.id}
                      item={item}
                      view={viewOf(status)}
                      isOpen={item.id === chosen}
                      isOfAll={isOfAll}
                    />
                  ))}
                </ul>
              </section>
            ))}
            {hasNextPage && (
              <Button
                variant="default"
                size="xs"
                mt="md"
                fullWidth
                loading={isFetchingNextPage}
                onClick={() => void fetchNextPage()}
              >
                Show more
              </Button>
            )}
          </div>
          <div className={classes.side}>
            {chosen && (
              <ButtonLink
                to="."
                search={viewOf(status)}
                variant="subtle"
                size="compact-sm"
                className={classes.back ?? ''}
                leftSection={<Icon name="left" size={15} />}
              >
                Back to the list
              </ButtonLink>
            )}
            <Returned search={search} item={shown} />
            {shown ? (
              <Suspense fallback={<Loading />}>
                <Detail key={shown.id} item={shown} />
              </Suspense>
            ) : !chosen ? (
              <div className={classes.calm}>
                <Quiet>Choose an item to see what is known about it, and what to do.</Quiet>
              </div>
            ) : !missing ? (
              <Loading />
            ) : (
              // What was connected has ended its item.
              !(isMissing(missing) && search.social_connection_id) && <Fault error={missing} />
            )}
          </div>
        </div>
      )}
    </>
  )
}
