// After a failover or a restore, the call that showed a publication may be lost with its row: a publication that was
// due is not shown again.
import type { EntityManager } from '@mikro-orm/postgresql'
import { networks } from '../../rules/social/networks/networks.ts'
import type { RevealSubject } from '../../rules/social/networks/publisher.ts'
import { SocialConnection } from '../connections/social-connection.ts'
import { insertRow } from '../kit/database/insert.ts'
import { anyTenant } from '../kit/database/orm.ts'
import { type Sql, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { refOf } from './parts.ts'
import { digestOf } from './proofs.ts'
import { SocialPart } from './social-part.ts'
import { SocialPublication } from './social-publication.ts'
import { SocialReveal } from './social-reveal.ts'

/**
 * `since`: of the last commit that is certainly not lost, in Unix seconds. `late_max_s`: how long after its time a
 * publication may be shown; `version`: of Graph.
 */
export type Lost = { since: number; late_max_s: number; version: string }

/** Due by now, and not too late to be shown at `since`; without a call that is unknown already. */
const due = ({ since, late_max_s }: Lost): Sql => sql`
  p.status in ('scheduled', 'publishing')
  and to_timestamp(p.scheduled_at) <= clock_timestamp()
  and p.scheduled_at > ${since - late_max_s}
  and not exists (
    select 1
    from social_reveals r
    where r.publication_id = p.id and r.tenant_id = p.tenant_id and r.status <> 'rejected' and r.status <> 'failed'
  )
`

/** Finds the publications of all tenants, after the effects were quarantined. */
export async function toQuarantinePublications(em: EntityManager, lost: Lost): Promise<string[]> {
  const rows: { id: string }[] = await em.execute(
    sql`select p.id from social_publications p where ${due(lost)} order by p.id`,
  )
  return rows.map(({ id }) => id)
}

/** A file of network d proves its post: where its name is lost, a post of the text alone is another one. */
const named = (subject: RevealSubject, hasMedia: boolean): RevealSubject =>
  subject.kind === 'tweet' && hasMedia && subject.keys?.length === 0 ? { ...subject, keys: [''] } : subject

/**
 * Writes the call that may have been made, as unknown: reads look for the post, and nothing is sent. False: the
 * publication has changed.
 */
export async function quarantinePublication(em: EntityManager, id: string, lost: Lost, now: number): Promise<boolean> {
  // Locked: steps of the publication wait, and find the unknown call.
  const rows: { n: number }[] = await em.execute(sql`
    select (
      select coalesce(max(r.n), 0)
      from social_reveals r
      where r.publication_id = p.id and r.tenant_id = p.tenant_id
    )::int as n
    from social_publications p
    where p.id = ${id} and ${due(lost)}
    for no key update of p
  `)
  if (!rows[0]) return false
  const publication = await em.findOneOrFail(SocialPublication, { id }, { ...anyTenant, refresh: true })
  const { tenant_id, type, content, run, social_connection_id, scheduled_at } = publication
  const connection = await em.findOneOrFail(
    SocialConnection,
    { id: social_connection_id },
    { ...anyTenant, refresh: true },
  )
  const parts = await em.find(SocialPart, { publication_id: id, run }, { ...anyTenant, orderBy: { position: 'asc' } })
  const { provider_account_id: account, username = null } = connection
  const { subject } = networks[type].publisher.reveal(
    { account, username, version: lost.version, content },
    parts.map(refOf),
  )
  const at = new Date((scheduled_at ?? now) * 1000)
  await insertRow(em, SocialReveal, {
    ...{
      id: newId(),
      tenant_id,
      created_at: now,
      updated_at: now,
      publication_id: id,
      social_connection_id,
      type,
      run,
      n: rows[0].n + 1,
      fingerprint: '',
    },
    ...{
      not_before: at,
      not_after: new Date(now * 1000),
      subject: named(subject, content.media_ids.length > 0),
      text_digest: digestOf(subject.text),
    },
    // It may have been sent at any time until now.
    ...{ status: 'unknown', sent_at: at, deadline_at: new Date(now * 1000), settled_at: new Date(now * 1000) },
    error: { code: 'quarantined', message: 'Commits may have been lost: it may or may not have happened.' },
  })
  em.assign(publication, { status: 'publishing', started: true, updated_at: now, look_at: at })
  await em.flush()
  return true
}
