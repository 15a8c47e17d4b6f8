// What a person has to do: grouped by what is done about it, the oldest first, one item open beside the list.
import { Button, Text } from '@mantine/core'
import { Link, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useHere } from '../../kit/access.tsx'
import { countText, type Item, useAttention } from '../../kit/attention.ts'
import { plainText } from '../../kit/document/schema.ts'
import { agoText, clockText, moneyText } from '../../kit/format.ts'
import { Icon } from '../../kit/ui/icons.tsx'
import { ButtonLink, type Search } from '../../kit/ui/links.tsx'
import { Fault, Loading, PageTitle, useNow, useTitle } from '../../kit/ui/ui.tsx'
import classes from './attention-page.module.css'

const Detail = lazy(() => import('./detail.tsx').then(({ Detail }) => ({ default: Detail })))

const groups: [group: Item['group'], title: string][] = [
  ['dispute', 'Answer a dispute'],
  ['outcome', 'Find out what became of it'],
  ['money', 'Put money right'],
  ['stopped', 'Mend it, and start it again'],
  ['reconnect', 'Connect the account again'],
]

function Row({ item, isOpen, isOfAll }: { item: Item; isOpen: boolean; isOfAll: boolean }) {
  const now = useNow()
  const { id, title, subject, amount, currency, since, due_at: due, tenant } = item
  return (
    <li>
      <Link
        to="."
        search={{ item: id }}
        className={classes.item}
        data-active={isOpen || undefined}
        aria-current={isOpen || undefined}
        resetScroll={false}
      >
        <span className={classes.itemTitle} dir="auto">
          {plainText(title)}
        </span>
        <span className={classes.itemAmount}>{amount !== null && currency ? moneyText(amount, currency) : ''}</span>
        <span className={classes.itemAbout}>
          {subject.label && (
            <>
              <span dir="auto">{subject.label}</span> ·{' '}
            </>
          )}
          {isOfAll && tenant && (
            <>
              <span dir="auto">{tenant.key}</span> ·{' '}
            </>
          )}
          {agoText(since, now)}
          {due !== null && (
            <>
              {' · '}
              <span className={classes.due}>due {agoText(due, now)}</span>
            </>
          )}
        </span>
      </Link>
    </li>
  )
}

function Calm({ at }: { at: number }) {
  const { zone } = useHere()
  return (
    <div className={classes.calm} role="status">
      <Icon name="check" size={40} />
      <Text fw={600}>Nothing needs you</Text>
      <Text size="sm" c="dimmed">
        The list has no item. Looked at {clockText(Math.floor(at / 1000), zone)}, and again every ten seconds.
      </Text>
    </div>
  )
}

export function AttentionPage() {
  const { scope, zone } = useHere()
  const search = useSearch({ strict: false }) as Search
  const { data, error, refetch, dataUpdatedAt, hasNextPage, fetchNextPage, isFetchingNextPage } = useAttention(scope)
  useTitle('Attention')
  const items = data?.pages.flatMap((page) => page.items) ?? []
  const chosen = [search.item].flat()[0]
  const found = items.find(({ id }) => id === chosen)
  // What was just recorded leaves the list; it stays open, so that it can be corrected.
  const [kept, setKept] = useState<Item>()
  useEffect(() => {
    if (found) setKept(found)
  }, [found])
  const shown = found ?? (kept?.id === chosen ? kept : undefined)
  const isOfAll = scope.kind !== 'tenant'
  const sections = groups
    .map(([group, title]) => ({ group, title, items: items.filter((item) => item.group === group) }))
    .filter((section) => section.items.length > 0)
  if (error && !data) return <Fault error={error} retry={() => void refetch()} />
  if (!data) return <Loading />
  return (
    <>
      <PageTitle
        actions={
          <span className={classes.looked} role="status">
            Looked at {clockText(Math.floor(dataUpdatedAt / 1000), zone)}
          </span>
        }
      >
        Attention
      </PageTitle>
      {items.length === 0 && !shown ? (
        <Calm at={dataUpdatedAt} />
      ) : (
        <div className={classes.layout} data-open={shown !== undefined || undefined}>
          <div className={classes.groups}>
            {items.length === 0 && <Calm at={dataUpdatedAt} />}
            {sections.map(({ group, title, items: own }) => (
              <section key={group} className={classes.group} aria-label={title}>
                <h2 className={classes.groupName}>
                  {title} <span>{countText(own.length, hasNextPage)}</span>
                </h2>
                <ul className={classes.items}>
                  {own.map((item) => (
                    <Row key={item.id} item={item} isOpen={item.id === shown?.id} isOfAll={isOfAll} />
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
            {shown ? (
              <>
                <ButtonLink
                  to="."
                  variant="subtle"
                  size="compact-sm"
                  className={classes.back ?? ''}
                  leftSection={<Icon name="left" size={15} />}
                >
                  Back to the list
                </ButtonLink>
                <Suspense fallback={<Loading />}>
                  <Detail key={shown.id} item={shown} isDone={found === undefined} />
                </Suspense>
              </>
            ) : (
              <div className={classes.calm}>
                <Text size="sm" c="dimmed">
                  Choose an item to see what is known about it, and what to do.
                </Text>
              </div>
            )}
          </div>
        </div>
      )}
    </>
  )
}
