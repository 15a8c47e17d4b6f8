// What a read of the network proves of a reveal whose answer does not: it is settled, or counted among the reads that
// proved nothing.
import { createHash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FoundPost, Seen, Window } from '../../rules/social/networks/publisher.ts'
import { comparable } from '../../rules/social/networks/texts.ts'
import { lockAccount, sameAccount } from '../connections/same-account.ts'
import { SocialConnection } from '../connections/social-connection.ts'
import { anyTenant } from '../kit/database/orm.ts'
import { json, sql } from '../kit/database/sql.ts'
import { settleByProof } from '../kit/effects.ts'
import { socialRevealEffect } from './reveals.ts'
import { SocialPublication } from './social-publication.ts'
import { SocialReveal } from './social-reveal.ts'

export type Sought = {
  reveal: SocialReveal
  publication: SocialPublication
  connection: SocialConnection
  window: Window
}

/** The clocks of the network and of the database may differ, and what was sent may have arrived late. Unix seconds. */
const earlyS = 5
const lateS = 60

/** The digest of the text as networks show it; null for none. */
export const digestOf = (text: string): string | null =>
  text === '' ? null : createHash('sha256').update(comparable(text)).digest('hex')

/** Undefined: it was never sent, or does not exist. */
export async function soughtOf(em: EntityManager, revealId: string): Promise<Sought | undefined> {
  const reveal = await em.findOne(SocialReveal, { id: revealId }, { ...anyTenant, refresh: true })
  if (!reveal) return undefined
  const publication = await em.findOneOrFail(
    SocialPublication,
    { id: reveal.publication_id as string },
    { ...anyTenant, refresh: true },
  )
  const connection = await em.findOneOrFail(
    SocialConnection,
    { id: reveal.social_connection_id },
    { ...anyTenant, refresh: true },
  )
  const sent = reveal.sent_at ?? reveal.settled_at ?? reveal.not_before
  const end = reveal.deadline_at ?? sent
  const from = Math.min(sent.getTime() / 1000, reveal.subject?.since ?? Number.POSITIVE_INFINITY)
  return { reveal, publication, connection, window: { from: from - earlyS, to: end.getTime() / 1000 + lateS } }
}

/** Ids of posts that no other record of the account has. */
async function free(
  em: EntityManager,
  { reveal, connection }: Sought,
  posts: readonly FoundPost[],
): Promise<FoundPost[]> {
  const ids = json(posts.map(({ id }) => id))
  const rows: { id: string }[] = await em.execute(sql`
    with account_connections as materialized (${sameAccount(connection)})
    select x.id
    from jsonb_array_elements_text(${ids}) as x(id)
    where not exists (
      select 1
      from account_connections c
      join social_reveals r on r.social_connection_id = c.id and r.tenant_id = c.tenant_id
      where r.provider_post_id = x.id and r.id <> ${reveal.id}
    )
      and not exists (
        select 1
        from account_connections c
        join social_publications p on p.social_connection_id = c.id and p.tenant_id = c.tenant_id
        where p.provider_post_id = x.id and p.id <> ${reveal.publication_id as string}
      )
  `)
  return posts.filter(({ id }) => rows.some((row) => row.id === id))
}

/** Whether another call with the same text, or also without one, may have made a post in that time. */
async function hasRival(em: EntityManager, { reveal, connection, window }: Sought): Promise<boolean> {
  const { text_digest = null } = reveal
  const rows: unknown[] = await em.execute(sql`
    with account_connections as materialized (${sameAccount(connection)})
    select 1
    from account_connections c
    join social_reveals r on r.social_connection_id = c.id and r.tenant_id = c.tenant_id
    where r.text_digest ${text_digest === null ? sql`is null` : sql`= ${text_digest}`}
      and r.id <> ${reveal.id}
      and r.sent_at between to_timestamp(${window.from}) - interval '10 minutes' and to_timestamp(${window.to})
      and (r.status in ('processing', 'unknown') or r.status = 'succeeded' and r.provider_post_id is null)
    limit 1
  `)
  return rows.length > 0
}

/**
 * The post of the reveal among those with its text: the only one, and no other call may have made it. The account is
 * locked.
 */
async function onlyOne(em: EntityManager, sought: Sought, alike: readonly FoundPost[]): Promise<FoundPost | null> {
  // Rivals first: one that is settled after this statement has its post in the next one.
  if (alike.length === 0 || (await hasRival(em, sought))) return null
  const own = await free(em, sought, alike)
  return own.length === 1 ? (own[0] as FoundPost) : null
}

/**
 * `seen` undefined: the network could not be read. `alike`: own posts with the text, where the read that proves it does
 * not name the post.
 */
export type Read = { seen: Seen | undefined; alike: readonly FoundPost[] }

/** Settles the reveal, or counts the read. Two searches for the same text take turns: a post proves one of them. */
export async function recordRead(em: EntityManager, { seen, alike }: Read, sought: Sought): Promise<void> {
  const { reveal, connection } = sought
  const { id, tenant_id } = reveal
  await lockAccount(em, connection)
  // Locked after the account: steps and changes of the publication wait for the proof.
  await em.execute(sql`
    select 1
    from social_publications
    where id = ${reveal.publication_id as string} and tenant_id = ${tenant_id}
    for no key update
  `)
  const post = seen?.shown
    ? (seen.post ?? (await onlyOne(em, sought, alike)))
    : seen
      ? await onlyOne(em, sought, seen.alike)
      : null
  if (seen?.shown || post) {
    const columns = { provider_post_id: post?.id ?? null, check_at: null }
    if (
      await settleByProof(em, socialRevealEffect, id, { status: 'succeeded', evidence: { proof: 'read' }, columns }, [
        'processing',
        'unknown',
      ])
    )
      return
  }
  const hidden = seen && !seen.shown && seen.hidden
  await em.execute(sql`
    update social_reveals
    set proofs = proofs + 1, hidden = hidden + ${hidden ? 1 : 0}, check_at = null
    where id = ${id} and tenant_id = ${tenant_id} and status in ('processing', 'unknown') and proofs = ${reveal.proofs}
  `)
}

/** The permalink of a published post, and its id, if they were found. Counts the read. */
export async function recordLink(
  em: EntityManager,
  sought: Sought,
  found: { alike: readonly FoundPost[]; post: string | null; permalink: string | null },
): Promise<void> {
  const { reveal, publication } = sought
  const { id, tenant_id } = reveal
  await lockAccount(em, sought.connection)
  const only = found.post === null ? await onlyOne(em, sought, found.alike) : null
  const post = found.post ?? only?.id ?? null
  const permalink = found.permalink ?? only?.permalink ?? null
  await em.execute(sql`
    update social_publications
    set provider_post_id = coalesce(provider_post_id, ${post}),
      permalink = coalesce(permalink, ${permalink?.slice(0, 2048) ?? null}),
      updated_at = case
        when ${permalink !== null} then extract(epoch from clock_timestamp())::bigint
        else updated_at
      end
    where id = ${publication.id} and tenant_id = ${tenant_id} and status = 'published'
  `)
  await em.execute(sql`
    update social_reveals
    set links = links + 1, provider_post_id = coalesce(provider_post_id, ${post})
    where id = ${id} and tenant_id = ${tenant_id} and links = ${reveal.links}
  `)
}
