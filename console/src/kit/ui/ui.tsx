// Small pieces that all pages share: a status, a time, an amount, an id to copy, and what is shown while or where
// nothing is.
import { Alert, Button, Group, Loader, Stack, Text, type TextProps, Title, VisuallyHidden } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { useHere } from '../access.tsx'
import { ApiProblem, isMissing, messageOf, Unreachable } from '../api.ts'
import { wordsOf } from '../document/schema.ts'
import { agoText, moneyText, timeText } from '../format.ts'
import { PageLink } from './links.tsx'
import classes from './ui.module.css'

const tones = {
  good: 'active succeeded paid confirmed completed sent delivered ready published fulfilled accepted subscribed connected healthy verified captured won ok enabled approved visible',
  busy: 'pending processing requested scheduled running waiting queued sending trial reserved authorized partially_fulfilled unfulfilled started in_progress open due held new',
  doubt:
    'unknown needs_attention paused needs_reconnect expiring partially_refunded partially_cancelled past_due no_show hidden flagged needs_response under_review disputed',
  bad: 'failed rejected error bounced complained declined disabled lost invalid blocked spam revoked',
}
const toneOf = new Map(Object.entries(tones).flatMap(([tone, words]) => words.split(' ').map((word) => [word, tone])))

export const Status = ({ value }: { value: string }) => (
  <span className={classes.status} data-tone={toneOf.get(value.toLowerCase()) ?? 'quiet'}>
    {wordsOf(value)}
  </span>
)

/** Seconds since 1970, renewed as time passes: what was just changed is not in the future. */
export function useNow(everyMs = 30_000): number {
  const [, renew] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => renew((count) => count + 1), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return Date.now() / 1000
}

export function Time({ at, ago = false }: { at: number; ago?: boolean }) {
  const { zone } = useHere()
  const now = useNow()
  const exact = `${timeText(at, zone, true)} (${zone})`
  return (
    <time
      className={classes.time}
      dateTime={new Date(at * 1000).toISOString()}
      title={ago ? exact : `${exact}, ${agoText(at, now)}`}
    >
      {ago ? agoText(at, now) : timeText(at, zone)}
    </time>
  )
}

export const Money = ({ amount, currency }: { amount: number; currency: string | undefined }) => (
  <span className={classes.number} title={currency ? undefined : 'In minor units'}>
    {currency ? moneyText(amount, currency) : amount}
  </span>
)

export const Figure = ({ children }: { children: ReactNode }) => <span className={classes.number}>{children}</span>

export const Quiet = (props: TextProps & { children: ReactNode }) => <Text size="sm" c="dimmed" {...props} />

export const Loading = ({ what = 'Loading' }: { what?: string }) => (
  <div className={classes.empty} role="status">
    <Loader size="sm" type="dots" />
    <VisuallyHidden>{what}</VisuallyHidden>
  </div>
)

export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className={classes.empty}>
    <Text fw={600} c="var(--mantine-color-text)">
      {title}
    </Text>
    {children}
  </div>
)

export const NoPage = () => (
  <Empty title="There is no such page">
    <PageLink to="/" size="sm">
      To the first page
    </PageLink>
  </Empty>
)

/** What went wrong with a request, with the id under which the server logged it. */
export function Fault({ error, retry }: { error: unknown; retry?: () => void }) {
  const isLost = error instanceof Unreachable
  const requestId = error instanceof ApiProblem ? error.requestId : null
  const title = isLost
    ? 'The API cannot be reached'
    : isMissing(error)
      ? 'There is no such record'
      : 'This did not work'
  return (
    <Alert color={isLost ? 'orange' : 'red'} variant="light" title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm" dir="auto">
          {isLost ? 'The page is loaded as soon as it answers again.' : messageOf(error)}
        </Text>
        {requestId && (
          <Text size="xs" c="dimmed">
            Request {requestId}
          </Text>
        )}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

export const PageTitle = ({ children, actions }: { children: ReactNode; actions?: ReactNode }) => (
  <Group justify="space-between" align="center" gap="sm" mb="md">
    <Title order={1} size="h3" dir="auto" style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
      {children}
    </Title>
    {actions && <Group gap="xs">{actions}</Group>}
  </Group>
)

/** Sets the title of the tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Tillwright`
  }, [title])
}
