// What the workflow of a publication does next, read from its rows; steps on our own rows are taken in the same
// transaction.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import type { EffectStatus } from '../../rules/effects.ts'
import { contentIssues } from '../../rules/publications/content-issues.ts'
import {
  nextPublicationStep,
  type OwnStep,
  type PublicationFacts,
  type PublicationSettings,
  type PublicationStep,
} from '../../rules/publications/publications.ts'
import { networks, typesWith } from '../../rules/social/networks/networks.ts'
import { revealAgain } from '../../rules/social/networks/publisher.ts'
import type { PublicationError } from '../../rules/social/publication-errors.ts'
import { isFar } from '../../rules/start-ahead.ts'
import { insertions, insertRow } from '../kit/database/insert.ts'
import { anyTenant } from '../kit/database/orm.ts'
import { type Sql, sql, text } from '../kit/database/sql.ts'
import { doubt, giveUp, settleByProof } from '../kit/effects.ts'
import { arrayOf, newId, uuids } from '../kit/ids.ts'
import { mediaFilesOf } from './media-facts.ts'
import { refOf } from './parts.ts'
import { digestOf } from './proofs.ts'
import { endPublication, failPublication, socialRevealEffect } from './reveals.ts'
import { SocialPart } from './social-part.ts'
import { SocialPublication } from './social-publication.ts'
import { SocialReveal } from './social-reveal.ts'

/** `late_max_s`: how long after its time a publication may be shown; `version`: of Graph. */
export type StepSettings = PublicationSettings & { late_max_s: number; version: string }

type Facts = PublicationFacts & { has_parts: boolean }

const ms = (interval: Sql) => sql`(extract(epoch from ${interval}) * 1000)::float8`
/** Types whose hidden posts and videos stay at the network until they are deleted, and the parts that are one. */
const dropTypes = typesWith(({ publisher }) => publisher.drop !== undefined).map((type) => `'${type}'`)
const leftover = text(`s.kind in ('post', 'video', 'reel') and p.type in (${dropTypes.join(', ')})`)

/** Undefined: there is no such publication. Its row is locked by the caller. */
async function factsOf(em: EntityManager, id: string, { late_max_s }: StepSettings): Promise<Facts | undefined> {
  const [row]: Facts[] = await em.execute(sql`
    select p.status, ${ms(sql`to_timestamp(p.scheduled_at) - clock_timestamp()`)} as due_ms,
      ${ms(sql`to_timestamp(p.scheduled_at) - clock_timestamp()`)} + ${late_max_s * 1000} as late_ms,
      p.permalink is not null as has_link, p.planned,
      exists (select 1 from social_parts s where s.publication_id = p.id and s.tenant_id = p.tenant_id) as has_parts,
      coalesce(t.status, 'ARCHIVED') = 'ARCHIVED' as is_archived,
      jsonb_build_object(
        'id', c.id, 'status', c.status, 'token_version', c.token_version, 'paused_ms',
        coalesce(${ms(sql`to_timestamp(c.paused_until) - clock_timestamp()`)}, 0)
      ) as connection,
      coalesce(
        (
          select jsonb_agg(
            jsonb_build_object(
              'id', s.id, 'state', s.state, 'usable', s.usable, 'error', s.error, 'left_ms',
              ${ms(sql`s.expires_at - clock_timestamp()`)}, 'wait_ms',
              coalesce(${ms(sql`greatest(s.look_at, s.lease_until) - clock_timestamp()`)}, 0)
            )
            order by s.position
          )
          from social_parts s
          where s.publication_id = p.id and s.tenant_id = p.tenant_id and s.run = p.run
        ),
        '[]'
      ) as parts,
      coalesce(
        (
          select jsonb_agg(
            jsonb_build_object(
              'id', s.id, 'wait_ms', coalesce(${ms(sql`greatest(s.look_at, s.lease_until) - clock_timestamp()`)}, 0)
            )
          )
          from social_parts s
          where s.publication_id = p.id
            and s.tenant_id = p.tenant_id
            and ${leftover}
            and s.ref is not null
            and s.tries < 20
            and (s.run <> p.run or p.status in ('draft', 'cancelled', 'failed'))
            and not exists (
              select 1
              from social_reveals r
              where r.publication_id = p.id and r.run = s.run and r.sent_at is not null
            )
        ),
        '[]'
      ) as leftovers,
      (
        select jsonb_build_object(
          'id', r.id, 'n', r.n, 'status', r.status, 'answered', r.answered_at is not null, 'code', r.error ->> 'code',
          'token_version', r.token_version, 'attempt', r.attempt, 'claimed_ms',
          coalesce(${ms(sql`clock_timestamp() - r.claimed_at`)}, 0), 'since_ms',
          coalesce(${ms(sql`clock_timestamp() - coalesce(r.settled_at, r.answered_at)`)}, 0), 'proofs', r.proofs,
          'hidden', r.hidden, 'links', r.links, 'check', r.check_at is not null, 'has_post',
          r.provider_post_id is not null
        )
        from social_reveals r
        where r.publication_id = p.id and r.tenant_id = p.tenant_id
        order by r.n desc
        limit 1
      ) as reveal
    from social_publications p
    join social_connections c on c.id = p.social_connection_id and c.tenant_id = p.tenant_id
    left join tenants t on t.id = p.tenant_id
    where p.id = ${id}
  `)
  return row
}

