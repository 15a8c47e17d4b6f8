// What happened to a record: each of its effects drawn, then everything in a list.
import { Button, Group, Select, Text, TextInput, Title } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useHere } from '../../kit/access.tsx'
import { useTree } from '../../kit/document/load.ts'
import { wordsOf } from '../../kit/document/schema.ts'
import { audienceOf, pageOf } from '../../kit/document/scope.ts'
import { addressOf } from '../../kit/document/tree.ts'
import { shortId } from '../../kit/format.ts'
import { useLabel } from '../../kit/labels.ts'
import { coursesOf, listOf, useTimeline } from '../../kit/timeline/entries.ts'
import { EntryList } from '../../kit/timeline/entry-list.tsx'
import { EffectPicture } from '../../kit/timeline/picture.tsx'
import { Id } from '../../kit/ui/copy.tsx'
import { PageLink, type Search } from '../../kit/ui/links.tsx'
import { Empty, Fault, Loading, PageTitle, useTitle } from '../../kit/ui/ui.tsx'
import classes from './timeline-page.module.css'

const types = [
  'order',
  'member',
  'subscription',
  'execution',
  'publication',
  'campaign',
  'enrollment',
  'contact',
  'chat',
  'research_run',
  'webhook',
  'refund',
  'campaign_message',
]

function Choice({ subject }: { subject: string | undefined }) {
  const navigate = useNavigate()
  const [givenType = 'order', givenId = ''] = subject?.split(':') ?? []
  const [type, setType] = useState(givenType)
  const [id, setId] = useState(givenId)
  const known = types.includes(type) ? types : [...types, type]
  return (
    <form
      className={classes.choice}
      onSubmit={(event) => {
        event.preventDefault()
        void navigate({ to: '.', search: { subject: `${type}:${id.trim()}` } })
      }}
    >
      <Select
        label="What"
        data={known.map((one) => ({ value: one, label: wordsOf(one) }))}
        value={type}
        onChange={(next) => setType(next ?? type)}
        allowDeselect={false}
        searchable
      />
      <TextInput
        label="Id"
        value={id}
        onChange={({ currentTarget }) => setId(currentTarget.value)}
        required
        dir="ltr"
        className={classes.id}
      />
      <Button type="submit" variant="default">
        Show
      </Button>
    </form>
  )
}

/** What a person calls the record, read by the document of the API. */
function useName(type: string, id: string): { name: string | undefined; to: string | undefined } {
  const { scope, tenant } = useHere()
  const { data: tree } = useTree(audienceOf(scope))
  const node = tree?.nodes.get(`/v1/${tenant?.surface}/{}/${listOf(type)}/{}`)
  const place = node && tenant ? { node, values: [tenant.id, id] } : undefined
  return { name: useLabel(place, true) ?? undefined, to: place && pageOf(addressOf(place.node, place.values)) }
}

export function TimelinePage() {
  const { tenant } = useHere()
  const search = useSearch({ strict: false }) as Search
  const subject = [search.subject].flat()[0]
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useTimeline(tenant, subject)
  const [type = '', id = ''] = subject?.split(':') ?? []
  const { name, to } = useName(type, id)
  const title = subject ? `${wordsOf(type)} ${name ?? shortId(id)}` : 'Timeline'
  useTitle(title)
  const entries = data?.pages.flatMap(({ items }) => items) ?? []
  const courses = coursesOf(entries)
  return (
    <>
      {subject && <nav className={classes.trail}>What happened to</nav>}
      <PageTitle
        actions={
          subject && (
            <PageLink to="." size="sm">
              Another record
            </PageLink>
          )
        }
      >
        {title}
      </PageTitle>
      {subject && (
        <div className={classes.under}>
          <Id id={id} whole />
          {to && (
            <PageLink to={to} size="sm">
              Open the record
            </PageLink>
          )}
        </div>
      )}
      {!subject && <Choice subject={subject} />}
      {!subject ? (
        <Empty title="Choose a record">
          <Text size="sm" maw={440}>
            Orders, memberships, executions, publications, messages: everything that was sent to another system is drawn
            here, from the request to its proof. The page of each such record leads here.
          </Text>
        </Empty>
      ) : error && !data ? (
        <Fault error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading />
      ) : (
        <>
          {courses.map((course) => (
            <section key={course.effect.id} className={classes.course}>
              <EffectPicture course={course} />
            </section>
          ))}
          <Title order={2} size="h5" mt="xl" mb="xs">
            Everything, newest first
          </Title>
          <div className={classes.card}>
            <EntryList entries={entries} />
          </div>
          {hasNextPage && (
            <Group justify="center" mt="md">
              <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                Show earlier
              </Button>
            </Group>
          )}
        </>
      )}
    </>
  )
}
