// What happened to a record: each of its effects drawn, then everything in a list.
import { Button, Group, Select, Text, TextInput, Title } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useHere } from '../../kit/access.tsx'
import { useTree } from '../../kit/document/load.ts'
import { wordsOf } from '../../kit/document/schema.ts'
import { audienceOf, pageOf, type Tenant } from '../../kit/document/scope.ts'
import { addressOf, singular, type Tree } from '../../kit/document/tree.ts'
import { shortId } from '../../kit/format.ts'
import { useLabel } from '../../kit/labels.ts'
import { RecordSelect } from '../../kit/list/record-select.tsx'
import { coursesOf } from '../../kit/timeline/courses.ts'
import { useTimeline } from '../../kit/timeline/entries.ts'
import { EntryList } from '../../kit/timeline/entry-list.tsx'
import { EffectPicture } from '../../kit/timeline/picture.tsx'
import { listOf, recordNodeOf, timelineTypes } from '../../kit/timeline/records.ts'
import { Id } from '../../kit/ui/copy.tsx'
import { PageLink, type Search } from '../../kit/ui/links.tsx'
import { Empty, Fault, Loading, PageTitle, useTitle } from '../../kit/ui/ui.tsx'
import classes from './timeline-page.module.css'

type ChoiceProps = { tree: Tree; tenant: Tenant; begin: string | undefined }

/** Chooses a record by its number or name: in its list, or first the record that the list is below. */
function Choice({ tree, tenant, begin }: ChoiceProps) {
  const navigate = useNavigate()
  const { surface } = tenant
  const types = timelineTypes.filter((one) => listOf(tree, surface, one) ?? one === 'subscription')
  const [type, setType] = useState(types.find((one) => one === begin) ?? 'order')
  const [around, setAround] = useState<string>()
  const [id, setId] = useState('')
  const list = listOf(tree, surface, type)
  const above = list && list.depth > 1 ? list.parent?.parent : undefined
  const values = [tenant.id, ...(around ? [around] : [])]
  const show = (chosen: string) => void navigate({ to: '.', search: { subject: `${type}:${chosen.trim()}` } })
  const name = wordsOf(type)
  return (
    <form
      className={classes.choice}
      onSubmit={(event) => {
        event.preventDefault()
        if (id.trim()) show(id)
      }}
    >
      <Select
        label="What"
        data={types.map((one) => ({ value: one, label: wordsOf(one) }))}
        value={type}
        onChange={(next) => {
          setType(next ?? type)
          setAround(undefined)
        }}
        allowDeselect={false}
        searchable
      />
      {above && (
        <div className={classes.id}>
          <RecordSelect
            key={above.key}
            list={{ node: above, values: [tenant.id] }}
            value={around ?? null}
            change={(next) => setAround(next ?? undefined)}
            label={wordsOf(singular(above.segment))}
          />
        </div>
      )}
      {list && values.length === list.depth ? (
        <div className={classes.id}>
          <RecordSelect
            key={`${list.key} ${around}`}
            list={{ node: list, values }}
            value={null}
            change={(next) => next && show(next)}
            label={name}
          />
        </div>
      ) : (
        <>
          <TextInput
            label={above ? `Or the id of the ${name.toLowerCase()}` : 'Id'}
            value={id}
            onChange={({ currentTarget }) => setId(currentTarget.value)}
            dir="ltr"
            className={classes.id}
          />
          <Button type="submit" variant="default">
            Show
          </Button>
        </>
      )}
    </form>
  )
}

/** What a person calls the record, read by the document of the API. */
function useName(tree: Tree | undefined, type: string, id: string) {
  const { tenant } = useHere()
  const node = tree && tenant && recordNodeOf(tree, tenant.surface, type)
  const place = node && tenant ? { node, values: [tenant.id, id] } : undefined
  return { name: useLabel(place, true) ?? undefined, to: place && pageOf(addressOf(place.node, place.values)) }
}

export function TimelinePage() {
  const { scope, tenant } = useHere()
  const { data: tree } = useTree(audienceOf(scope))
  const search = useSearch({ strict: false }) as Search
  const subject = [search.subject].flat()[0]
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useTimeline(tenant, subject)
  const [type = '', id = ''] = subject?.split(':') ?? []
  const { name, to } = useName(tree, type, id)
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
            <PageLink to="." search={{ of: type }} size="sm">
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
      {!subject && tree && tenant && <Choice tree={tree} tenant={tenant} begin={[search.of].flat()[0]} />}
      {!subject ? (
        <Empty title="Choose a record">
          <Text size="sm" maw={440}>
            By its number, its name or its id. Everything that was sent to another system for it is drawn here, from the
            request to its proof. The page of each such record leads here.
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
