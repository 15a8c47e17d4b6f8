// How publications change by requests: written, scheduled, cancelled, resolved. A scheduled one holds its files.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { sentOutcomes } from '../../rules/effects.ts'
import type { Issue, SocialContent } from '../../rules/publications/content.ts'
import { contentIssues } from '../../rules/publications/content-issues.ts'
import { conflict, type Fault, invalid, invalidInput, notFound, type Refusal } from '../../rules/refusal.ts'
import { type Decision, needsAttention, resolved } from '../../rules/resolutions.ts'
import { publicationWords } from '../../rules/search/search-texts.ts'
import type { PublicationError } from '../../rules/social/publication-errors.ts'
import type { PublicationOutcome } from '../../rules/social/resources.ts'
import { isNear, nearUntil } from '../../rules/start-ahead.ts'
import { SocialConnection } from '../connections/social-connection.ts'
import { searchOf } from '../content/named.ts'
import { type Condition, condition } from '../kit/database/condition.ts'
import { anyTenant } from '../kit/database/orm.ts'
import { json, sql } from '../kit/database/sql.ts'
import { settleByProof } from '../kit/effects.ts'
import { newId, uuids } from '../kit/ids.ts'
import { lateRows } from '../kit/late-rows.ts'
import { lockForChange } from '../kit/locked-row.ts'
import { startFound } from '../kit/outbox.ts'
import { contradictedSql } from '../kit/resolutions.ts'
import { mediaFilesOf } from './media-facts.ts'
import {
  endPublication,
  failPublication,
  lookAtPublication,
  openReveal,
  socialRevealEffect,
  withdrawReveal,
} from './reveals.ts'
import { SocialPublication } from './social-publication.ts'
import { SocialReveal } from './social-reveal.ts'

/** A time that has just passed is now. */
const graceS = 300
const farthestS = 366 * 86_400

const noun = 'publication'
type Connection = Pick<SocialConnection, 'id' | 'status' | 'type'>

/** Every issue of the content; `held`: its files cannot be deleted before the transaction ends. */
async function issuesOf(
  em: EntityManager,
  tenantId: string,
  type: SocialConnection['type'],
  content: SocialContent,
  held = false,
): Promise<Issue[]> {
  return contentIssues(type, content, await mediaFilesOf(em, tenantId, content.media_ids, held), config.social)
}
const isError = ({ severity }: Issue): boolean => severity === 'error'
const refuse = (issues: readonly Issue[]): never => {
  throw invalidInput(issues.filter(isError).map(({ pointer, code, detail }): Fault => ({ pointer, code, detail })))
}

const written = (content: SocialContent, issues: Issue[], now: number) => ({
  content,
  issues,
  updated_at: now,
  search: searchOf(publicationWords({ content })),
})

type NewPublication = { tenant_id: string; social_connection_id: string; content: SocialContent; created_by: string }

/** A draft, complete or not. 422 `connection_unknown`. */
export async function createPublication(
  em: EntityManager,
  draft: NewPublication,
  now: number,
): Promise<SocialPublication> {
  const { tenant_id, social_connection_id, content, created_by } = draft
  const connection = await em.findOne(SocialConnection, { id: social_connection_id, status: { $ne: 'disconnected' } })
  if (!connection)
    throw invalid('/social_connection_id', 'connection_unknown', 'There is no such connection, or it is disconnected.')
  const { type } = connection
  const publication = em.create(SocialPublication, {
    ...{ id: newId(), tenant_id, created_at: now, social_connection_id, type, created_by },
    ...written(content, await issuesOf(em, tenant_id, type, content), now),
  })
  await em.flush()
  return publication
}

/** Neither on its way to the network, nor there, nor perhaps there. */
export const changeable: readonly SocialPublication['status'][] = ['draft', 'scheduled', 'failed', 'cancelled']
const refuseLocked = ({ status }: SocialPublication) => {
  if (!changeable.includes(status))
    throw conflict('publication_locked', `The publication is \`${status}\`, and cannot be changed.`, {
      members: { publication_status: status },
    })
}

/** Files of a scheduled publication, and of no other, cannot be deleted. */
async function hold(em: EntityManager, { id, tenant_id, content, status }: SocialPublication): Promise<void> {
  const mediaIds = status === 'scheduled' ? content.media_ids : []
  const dropped = sql`
    delete from publication_media
    where tenant_id = ${tenant_id} and publication_id = ${id} and media_id <> all (${uuids(mediaIds)})
  `
  if (mediaIds.length === 0) return void (await em.execute(dropped))
  await em.execute(sql`
    with deleted_media as (${dropped})
    insert into publication_media (tenant_id, publication_id, media_id)
    select ${tenant_id}, ${id}, unnest(${uuids(new Set(mediaIds))})
    on conflict do nothing
  `)
}

