// The reveal of a publication and what follows from its outcome, in one transaction: no publication is shown and called
// failed.
import type { EntityManager } from '@mikro-orm/postgresql'
import { serialize } from '../../rules/serialize.ts'
import { networks } from '../../rules/social/networks/networks.ts'
import { type RevealAgain, revealAgain } from '../../rules/social/networks/publisher.ts'
import type { PublicationError } from '../../rules/social/publication-errors.ts'
import { SocialPublicationOut, type SocialPublicationStatus } from '../../rules/social/resources.ts'
import { anyTenant } from '../kit/database/orm.ts'
import { json, sql } from '../kit/database/sql.ts'
import { effectRow, settleByProof } from '../kit/effects.ts'
import { start } from '../kit/outbox.ts'
import { emit } from '../webhooks/events.ts'
import { SocialPublication } from './social-publication.ts'
import { SocialReveal } from './social-reveal.ts'

/** What the API and events return of a publication. */
export const shownPublication = (publication: SocialPublication): unknown =>
  serialize(SocialPublicationOut, publication)

/** Wakes the workflow of a publication, or starts it. */
export const lookAtPublication = (
  em: EntityManager,
  { id, tenant_id }: Pick<SocialPublication, 'id' | 'tenant_id'>,
  awaited = false,
) => start(em, 'publication', id, { tenant_id, signal: true, awaited })

type Ended = { status: SocialPublicationStatus } & Partial<
  Pick<SocialPublication, 'error' | 'published_at' | 'provider_post_id' | 'permalink'>
>
const events = {
  published: 'social_publication.published',
  failed: 'social_publication.failed',
  unknown: 'social_publication.unknown',
} as const

/**
 * A publication is not being published any more: its files may be deleted, and webhooks and workflows are told. The
 * publication is locked.
 */
export async function endPublication(
  em: EntityManager,
  publication: SocialPublication,
  ended: Ended,
  now: number,
): Promise<void> {
  const { tenant_id, id } = publication
  em.assign(publication, { error: null, ...ended, updated_at: now, look_at: new Date(now * 1000) })
  await em.flush()
  if (publication.content.media_ids.length > 0)
    await em.execute(sql`delete from publication_media where tenant_id = ${tenant_id} and publication_id = ${id}`)
  const event = events[ended.status as keyof typeof events]
  if (event) await emit(em, tenant_id, event, () => shownPublication(publication), now)
}

export const failPublication = (
  em: EntityManager,
  publication: SocialPublication,
  error: PublicationError,
  now: number,
): Promise<void> => endPublication(em, publication, { status: 'failed', error }, now)

const secondsOf = (at: Date | null | undefined, now: number): number => (at ? Math.floor(at.getTime() / 1000) : now)

async function shown(em: EntityManager, reveal: SocialReveal, publication: SocialPublication): Promise<void> {
  const { type, sent_at, updated_at: now, provider_post_id = null, tenant_id } = reveal
  const permalink = provider_post_id === null ? null : await permalinkOf(em, type, provider_post_id, publication)
  if (publication.status === 'published') return
  await endPublication(
    em,
    publication,
    { status: 'published', published_at: secondsOf(sent_at, now), provider_post_id, permalink },
    now,
  )
  // Its permalink is still to be read, by a workflow that may have ended.
  if (permalink === null) await lookAtPublication(em, { id: publication.id, tenant_id })
}

/** The permalink, where the network's are made of its ids. */
async function permalinkOf(
  em: EntityManager,
  type: SocialReveal['type'],
  post: string,
  { social_connection_id, tenant_id }: SocialPublication,
) {
  const ofName = async () => {
    const [row]: { username: string | null }[] = await em.execute(sql`
      select username
      from social_connections
      where id = ${social_connection_id} and tenant_id = ${tenant_id}
    `)
    return row?.username ?? null
  }
  const { permalink } = networks[type].publisher
  return permalink.kind === 'made' ? permalink.of(post, permalink.named ? await ofName() : null) : null
}

/**
 * Nothing was shown, and another call may be made: parts that were not ready, or that the network has forgotten, are
 * looked at again.
 */
async function prepareAgain(
  em: EntityManager,
  again: RevealAgain,
  { publication_id, tenant_id, run }: SocialReveal,
): Promise<void> {
  if (again === 'not_ready')
    await em.execute(sql`
      update social_parts
      set state = 'made', look_at = clock_timestamp() + interval '2 s'
      where publication_id = ${publication_id} and tenant_id = ${tenant_id} and run = ${run}
    `)
  if (again === 'part_expired')
    await em.execute(sql`
      update social_parts
      set state = 'new', ref = null, bytes = 0, look_at = null, expires_at = null, usable = false
      where publication_id = ${publication_id} and tenant_id = ${tenant_id} and run = ${run}
    `)
}

