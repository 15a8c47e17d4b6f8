// Stored comments: pages of them, their place in threads, and what remains of one that the network does not have any
// more.
import { createHash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { classifiedText } from '../../rules/engagement/classification.ts'
import type { CommentLabel } from '../../rules/engagement/comments.ts'
import { nothing, type Sql, sql } from '../kit/database/sql.ts'
import type { SocialComment } from './social-comment.ts'

/** The digest of a text as a model classifies it; null for a text that is not classified. */
export function classifiedDigest(comment: string): string | null {
  const text = classifiedText(comment)
  return text === null ? null : createHash('sha256').update(text).digest('hex')
}

type Of = { tenant_id: string; publication_id: string }

/**
 * Erases the comments of a condition on `c`, and with `withReplies` those below them. A statement whose rows say
 * whether the condition named them.
 */
export function eraseComments(condition: Sql, withReplies: boolean, { tenant_id, publication_id }: Of): Sql {
  const named = sql`select c.id, true as listed from social_comments c where ${condition}`
  // By their ids alone: the indexes of a publication would compare each of its comments with each that is named. No
  // index serves `is not distinct from`.
  const below = sql`select r.id, false from matched_comments m join social_comments r on r.root_id = m.id`
  return sql`
    update social_comments e
    set gone_at = extract(epoch from clock_timestamp())::bigint,
      updated_at = extract(epoch from clock_timestamp())::bigint, author = null, text = null, text_digest = null,
      like_count = null, reply_count = null, label = null, sentiment = null, needs_reply = null
    from (
      with matched_comments as materialized (${named})
      select *
      from matched_comments${withReplies ? sql` union all ${below}` : nothing}
    ) erased_comments
    where e.id = erased_comments.id
      and e.tenant_id is not distinct from ${tenant_id}
      and e.publication_id is not distinct from ${publication_id}
      and e.gone_at is null
    returning erased_comments.listed
  `
}

/**
 * Gives replies the comment that they answer and the root of their thread, as far as those are stored: a listing may
 * have a reply before the comment that it answers.
 * A thread with an own reply is answered.
 */
export async function placeReplies(em: EntityManager, { tenant_id, publication_id }: Of): Promise<void> {
  await em.execute(sql`
    with recursive placed_comments as (
      select u.id, u.provider_comment_id, u.own, p.id as parent_id, coalesce(p.root_id, p.id) as root_id
      from social_comments u
      join social_comments p
        on p.tenant_id = u.tenant_id
        and p.publication_id = u.publication_id
        and p.provider_comment_id = u.parent_provider_id
      where u.tenant_id = ${tenant_id}
        and u.publication_id = ${publication_id}
        and u.root_id is null
        and u.parent_provider_id is not null
        and (p.root_id is not null or p.parent_provider_id is null)
      union all
      select u.id, u.provider_comment_id, u.own, p.id, p.root_id
      from placed_comments p
      join social_comments u
        on u.tenant_id = ${tenant_id}
        and u.publication_id = ${publication_id}
        and u.root_id is null
        and u.parent_provider_id = p.provider_comment_id
    ),
    answered_comments as (
      update social_comments r
      set answered = true
      from (select distinct root_id from placed_comments where own) roots
      where r.id = roots.root_id and r.tenant_id = ${tenant_id} and not r.answered
    )
    update social_comments c
    set parent_id = p.parent_id, root_id = p.root_id
    from placed_comments p
    where c.id = p.id and c.tenant_id = ${tenant_id}
  `)
}

/** `value`, `id`: of the last row of the page before. */
export type From = { value: number; id: string } | null
export type Filters = {
  label?: CommentLabel | undefined
  needs_reply?: boolean | undefined
  answered?: boolean | undefined
}
export type CommentRow = SocialComment

/** One more than `limit` says that there are more. Top-level comments, newest first, without those that are gone. */
export function commentsPage(
  em: EntityManager,
  { tenant_id, publication_id }: Of,
  filters: Filters,
  from: From,
  limit: number,
): Promise<CommentRow[]> {
  const { label, needs_reply, answered } = filters
  const conditions = [
    label === undefined ? sql`` : sql` and label = ${label}`,
    needs_reply === undefined ? sql`` : sql` and needs_reply = ${needs_reply}`,
    answered === undefined ? sql`` : sql` and answered = ${answered}`,
    from === null ? sql`` : sql` and (provider_created_at, id) < (${from.value}, ${from.id}::uuid)`,
  ].reduce((all, one) => sql`${all}${one}`)
  return em.execute(sql`
    select *
    from social_comments
    where tenant_id = ${tenant_id}
      and publication_id = ${publication_id}
      and parent_provider_id is null
      and gone_at is null${conditions}
    order by provider_created_at desc, id desc
    limit ${limit + 1}
  `)
}

/**
 * Replies below a comment, oldest first; one more than `limit` says that there are more. Those that are gone keep their
 * place.
 */
export const threadPage = (
  em: EntityManager,
  tenantId: string,
  rootId: string,
  from: From,
  limit: number,
): Promise<CommentRow[]> =>
  em.execute(sql`
    select *
    from social_comments
    where root_id = ${rootId}
      and tenant_id = ${tenantId}
      and ${from === null ? sql`true` : sql`(provider_created_at, id) > (${from.value}, ${from.id}::uuid)`}
    order by provider_created_at, id
    limit ${limit + 1}
  `)
