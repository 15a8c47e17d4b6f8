// What validation reports beside the limits of a network: posts of the same text, and a day that is full. Nothing is
// written.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import type { Issue, SocialContent } from '../../rules/publications/content.ts'
import { contentIssues } from '../../rules/publications/content-issues.ts'
import { invalid } from '../../rules/refusal.ts'
import { networks } from '../../rules/social/networks/networks.ts'
import { refusesDuplicates } from '../../rules/social/refusals.ts'
import { SocialConnection } from '../connections/social-connection.ts'
import { json, sql } from '../kit/database/sql.ts'
import { mediaFilesOf } from './media-facts.ts'
import { SocialPublication } from './social-publication.ts'

const dayS = 86_400

type Validated = { social_connection_id: string; content: SocialContent; publication_id: string | null }
type Day = { before: number; after: number; repeated: boolean }

/**
 * Publications of the connection that are visible, or will be, a day before and after now; `repeated`: one of them says
 * the same. By the connection and its times.
 */
async function dayOf(
  em: EntityManager,
  tenantId: string,
  { social_connection_id, content, publication_id }: Validated,
  now: number,
): Promise<Day> {
  const { type, title, media_ids } = content
  const caption = (content.caption ?? '').trim().toLowerCase()
  // Some networks refuse a text that is visible, with any files.
  const sameFiles =
    refusesDuplicates(type) && caption !== '' ? sql`true` : sql`content -> 'media_ids' = ${json(media_ids)}`
  const isSame = sql`
    lower(btrim(coalesce(content ->> 'caption', ''))) = ${caption}
    and content ->> 'title' is not distinct from ${title}
    and ${sameFiles}
  `
  const [row]: Day[] = await em.execute(sql`
    select count(*) filter (where scheduled_at <= ${now})::int as before,
      count(*) filter (where scheduled_at > ${now})::int as after, coalesce(bool_or(${isSame}), false) as repeated
    from social_publications
    where tenant_id = ${tenantId}
      and social_connection_id = ${social_connection_id}
      and scheduled_at > ${now - dayS}
      and scheduled_at < ${now + dayS}
      and status in ('scheduled', 'publishing', 'published', 'unknown')
      and id is distinct from ${publication_id}
  `)
  return row as Day
}

/** Validates content that is not stored. 422 `connection_unknown`, `publication_unknown`. */
export async function validateContent(
  em: EntityManager,
  tenantId: string,
  draft: Validated,
  now: number,
): Promise<Issue[]> {
  const { content } = draft
  const connection = await em.findOne(SocialConnection, {
    id: draft.social_connection_id,
    status: { $ne: 'disconnected' },
  })
  if (!connection)
    throw invalid('/social_connection_id', 'connection_unknown', 'There is no such connection, or it is disconnected.')
  if (draft.publication_id !== null && (await em.count(SocialPublication, { id: draft.publication_id })) === 0)
    throw invalid('/publication_id', 'publication_unknown', 'The {store} has no such publication.')
  const issues = contentIssues(
    connection.type,
    content,
    await mediaFilesOf(em, tenantId, content.media_ids),
    config.social,
  )
  const warn = (pointer: string, code: string, detail: string, more: Partial<Issue> = {}) =>
    issues.push({ pointer, code, detail, severity: 'warning', ...more })
  if (connection.status !== 'active')
    warn(
      '/social_connection_id',
      'connection_not_active',
      'The connection does not serve any more. Connect the account again.',
    )
  const { posts_per_day: limit } = networks[connection.type].capability
  const { before, after, repeated } = await dayOf(em, tenantId, draft, now)
  if (repeated)
    warn(
      '/content/caption',
      'duplicate_content',
      'Another publication on this connection, of the last 24 hours or the next, says the same.',
    )
  const most = Math.max(before, after)
  if (limit !== null && most >= limit)
    warn('/social_connection_id', 'network_quota', `The network accepts ${limit} publications in 24 hours.`, {
      limit,
      actual: most + 1,
    })
  return issues
}