/**
 * Replaces the content. A scheduled publication stays scheduled: its parts are made again. 404; 409
 * `publication_locked`; 422 with the issues of one that is scheduled.
 */
export async function changePublication(
  em: EntityManager,
  id: string,
  { social_connection_id, content }: { social_connection_id?: string | undefined; content: SocialContent },
  now: number,
): Promise<SocialPublication> {
  const publication = await lockForChange(em, SocialPublication, id, noun)
  if (social_connection_id !== undefined && social_connection_id !== publication.social_connection_id)
    throw invalid('/social_connection_id', 'cannot_change', 'The connection of a publication cannot be changed.')
  refuseLocked(publication)
  const { tenant_id, type, status, run } = publication
  const issues = await issuesOf(em, tenant_id, type, content, status === 'scheduled')
  if (status === 'scheduled' && issues.some(isError)) refuse(issues)
  em.assign(publication, {
    ...written(content, issues, now),
    run: run + 1,
    planned: false,
    look_at: status === 'scheduled' ? new Date(now * 1000) : publication.look_at,
  })
  await em.flush()
  await hold(em, publication)
  if (status === 'scheduled') await wake(em, publication)
  return publication
}

/**
 * Deletes a publication. 404; 409 `publication_locked`. What was made of it at the network is forgotten there, or was
 * deleted when it was cancelled.
 */
export async function removePublication(em: EntityManager, id: string): Promise<void> {
  const publication = await lockForChange(em, SocialPublication, id, noun)
  refuseLocked(publication)
  await em.execute(sql`delete from social_publications where id = ${id} and tenant_id = ${publication.tenant_id}`)
}

/** A workflow that was started reads the row again. */
async function wake(em: EntityManager, publication: SocialPublication): Promise<void> {
  if (publication.started) await lookAtPublication(em, publication)
}

/** `ahead_s`: the parts are made so long before. */
export type Schedule = { scheduled_at: number; ahead_s: number }

/**
 * The time of a publication; again: another time. 404; 409 `publication_locked`, `connection_not_active`; 422
 * `in_the_past`, `too_far`, and the issues of the content.
 */
export async function schedulePublication(
  em: EntityManager,
  tenantId: string,
  id: string,
  { scheduled_at: at, ahead_s }: Schedule,
  now: number,
): Promise<SocialPublication> {
  // The connection is locked `for share`: it keeps its status until the publication is scheduled.
  const [row]: Connection[] = await em.execute(sql`
    select c.id, c.status, c.type
    from social_publications p
    join social_connections c on c.id = p.social_connection_id and c.tenant_id = p.tenant_id
    where p.tenant_id = ${tenantId} and p.id = ${id}
    for share of c
  `)
  if (!row) throw notFound(noun)
  if (at < now - graceS) throw invalid('/scheduled_at', 'in_the_past', 'The time has passed.')
  if (at > now + farthestS) throw invalid('/scheduled_at', 'too_far', 'Expected a time within 366 days.')
  const publication = await lockForChange(em, SocialPublication, id, noun)
  refuseLocked(publication)
  if (row.status !== 'active')
    throw conflict('connection_not_active', `The connection is \`${row.status}\`. Connect the account again.`)
  const { status, type, content, run } = publication
  const issues = await issuesOf(em, tenantId, type, content, true)
  if (issues.some(isError)) refuse(issues)
  const begins = { scheduled_at: Math.max(at, now), status: 'scheduled' as const, error: null, updated_at: now }
  const starts = publication.started || isNear(begins.scheduled_at - ahead_s, now)
  em.assign(publication, {
    ...begins,
    ...(status === 'scheduled'
      ? {}
      : { run: run + 1, planned: false, provider_post_id: null, permalink: null, resolution: null }),
    ...{ issues, started: starts, look_at: starts ? new Date(now * 1000) : null },
  })
  await em.flush()
  if (content.media_ids.length > 0) await hold(em, publication)
  if (starts) await lookAtPublication(em, publication)
  return publication
}

const cancelled: PublicationError = { code: 'cancelled', message: 'It was cancelled before it was sent.' }

/**
 * Returns one that is cancelled as it is. 404; 409 `already_sent` from the moment on from which it may be visible,
 * `publication_not_scheduled` for a draft and one that has failed.
 */