async function settled(em: EntityManager, id: string): Promise<void> {
  const reveal = await em.findOneOrFail(SocialReveal, { id }, { ...anyTenant, refresh: true })
  const publication = await em.findOneOrFail(
    SocialPublication,
    { id: reveal.publication_id as string },
    { ...anyTenant, refresh: true },
  )
  const { status, error, updated_at: now } = reveal
  if (status === 'succeeded') return shown(em, reveal, publication)
  if (status === 'unknown' && publication.status !== 'published' && publication.status !== 'unknown') {
    // A publication that was cancelled or had failed is included, if commits were lost: reads decide.
    em.assign(publication, {
      status: 'publishing',
      run: reveal.run,
      scheduled_at: publication.scheduled_at ?? now,
      updated_at: now,
      look_at: new Date(now * 1000),
    })
    return em.flush()
  }
  if (status !== 'rejected') return
  const again = revealAgain.find((code) => code === error?.code)
  if (again) return prepareAgain(em, again, reveal)
  if (publication.status === 'publishing' || publication.status === 'unknown')
    await failPublication(
      em,
      publication,
      error ?? { code: 'network_refused', message: 'The network refused the publication.' },
      now,
    )
}

/**
 * The stamp sees `withdrawn` and the times in its own row; of the other rows it sees what was committed when it began.
 */
const isWanted = sql`
  (
    not e.withdrawn
    and clock_timestamp() >= e.not_before
    and clock_timestamp() < e.not_after
    and exists (
      select 1
      from social_publications p
      where p.id = e.publication_id and p.tenant_id = e.tenant_id and p.status = 'publishing' and p.run = e.run
    )
    and exists (
      select 1
      from social_connections c
      where c.id = e.social_connection_id and c.tenant_id = e.tenant_id and c.status = 'active'
    )
    and not exists (select 1 from tenants t where t.id = e.tenant_id and t.status = 'ARCHIVED')
  )
`

export const socialRevealEffect = effectRow('social_reveal', {
  processId: sql`e.publication_id`,
  precondition: isWanted,
  // Another call was made since: only the newest one may have been lost.
  refused: sql`
    e.attempt = 0
    or exists (
      select 1
      from social_reveals o
      where o.publication_id = e.publication_id and o.tenant_id = e.tenant_id and o.n > e.n
    )
  `,
  // The publication is locked before its reveals, as everywhere.
  lock: async (em, id) => {
    await em.execute(sql`
      select 1
      from social_publications p
      join social_reveals e on e.publication_id = p.id and e.tenant_id = p.tenant_id
      where e.id = ${id}
      for no key update of p
    `)
  },
  afterStatusChange: settled,
  async late(em, id, columns) {
    // The network's own answer is a proof, however late it is.
    const { provider_post_id = null } = columns
    const [row]: { says: string | null; id: string; tenant_id: string }[] = await em.execute(sql`
      select late_evidence ->> 'status' as says, publication_id as id, tenant_id
      from social_reveals
      where id = ${id} and status = 'unknown'
    `)
    if (row?.says !== 'succeeded') return
    await settleByProof(
      em,
      socialRevealEffect,
      id,
      { status: 'succeeded', evidence: { proof: 'late_answer' }, columns: { provider_post_id } },
      ['unknown'],
    )
    // Its workflow may have failed as unknown.
    await lookAtPublication(em, row)
  },
})

/** The reveal that has an outcome other than that nothing was shown, or may have one; locked, with its publication. */
export async function openReveal(em: EntityManager, publicationId: string): Promise<SocialReveal | null> {
  await em.execute(sql`
    select 1
    from social_reveals
    where publication_id = ${publicationId} and status <> 'rejected' and status <> 'failed'
    for no key update
  `)
  return em.findOne(
    SocialReveal,
    { publication_id: publicationId, status: { $nin: ['rejected', 'failed'] } },
    { ...anyTenant, refresh: true },
  )
}

/**
 * The reveal is not sent any more. False: it was, or may have been. An attempt that is between its claim and its stamp
 * reads `withdrawn` in the stamp, which waits for this row's lock. The publication and the reveal are locked.
 */
export async function withdrawReveal(
  em: EntityManager,
  reveal: SocialReveal,
  error: PublicationError,
): Promise<boolean> {
  const { id, tenant_id } = reveal
  const rows: unknown[] = await em.execute(sql`
    update social_reveals
    set withdrawn = true, status = case when status = 'requested' then 'failed' else status end,
      settled_at = case when status = 'requested' then clock_timestamp() end, error = ${json(error)}
    where id = ${id}
      and tenant_id = ${tenant_id}
      and status in ('requested', 'processing')
      and sent_at is null
      and answered_at is null
    returning id
  `)
  return rows.length > 0
}
