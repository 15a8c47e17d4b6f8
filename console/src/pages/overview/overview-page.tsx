// How a store does: what it sold by day, how its effects ended, what waits, and what it lacks to sell.
import { Alert, Group, SegmentedControl, Select, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { useHere } from '../../kit/access.tsx'
import { peopleText, wordsOf } from '../../kit/document/schema.ts'
import type { Tenant } from '../../kit/document/scope.ts'
import { agoText, lengthText, moneyText } from '../../kit/format.ts'
import { FormLink } from '../../kit/record/form-link.tsx'
import { Icon } from '../../kit/ui/icons.tsx'
import { neededId, PageLink, type Search } from '../../kit/ui/links.tsx'
import { Fault, Loading, PageTitle, Quiet, Status, Time, useNow, useTitle } from '../../kit/ui/ui.tsx'
import { type Check, type Figures, type Overview, overviewQuery, readinessQuery } from './figures.ts'
import { type Outcomes, outcomesOf, series, toneNames, tones, totalOf } from './outcomes.ts'
import classes from './overview-page.module.css'

const SalesChart = lazy(() => import('./charts.tsx').then(({ SalesChart }) => ({ default: SalesChart })))
const CountChart = lazy(() => import('./charts.tsx').then(({ CountChart }) => ({ default: CountChart })))

const Card = ({ title, children }: { title: ReactNode; children: ReactNode }) => (
  <section className={classes.card}>
    <h2>{title}</h2>
    {children}
  </section>
)

const Stat = ({ title, figure, beside }: { title: string; figure: ReactNode; beside: ReactNode }) => (
  <section className={`${classes.card} ${classes.stat}`}>
    <h2>{title}</h2>
    <div className={classes.figure}>{figure}</div>
    <div className={classes.beside}>{beside}</div>
  </section>
)

const sumsText = (sums: Figures['sales']) => sums.map(({ amount, currency }) => moneyText(amount, currency)).join(' + ')
const statusText = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([status, count]) => `${count} ${wordsOf(status).toLowerCase()}`)
    .join(', ')

function Stats({ totals }: { totals: Figures }) {
  const { sales, refunded, orders, bookings } = totals
  const paid = sales.reduce((sum, { count }) => sum + count, 0)
  return (
    <div className={classes.stats}>
      <Stat title="Sales" figure={sumsText(sales) || '–'} beside={`${paid} ${paid === 1 ? 'payment' : 'payments'}`} />
      <Stat title="Refunded" figure={sumsText(refunded) || '–'} beside={statusText(totals.refunds) || 'No refunds'} />
      <Stat title="Orders" figure={totalOf(orders)} beside={statusText(orders) || 'None yet'} />
      <Stat title="Bookings" figure={totalOf(bookings)} beside={statusText(bookings) || 'None yet'} />
    </div>
  )
}

/** In a picture of its own, as its parts are compared with each other. */
const OutcomeBar = ({ outcomes }: { outcomes: Outcomes }) => (
  <div
    className={classes.bar}
    role="img"
    aria-label={tones.map((tone) => `${outcomes[tone]} ${toneNames[tone]}`).join(', ')}
  >
    {tones.map((tone) => (
      <span
        key={tone}
        data-tone={tone}
        style={{ width: `${outcomes.total ? (100 * outcomes[tone]) / outcomes.total : 0}%` }}
      />
    ))}
  </div>
)

const effects: [name: keyof Figures, title: string][] = [
  ['refunds', 'Refunds'],
  ['mails', 'E-mails'],
  ['messages', 'Campaign messages'],
  ['deliveries', 'Webhook deliveries'],
  ['executions', 'Workflow runs'],
]