const read = (em: EntityManager, id: string) =>
  em.findOneOrFail(SocialPublication, { id }, { ...anyTenant, refresh: true })

/** Writes the parts of this run, or rejects the content: faults of files are reported before the scheduled time. */
async function plan(em: EntityManager, publication: SocialPublication, now: number): Promise<void> {
  const { id, tenant_id, type, content, run } = publication
  const files = await mediaFilesOf(em, tenant_id, content.media_ids)
  const [issue] = contentIssues(type, content, files, config.social).filter(({ severity }) => severity === 'error')
  if (issue) {
    const { code, detail: message, pointer } = issue
    const media_id = content.media_ids[Number(/^\/content\/media_ids\/(\d+)$/.exec(pointer)?.[1])]
    return failPublication(em, publication, { code, message, pointer, ...(media_id ? { media_id } : {}) }, now)
  }
  const parts = networks[type].publisher.plan(content, new Map(files.map((file) => [file.id, file.kind])))
  await em.execute(sql`
    update social_publications
    set planned = true
    where id = ${id} and tenant_id = ${tenant_id}
  `)
  if (parts.length === 0) return
  const same = { tenant_id, created_at: now, updated_at: now, publication_id: id, run }
  await em.execute(sql`
    ${insertions(
      em,
      SocialPart,
      same,
      parts.map((part, position) => ({ id: newId(), position, ...part })),
    )}
    on conflict do nothing
  `)
}

/**
 * When the first call with this text was sent that the network put off, and may have carried out all the same; Unix
 * seconds. Null for none.
 */
async function putOffSince(
  em: EntityManager,
  { id, tenant_id }: Key,
  textDigest: string | null,
): Promise<number | null> {
  if (textDigest === null) return null
  const [row]: { since: number | null }[] = await em.execute(sql`
    select floor(extract(epoch from min(r.sent_at)))::float8 as since
    from social_reveals r
    where r.publication_id = ${id}
      and r.tenant_id = ${tenant_id}
      and r.text_digest = ${textDigest}
      and r.status = 'rejected'
      and r.error ->> 'code' = any (${arrayOf(revealAgain)}::text[])
  `)
  return row?.since ?? null
}

/**
 * Writes the reveal with its exact request, and returns its id: what is shown is decided here. Null if it is not time
 * by the database's clock.
 */
async function begin(
  em: EntityManager,
  publication: SocialPublication,
  n: number,
  { late_max_s, version }: StepSettings,
  now: number,
): Promise<string | null> {
  const { id, tenant_id, run, type, content, social_connection_id } = publication
  const rows: { account: string; username: string | null }[] = await em.execute(sql`
    update social_publications p
    set status = 'publishing', updated_at = ${now}
    from social_connections c
    where p.id = ${id}
      and p.tenant_id = ${tenant_id}
      and p.status in ('scheduled', 'publishing')
      and to_timestamp(p.scheduled_at) <= clock_timestamp()
      and c.id = p.social_connection_id
      and c.tenant_id = p.tenant_id
    returning c.provider_account_id as account, c.username
  `)
  if (!rows[0]) return null
  const parts = await em.find(SocialPart, { publication_id: id, run }, { ...anyTenant, orderBy: { position: 'asc' } })
  const { request, subject: shown } = networks[type].publisher.reveal(
    { ...rows[0], version, content },
    parts.map(refOf),
  )
  const text_digest = digestOf(shown.text)
  const since = await putOffSince(em, publication, text_digest)
  const subject = since === null ? shown : { ...shown, since }
  const due = (publication.scheduled_at ?? 0) * 1000
  const reveal = newId()
  await insertRow(em, SocialReveal, {
    ...{
      id: reveal,
      tenant_id,
      created_at: now,
      updated_at: now,
      publication_id: id,
      social_connection_id,
      type,
      run,
      n,
      fingerprint: '',
    },
    ...{ not_before: new Date(due), not_after: new Date(due + late_max_s * 1000), subject, text_digest },
    request: JSON.stringify({ tenant_id, type, social_connection_id, subject, call: request }),
  })
  return reveal
}

