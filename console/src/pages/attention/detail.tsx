// One item: what is wrong, what is known, what happened, where to look, and what was found there.
import type { ReactNode } from 'react'
import { useHere } from '../../kit/access.tsx'
import type { Item } from '../../kit/attention.ts'
import { peopleText, wordsOf } from '../../kit/document/schema.ts'
import type { Tenant } from '../../kit/document/scope.ts'
import { moneyText } from '../../kit/format.ts'
import { FormLink } from '../../kit/record/form-link.tsx'
import { coursesOf } from '../../kit/timeline/courses.ts'
import { useTimeline } from '../../kit/timeline/entries.ts'
import { EntryList } from '../../kit/timeline/entry-list.tsx'
import { EffectPicture } from '../../kit/timeline/picture.tsx'
import { Id } from '../../kit/ui/copy.tsx'
import { MissingLink, OutLink, PageLink } from '../../kit/ui/links.tsx'
import { Status, Time } from '../../kit/ui/ui.tsx'
import valueClasses from '../../kit/value.module.css'
import classes from './attention-page.module.css'
import { Connect } from './connect.tsx'
import { RecordedText, Resolution, Said } from './resolution.tsx'
import { recordedIn } from './resolutions.ts'
import { mendBeside, recordPageOf, subjectText, timelineOf, typeToConnect } from './subjects.ts'

function Evidence({ evidence, isDone }: { evidence: Item['evidence']; isDone: boolean }) {
  const { status, sent_at: sent, settled_at: settled, error, answer, late_evidence: late, ids } = evidence
  const recorded = isDone ? undefined : recordedIn({ evidence })
  const lines: Record<string, ReactNode> = {
    Status: status !== null && <Status value={status} />,
    Sent: sent !== null && <Time at={sent} />,
    [status === 'unknown' ? 'Unknown since' : 'Settled']: settled !== null && <Time at={settled} />,
    'What went wrong': error && (
      <>
        <span dir="auto">{peopleText(error.message)}</span>
        {typeof error.detail === 'string' && <div className={classes.reported}>{error.detail}</div>}
      </>
    ),
    ...Object.fromEntries(
      Object.entries(ids).map(([name, id]) => [wordsOf(name), <Id key={name} id={String(id)} whole />]),
    ),
    'The provider answered': answer && Object.keys(answer).length > 0 && <Said what={answer} />,
    'Known later': late && <Said what={late} />,
    'Recorded before': recorded && <RecordedText recorded={recorded} />,
  }
  return (
    <dl className={valueClasses.fields} data-level={0}>
      {Object.entries(lines).map(
        ([name, children]) =>
          children && (
            <div key={name} className={valueClasses.field}>
              <dt>{name}</dt>
              <dd>{children}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** The picture of the effect that the item is about; what happened to any other record is a list. */
function Course({ tenant, item }: { tenant: Tenant; item: Item }) {
  const subject = timelineOf(item)
  const { data } = useTimeline(tenant, subject)
  const entries = data?.pages.flatMap(({ items }) => items) ?? []
  const own = coursesOf(entries).find(({ effect }) => effect.id === item.id)
  if (entries.length === 0) return null
  return (
    <section className={classes.part} aria-label="What happened">
      <h3>What happened</h3>
      {own && <EffectPicture course={own} isHeadless />}
      {own && (
        <details className={classes.part}>
          <summary>As a list</summary>
          <EntryList entries={entries} />
        </details>
      )}
      {!own && <EntryList entries={entries} />}
      {!own && (
        <PageLink to={`/${tenant.surface}/${tenant.id}/timeline`} search={{ subject }} size="sm">
          The whole timeline
        </PageLink>
      )}
    </section>
  )
}

export function Detail({ item }: { item: Item }) {
  const { permissions, zone } = useHere()
  const { kind, title, subject, amount, currency, since, due_at: due, evidence, what_to_do: todo } = item
  const { temporal_url: temporal, provider_url: provider } = item
  const isDone = item.status === 'resolved'
  const tenant = permissions.tenants.find(({ id }) => id === item.tenant?.id)
  const page = recordPageOf(tenant, item)
  const mend = mendBeside(item, page)
  const recorded = recordedIn(item)
  const type = wordsOf(subject.type)
  const name = subjectText(type, subject.label)
  return (
    <article className={classes.detail} aria-label={peopleText(title)}>
      <h2 dir="auto">{peopleText(title)}</h2>
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
          Since <Time at={since} /> ({zone})
        </span>
        {due !== null && (
          <span className={classes.due}>
            Due <Time at={due} />
          </span>
        )}
        {tenant && <span dir="auto">{tenant.name}</span>}
      </div>
      <div className={classes.todo}>
        <h3>{isDone ? 'This is done' : 'What to do'}</h3>
        {isDone && (recorded ? 'Recorded: ' : 'It has left the list.')}
        {isDone && recorded && <RecordedText recorded={recorded} />}
        {(mend || !isDone) && <div dir="auto">{peopleText(todo)}</div>}
        <div className={classes.links}>
          <Connect item={item} tenant={tenant} />
          {mend && (
            <FormLink request={mend} tenant={tenant}>
              {typeToConnect(mend) && 'Make a link for its owner'}
            </FormLink>
          )}
          {kind === 'readiness' && !isDone && tenant && <MissingLink tenant={tenant} />}
          {page && (
            <PageLink to={page} size="sm">
              Open the {type.toLowerCase()}
            </PageLink>
          )}
          {provider && <OutLink href={provider}>Look at the provider</OutLink>}
          {temporal && <OutLink href={temporal}>Workflow in Temporal</OutLink>}
        </div>
      </div>
      <Resolution item={item} tenant={tenant} />
      {tenant && <Course tenant={tenant} item={item} />}
      <section className={classes.part}>
        <h3>What is known</h3>
        <Evidence evidence={evidence} isDone={isDone} />
      </section>
    </article>
  )
}