/** A table that is wider than a phone: what scrolls has to be reached by the keyboard. */
const Rows = ({ label, heads, children }: { label: string; heads: readonly string[]; children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
  <section className={classes.rows} tabIndex={0} aria-label={label}>
    <table>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
)

function Effects({ totals }: { totals: Figures }) {
  return (
    <Rows label="How requests ended" heads={['Effect', 'Outcomes', 'All', 'Unknown', 'Failed']}>
      {effects.map(([name, title]) => {
        const outcomes = outcomesOf(totals[name] as Record<string, number>)
        return (
          <tr key={name}>
            <td>{title}</td>
            <td>
              <OutcomeBar outcomes={outcomes} />
            </td>
            <td>{outcomes.total}</td>
            <td>{outcomes.doubt}</td>
            <td>{outcomes.bad}</td>
          </tr>
        )
      })}
    </Rows>
  )
}

const stages = { start: 'to be started', slot: 'for a worker', due: 'to be sent' }

function Backlog({ backlog }: { backlog: Overview['backlog'] }) {
  const now = useNow()
  if (backlog.length === 0) return <Quiet>Nothing waits.</Quiet>
  return (
    <Rows label="What waits now" heads={['Work', 'Queue', 'Waits', 'How much', 'Oldest']}>
      {backlog.map(({ kind, queue, stage, count, oldest_at: oldest, oldest_age_s: age }) => (
        <tr key={`${kind} ${stage}`}>
          <td>{wordsOf(kind)}</td>
          <td>{wordsOf(queue)}</td>
          <td>{stages[stage]}</td>
          <td>{count}</td>
          <td title={agoText(oldest, now)}>{lengthText(age)}</td>
        </tr>
      ))}
    </Rows>
  )
}

function Readiness({ tenant }: { tenant: Tenant }) {
  const { data, error } = useQuery(readinessQuery(tenant))
  if (error) return <Fault error={error} />
  if (!data) return <Skeleton h={80} />
  return <Checks tenant={tenant} checks={data} />
}

function Checks({ tenant, checks }: { tenant: Tenant; checks: readonly Check[] }) {
  // The address may name the list, which was not there when the page was opened.
  useEffect(() => {
    if (location.hash === `#${neededId}`) document.getElementById(neededId)?.scrollIntoView()
  }, [])
  const missing = checks.filter((one) => !one.ready)
  const shown = missing.length > 0 ? missing : checks
  return (
    <>
      {missing.length === 0 && <Quiet mb="sm">Everything is there.</Quiet>}
      <ul className={classes.checks}>
        {shown.map(({ id, ready, title, what_to_do: todo, capability, mend }) => (
          <li key={id} data-missing={!ready || undefined}>
            <Icon name={ready ? 'check' : 'attention'} size={17} />
            <div>
              <div>{peopleText(ready ? title : todo)}</div>
              <div className={classes.beside}>To {wordsOf(capability).toLowerCase()}</div>
            </div>
            {!ready && (
              <FormLink request={mend} tenant={tenant}>
                Mend
              </FormLink>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

type Coming = { id: string; label: string; status: string; at: number; to: string; isLate: boolean }

const bookingsOf = ({ surface, id: tenantId }: Tenant, { next }: Overview): Coming[] =>
  next.bookings.map(({ id, label, status, starts_at: at, order_id: order }) => ({
    ...{ id, label, status, at, isLate: false },
    to: `/${surface}/${tenantId}/data/orders/${order}`,
  }))

const publicationsOf = ({ surface, id: tenantId }: Tenant, { next }: Overview): Coming[] =>
  next.publications.map(({ id, label, status, scheduled_at: at }) => ({
    ...{ id, label, status, at, isLate: status === 'scheduled' && at < Date.now() / 1000 },
    to: `/${surface}/${tenantId}/data/social-publications/${id}`,
  }))

function Upcoming({ items, none }: { items: readonly Coming[]; none: string }) {
  if (items.length === 0) return <Quiet>{none}</Quiet>
  return (
    <ul className={classes.coming}>
      {items.map(({ id, label, status, at, to, isLate }) => (
        <li key={id}>
          <span data-late={isLate || undefined}>
            <Time at={at} />
            {isLate && ', late'}
          </span>
          <PageLink to={to} size="sm" dir="auto">
            {label}
          </PageLink>
          <Status value={status} />
        </li>
      ))}
    </ul>
  )
}

/** One picture: what it shows of the days is in the address. */
function ByDay({ overview }: { overview: Overview }) {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const [shown, title] = series.find(([name]) => name === [search.show].flat()[0]) ?? series[0]
  const currencies = [...new Set([...overview.totals.sales, ...overview.totals.refunded].map((one) => one.currency))]
  const [chosen, choose] = useState<string | null>(null)
  const currency = currencies.find((one) => one === chosen) ?? currencies[0] ?? 'USD'
  return (
    <Card title={`${title} by day`}>
      <Group gap="xs" mb="sm">
        <Select
          size="xs"
          w={190}
          aria-label="What is shown by day"
          data={series.map(([value, label]) => ({ value, label }))}
          value={shown}
          onChange={(show) => void navigate({ to: '.', search: { ...search, show: show ?? undefined } })}
          allowDeselect={false}
        />
        {shown === 'sales' && currencies.length > 1 && (
          <Select
            size="xs"
            w={110}
            aria-label="Currency"
            data={currencies}
            value={currency}
            onChange={choose}
            allowDeselect={false}
          />
        )}
      </Group>
      <Suspense fallback={<Skeleton h={220} />}>
        {shown === 'sales' ? (
          <SalesChart days={overview.days} currency={currency} />
        ) : totalOf(overview.totals[shown]) === 0 ? (
          <Quiet h={220}>None in these days.</Quiet>
        ) : (
          <CountChart days={overview.days} of={shown} />
        )}
      </Suspense>
    </Card>
  )
}

const lengths = ['7', '30', '90']

export function OverviewPage() {
  const { tenant } = useHere()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const days = lengths.find((one) => one === [search.days].flat()[0]) ?? '30'
  const { data, error, refetch } = useQuery({
    ...overviewQuery(tenant as Tenant, Number(days)),
    enabled: tenant !== undefined,
  })
  useTitle('Overview')
  if (!tenant) return null
  return (
    <>
      <PageTitle
        actions={
          <SegmentedControl
            size="xs"
            aria-label="Days"
            data={lengths.map((value) => ({ value, label: `${value} days` }))}
            value={days}
            onChange={(value) => void navigate({ to: '.', search: { ...search, days: value } })}
          />
        }
      >
        Overview
      </PageTitle>
      {error && !data ? (
        <Fault error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading />
      ) : (
        <>
          {tenant.status === 'ARCHIVED' && <Alert color="gray" mb="md" title="This is archived" />}
          <Stats totals={data.totals} />
          <div className={classes.chart}>
            <ByDay overview={data} />
          </div>
          <div className={classes.two}>
            <Card title="Bookings of today">
              <Upcoming items={bookingsOf(tenant, data)} none="No booking is left today." />
            </Card>
            <Card title="Publications due">
              <Upcoming items={publicationsOf(tenant, data)} none="No publication is left today." />
            </Card>
          </div>
          <div className={classes.two}>
            <Card title="How requests ended">
              <Effects totals={data.totals} />
            </Card>
            <Card title="What waits now">
              <Backlog backlog={data.backlog} />
            </Card>
          </div>
          <div id={neededId}>
            <Card title="What is needed to sell">
              <Readiness tenant={tenant} />
            </Card>
          </div>
        </>
      )}
    </>
  )
}