const unproved: PublicationError = {
  code: 'outcome_unknown',
  message:
    'The network did not say whether the post was published, and no read proves it: it may or may not be visible. It is not sent again. Check it, or look at the network and resolve it.',
}

async function take(
  em: EntityManager,
  step: Exclude<OwnStep, { do: 'begin' }>,
  publication: SocialPublication,
  now: number,
): Promise<void> {
  const { tenant_id, id } = publication
  switch (step.do) {
    case 'plan':
      return plan(em, publication, now)
    case 'renew':
      await em.execute(sql`
        update social_parts
        set state = 'new', ref = null, bytes = 0, look_at = null, expires_at = null, usable = false, updated_at = ${now}
        where id = any (${uuids(step.ids)}) and tenant_id = ${tenant_id}
      `)
      return
    case 'withdraw':
      await giveUp(em, socialRevealEffect, step.id, true)
      return
    case 'fail':
      return failPublication(em, publication, step.error, now)
    case 'refuse': {
      const { error } = await em.findOneOrFail(SocialReveal, { id: step.id }, { ...anyTenant, refresh: true })
      await settleByProof(
        em,
        socialRevealEffect,
        step.id,
        { status: 'rejected', evidence: { proof: 'hidden' }, error: error ?? undefined },
        ['processing'],
      )
      return
    }
    case 'doubt':
      await doubt(em, socialRevealEffect, step.id)
      return endPublication(em, await read(em, id), { status: 'unknown', error: unproved }, now)
  }
}

const own: ReadonlySet<string> = new Set<OwnStep['do']>([
  'plan',
  'renew',
  'begin',
  'withdraw',
  'fail',
  'refuse',
  'doubt',
])
const isOwn = (step: OwnStep | PublicationStep): step is OwnStep => own.has(step.do)

/**
 * Takes the steps on our own rows, and returns the first that is not; see rules/publications/publications.ts. `now` in
 * Unix seconds, for the times that are shown.
 */
export async function publicationStep(
  em: EntityManager,
  id: string,
  settings: StepSettings,
  now: number,
): Promise<PublicationStep> {
  const noStep: PublicationStep = { do: 'done', outcome: 'succeeded' satisfies EffectStatus }
  // Locked: steps of the publication and changes by an operator take turns.
  const [locked]: Key[] = await em.execute(
    sql`select id, tenant_id from social_publications where id = ${id} for no key update`,
  )
  if (!locked) return noStep
  // Each own step leads on: their number is bounded by the states of a publication.
  for (let steps = 0; steps < 10; steps++) {
    const facts = await factsOf(em, id, settings)
    if (!facts) return noStep
    const step = nextPublicationStep(facts, settings)
    if (!isOwn(step)) return leave(em, locked, facts, step)
    const publication = await read(em, id)
    if (step.do !== 'begin') await take(em, step, publication, now)
    else {
      const reveal = await begin(em, publication, (facts.reveal?.n ?? 0) + 1, settings, now)
      if (reveal) return leave(em, locked, facts, { do: 'reveal', id: reveal })
    }
  }
  throw new Error(`the steps of publication ${id} lead nowhere`)
}

type Key = Pick<SocialPublication, 'id' | 'tenant_id'>

/**
 * Notes when the workflow looks again, for the reconciler. Until its time is near, the row waits. What was made for a
 * publication that has ended is forgotten.
 */
async function leave(
  em: EntityManager,
  { id, tenant_id }: Key,
  { status, has_parts }: Facts,
  step: PublicationStep,
): Promise<PublicationStep> {
  const far = step.do === 'wait' && status === 'scheduled' && step.for === 'time' && isFar(step.wait_ms)
  const ends = step.do === 'done'
  const wait_ms = step.do === 'wait' ? step.wait_ms : 0
  await em.execute(sql`
    update social_publications
    set
      look_at = case
        when ${ends || far} then null
        else clock_timestamp() + make_interval(secs => ${wait_ms / 1000})
      end,
      started = ${!far}
    where id = ${id} and tenant_id = ${tenant_id}
  `)
  if (ends && has_parts)
    await em.execute(sql`delete from social_parts where publication_id = ${id} and tenant_id = ${tenant_id}`)
  return far ? { do: 'done', outcome: 'requested' } : step
}
