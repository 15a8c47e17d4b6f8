// The reaction that another one replies to: content of the same target that the author can see.
import type { EntityManager } from '@mikro-orm/postgresql'
import { REPLY_DEPTH_MAX } from '../../rules/community/reactions.ts'
import { invalid, notFound, type Refusal } from '../../rules/refusal.ts'
import { nothing, type Sql, sql } from '../kit/database/sql.ts'
import { type Author, type Target, type Viewer, visible } from './targets.ts'

export type Placed = { target: Target; parent_id: string | null }

export const viewerOf = ({ id, official }: Author): Viewer => (official ? 'operator' : { contact_id: id })

const shown = (tenantId: string, author: Author) =>
  author.official
    ? sql`r.status in ('published', 'pending') and ${visible(tenantId, 'operator')}`
    : visible(tenantId, viewerOf(author))

/**
 * `select ancestors …`: those of a reaction at this place; a row, if the place is the target itself, or a parent that
 * takes replies. `lock`: locks the parent as a key.
 */
export function parentOf(tenantId: string, author: Author, { target, parent_id }: Placed, lock = false): Sql {
  if (parent_id === null) return sql`select '{}'::uuid[] as ancestors`
  return sql`
    select r.ancestors || r.id as ancestors
    from reactions r
    where r.tenant_id = ${tenantId}
      and r.id = ${parent_id}
      and r.target_type = ${target.type}
      and r.target_id = ${target.id}
      and r.has_content
      and r.deleted_at is null
      and ${shown(tenantId, author)}${lock ? sql` for key share of r` : nothing}
  `
}

/** Why parentOf found nothing. One statement. */
export async function refuseParent(
  em: EntityManager,
  tenantId: string,
  author: Author,
  { target, parent_id }: Placed,
): Promise<Refusal> {
  const [found]: { target_type: string; target_id: string; has_content: boolean; seen: boolean }[] =
    await em.execute(sql`
      select r.target_type, r.target_id, r.has_content, r.deleted_at is null and ${shown(tenantId, author)} as seen
      from reactions r
      where r.tenant_id = ${tenantId} and r.id = ${parent_id}::uuid
    `)
  if (!found?.seen) return notFound('parent reaction')
  if (found.target_type !== target.type || found.target_id !== target.id)
    return invalid('/parent_id', 'parent_mismatch', 'The parent is a reaction to another target.')
  return invalid(
    '/parent_id',
    'parent_mismatch',
    'The parent is a mark; only reactions with content take replies and marks.',
  )
}

/** Checks the depth of a thread. 422 too_deep. */
export function checkDepth(ancestors: readonly string[]): void {
  if (ancestors.length > REPLY_DEPTH_MAX)
    throw invalid('/parent_id', 'too_deep', `Replies are at most ${REPLY_DEPTH_MAX} levels deep.`)
}