export async function cancelPublication(em: EntityManager, id: string, now: number): Promise<SocialPublication> {
  const publication = await lockForChange(em, SocialPublication, id, noun)
  const { status } = publication
  if (status === 'cancelled') return publication
  if (status === 'draft' || status === 'failed')
    throw conflict('publication_not_scheduled', `The publication is \`${status}\`: there is nothing to cancel.`)
  const reveal = await openReveal(em, id)
  const isSent =
    status === 'published' ||
    status === 'unknown' ||
    (reveal !== null && !(await withdrawReveal(em, reveal, cancelled)))
  if (isSent)
    throw conflict('already_sent', 'The call that shows it was made already.', {
      members: { publication_status: status },
    })
  await endPublication(em, publication, { status: 'cancelled' }, now)
  await wake(em, publication)
  return publication
}

/**
 * Asks for another read of the network. 404; 409 `publication_not_unknown`. Null: there is nothing to read; the
 * publication is as it is.
 */
export async function requestCheck(
  em: EntityManager,
  id: string,
): Promise<{ publication: SocialPublication; reveal_id: string | null }> {
  const publication = await lockForChange(em, SocialPublication, id, noun)
  const { status, tenant_id } = publication
  if (status === 'published') return { publication, reveal_id: null }
  if (status !== 'unknown') throw notUnknown(publication)
  const rows: { id: string }[] = await em.execute(sql`
    update social_reveals
    set check_at = clock_timestamp()
    where publication_id = ${id} and tenant_id = ${tenant_id} and status = 'unknown'
    returning id
  `)
  await lookAtPublication(em, publication, true)
  return { publication, reveal_id: rows[0]?.id ?? null }
}

const notUnknown = ({ status }: SocialPublication): Refusal =>
  conflict(
    'publication_not_unknown',
    `The publication is \`${status}\`. Only the outcome of an unknown one can be found out.`,
    {
      members: { publication_status: status },
    },
  )

/** The call that an operator resolved: the newest one of a publication that was not scheduled again since; locked. */
async function resolvedReveal(
  em: EntityManager,
  { id, status, resolution }: SocialPublication,
): Promise<SocialReveal | null> {
  if (resolution?.outcome !== status) return null
  await em.execute(sql`select 1 from social_reveals where publication_id = ${id} for no key update`)
  const [newest] = await em.find(
    SocialReveal,
    { publication_id: id },
    { ...anyTenant, orderBy: { n: 'desc' }, limit: 1, refresh: true },
  )
  return newest ?? null
}

/**
 * Whether an operator has to look at a publication: its outcome is unknown, or the network contradicts what was
 * resolved.
 */
export const publicationsNeeding = (yes: boolean): Condition =>
  condition(
    (rows) => sql`
      (
        coalesce(
          ${rows}.status = 'unknown'
          or ${rows}.resolution is not null
          and exists (
            select 1
            from social_reveals r
            where r.publication_id = ${rows}.id and r.tenant_id = ${rows}.tenant_id and ${contradictedSql('r')}
              and not exists (
                select 1
                from social_reveals o
                where o.publication_id = r.publication_id and o.tenant_id = r.tenant_id and o.n > r.n
              )
          ),
          false
        ) = ${yes}
      )
    `,
  )

/** What an operator says they found at the network. */
export type Found = Decision<PublicationOutcome> & { provider_post_id: string | null }

/**
 * An operator says what they found at the network, or corrects it while the publication was not scheduled again.
 * Returns one that was resolved so as it is. 404; 409 `publication_not_unknown`, `contradicts_evidence`,
 * `resolved_otherwise`, `resolved_too_often`.
 */
export async function resolvePublication(
  em: EntityManager,
  id: string,
  { provider_post_id, ...decision }: Found,
  now: number,
): Promise<SocialPublication> {
  const publication = await lockForChange(em, SocialPublication, id, noun)
  const reveal = publication.status === 'unknown' ? await openReveal(em, id) : await resolvedReveal(em, publication)
  if (!reveal) throw notUnknown(publication)
  const isSame = publication.resolution?.outcome === decision.outcome && publication.status === decision.outcome
  if (isSame && !needsAttention(reveal)) return publication
  const resolution = resolved(decision, [reveal.evidence, reveal.late_evidence], publication.resolution, now)
  // The publication may be scheduled again, and has no resolution then: the call keeps what was found.
  em.assign(publication, { resolution })
  await em.flush()
  // Its workflow reads the rows once more, and concludes with what was found.
  await lookAtPublication(em, publication)
  const evidence = reveal.evidence ?? {}
  if (decision.outcome === 'published') {
    const published = {
      ...{ status: 'succeeded' as const, evidence, resolved: true as const },
      columns: { provider_post_id, check_at: null, resolution: JSON.stringify(resolution) },
    }
    if (!(await settleByProof(em, socialRevealEffect, reveal.id, published, sentOutcomes)))
      throw notUnknown(publication)
    return em.refreshOrFail(publication)
  }
  const error = { code: 'resolved', message: 'An operator found that it is not visible at the network.' }
  const failed = {
    ...{ status: 'rejected' as const, evidence, error, resolved: true as const },
    columns: { provider_post_id: null, check_at: null, resolution: JSON.stringify(resolution) },
  }
  if (!(await settleByProof(em, socialRevealEffect, reveal.id, failed, sentOutcomes))) throw notUnknown(publication)
  await em.refresh(publication)
  if (publication.status === 'published') {
    em.assign(publication, { published_at: null, provider_post_id: null, permalink: null })
    await failPublication(em, publication, error, now)
  }
  return em.refreshOrFail(publication)
}

