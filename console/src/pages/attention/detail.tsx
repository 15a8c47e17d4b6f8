// One item: what is wrong, what is known, what happened, where to look, and what was found there.
import { Alert } from '@mantine/core'
import { useHere } from '../../kit/access.tsx'
import type { Item } from '../../kit/attention.ts'
import { plainText, wordsOf } from '../../kit/document/schema.ts'
import type { Tenant } from '../../kit/document/scope.ts'
import { moneyText } from '../../kit/format.ts'
import { coursesOf, useTimeline } from '../../kit/timeline/entries.ts'
import { EntryList } from '../../kit/timeline/entry-list.tsx'
import { EffectPicture } from '../../kit/timeline/picture.tsx'
import { Id, Json } from '../../kit/ui/copy.tsx'
import { OutLink, PageLink } from '../../kit/ui/links.tsx'
import { Status, Time } from '../../kit/ui/ui.tsx'
import valueClasses from '../../kit/value.module.css'
import classes from './attention-page.module.css'
import { Resolution } from './resolution.tsx'
import { recordPageOf, subjectText } from './subjects.ts'

const Line = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div className={valueClasses.field}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

function Evidence({ evidence }: { evidence: Item['evidence'] }) {
  const { status, sent_at: sent, settled_at: settled, error, answer, late_evidence: late, resolution, ids } = evidence
  return (
    <dl className={valueClasses.fields} data-level={0}>
      {status !== null && (
        <Line name="Status">
          <Status value={status} />
        </Line>
      )}
      {sent !== null && (
        <Line name="Sent">
          <Time at={sent} />
        </Line>
      )}
      {settled !== null && (
        <Line name={status === 'unknown' ? 'Unknown since' : 'Settled'}>
          <Time at={settled} />
        </Line>
      )}
      {error && (
        <Line name="What went wrong">
          <span dir="auto">{error.message}</span>
        </Line>
      )}
      {Object.entries(ids).map(([name, id]) => (
        <Line key={name} name={wordsOf(name)}>
          <Id id={String(id)} whole />
        </Line>
      ))}
      {answer && (
        <Line name="The provider answered">
          <Json value={answer} label="Answer" />
        </Line>
      )}
      {late && (
        <Line name="Known later">
          <Json value={late} label="Late evidence" />
        </Line>
      )}
      {resolution && (
        <Line name="Recorded before">
          <Json value={resolution} label="Resolution" />
        </Line>
      )}
    </dl>
  )
}

/** What happened, where the item is about an effect. */
function Course({ tenant, item }: { tenant: Tenant; item: Item }) {
  const subject = item.group === 'outcome' ? `${item.kind}:${item.id}` : undefined
  const { data } = useTimeline(tenant, subject)
  const entries = data?.pages.flatMap(({ items }) => items) ?? []
  const [course] = coursesOf(entries)
  if (!course) return null
  return (
    <section className={classes.part}>
      <h3>What happened</h3>
      <EffectPicture course={course} isHeadless />
      <details className={classes.part}>
        <summary>As a list</summary>
        <EntryList entries={entries} />
      </details>
    </section>
  )
}

export function Detail({ item, isDone }: { item: Item; isDone: boolean }) {
  const { permissions } = useHere()
  const {
    title,
    subject,
    amount,
    currency,
    since,
    due_at: due,
    evidence,
    what_to_do: todo,
    temporal_url: temporal,
    provider_url: provider,
  } = item
  const tenant = permissions.tenants.find(({ id }) => id === item.tenant?.id)
  const page = recordPageOf(tenant, item)
  const type = wordsOf(subject.type)
  const name = subjectText(type, subject.label)
  return (
    <article className={classes.detail} aria-label={plainText(title)}>
      <h2 dir="auto">{plainText(title)}</h2>
      <div className={classes.facts}>
        {amount !== null && currency && <b>{moneyText(amount, currency)}</b>}
        <span>
          {page ? (
            <PageLink to={page} size="sm" dir="auto">
              {name}
            </PageLink>
          ) : (
            <span dir="auto">{name}</span>
          )}
        </span>
        <span>
          Since <Time at={since} />
        </span>
        {due !== null && (
          <span className={classes.due}>
            Due <Time at={due} />
          </span>
        )}
        {tenant && <span dir="auto">{tenant.name}</span>}
      </div>
      {isDone ? (
        <Alert color="teal" title="This is done" mb="md">
          It has left the list.
        </Alert>
      ) : (
        <div className={classes.todo}>
          <h3>What to do</h3>
          <span dir="auto">{plainText(todo)}</span>
          {(temporal || provider || page) && (
            <div className={classes.links}>
              {page && (
                <PageLink to={page} size="sm">
                  Open the {type.toLowerCase()}
                </PageLink>
              )}
              {provider && <OutLink href={provider}>Look at the provider</OutLink>}
              {temporal && <OutLink href={temporal}>Workflow in Temporal</OutLink>}
            </div>
          )}
        </div>
      )}
      <Resolution item={item} tenant={tenant} isDone={isDone} />
      {tenant && <Course tenant={tenant} item={item} />}
      <section className={classes.part}>
        <h3>What is known</h3>
        <Evidence evidence={evidence} />
      </section>
    </article>
  )
}