/**
 * The connection was removed: what is scheduled on it becomes a draft, but for what may have been sent. The connection
 * is locked.
 */
export async function detachPublications(
  em: EntityManager,
  { id, tenant_id }: Pick<SocialConnection, 'id' | 'tenant_id'>,
  now: number,
): Promise<void> {
  const error: PublicationError = {
    code: 'connection_removed',
    message: 'The connection was removed before the publication was sent.',
  }
  const rows: { id: string }[] = await em.execute(sql`
    select id
    from social_publications
    where tenant_id = ${tenant_id} and social_connection_id = ${id} and status in ('scheduled', 'publishing')
    order by id
    for no key update
  `)
  if (rows.length === 0) return
  // Read after the publications were locked: until then, a call may have been written.
  const called: { id: string }[] = await em.execute(sql`
    select publication_id as id
    from social_reveals
    where tenant_id = ${tenant_id}
      and publication_id = any (${uuids(rows.map((row) => row.id))})
      and status <> 'rejected'
      and status <> 'failed'
    order by publication_id
  `)
  for (const row of called) {
    const reveal = await openReveal(em, row.id)
    if (reveal && !(await withdrawReveal(em, reveal, error))) continue
    const publication = await em.findOneOrFail(SocialPublication, { id: row.id, tenant_id }, { refresh: true })
    await endPublication(em, publication, { status: 'draft', error }, now)
    await wake(em, publication)
  }
  const withCalls = new Set(called.map((row) => row.id))
  const others = uuids(rows.map((row) => row.id).filter((one) => !withCalls.has(one)))
  await em.execute(sql`
    delete from publication_media
    where tenant_id = ${tenant_id} and publication_id = any (${others})
  `)
  await em.execute(sql`
    update social_publications
    set status = 'draft', error = ${json(error)}, updated_at = ${now},
      look_at = case when started then to_timestamp(${now}) end
    where tenant_id = ${tenant_id} and id = any (${others})
  `)
  await startFound(
    em,
    'publication',
    sql`
      select id, tenant_id
      from social_publications
      where tenant_id = ${tenant_id} and id = any (${others}) and started
    `,
    {
      signal: true,
    },
  )
}

/** The connection serves again: what waited for it continues. */
export async function reviveDue(
  em: EntityManager,
  { id, tenant_id }: Pick<SocialConnection, 'id' | 'tenant_id'>,
): Promise<void> {
  await startFound(
    em,
    'publication',
    sql`
      select id, tenant_id
      from social_publications
      where tenant_id = ${tenant_id}
        and social_connection_id = ${id}
        and status in ('scheduled', 'publishing')
        and started
    `,
    { signal: true },
  )
}

/**
 * Starts the workflows of at most `limit` publications whose parts are made within minutes, each once, and returns how
 * many. `now` in Unix seconds. Of all tenants.
 */
export async function startPublications(
  em: EntityManager,
  limit: number,
  now: number,
  aheadS: number,
): Promise<number> {
  const starts = await startFound(
    em,
    'publication',
    // Publications that another transaction has locked are skipped: a later round finds them.
    sql`
      update social_publications
      set started = true, look_at = clock_timestamp()
      where id = any (
        array(
          select id
          from social_publications
          where status = 'scheduled' and not started and scheduled_at <= ${nearUntil(now) + aheadS}::bigint
          order by scheduled_at
          limit ${limit}
          for update skip locked
        )
      )
      returning id, tenant_id
    `,
    { signal: true },
  )
  return starts.length
}

/**
 * Publications whose workflow should have looked at them `idleS` seconds ago. Of all tenants; each row names its own.
 */
export const latePublications = lateRows({
  from: sql`social_publications x`,
  at: 'x.look_at',
  type: 'timestamptz',
  where: ({ idleS }) => sql`x.look_at < clock_timestamp() - make_interval(secs => ${idleS})`,
})
