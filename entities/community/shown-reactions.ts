// Reactions as they are shown: with what they were answered with, the reader's own, and the stars of a review's author.
// One statement for a page of any size.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type ReactionStatus, type ReactionTarget, starAverage, starsOf } from '../../rules/community/reactions.ts'
import type { Block } from '../../rules/content/block-shape.ts'
import type { TaxonomyEntry } from '../../rules/content/taxonomies.ts'
import { sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import { countsAt } from './counters.ts'
import { isVerified } from './marks.ts'
import { knownTarget, type Target, type Viewer, visible } from './targets.ts'

/** A row of the table. */
export type ReactionRow = {
  id: string
  tenant_id: string
  author_id: string | null
  official: boolean
  verified_purchase: boolean
  target_type: ReactionTarget
  target_id: string
  parent_id: string | null
  ancestors: string[]
  kind: string
  blocks: Block[]
  taxonomies: TaxonomyEntry[]
  status: ReactionStatus
  reply_count: number
  edited_at: number | null
  moderated_at: number | null
  moderated_by: string | null
  note: string | null
  created_at: number
  updated_at: number
}
export type Own = { id: string; kind: string; status: ReactionStatus }
export type ReactionShown = ReturnType<typeof shown>

type About = {
  id: string
  counts: Record<string, number> | null
  own: Own[] | null
  stars: string | null
  exists: boolean
  verified: boolean
}

/** `by`: the operator's account that reads, if it is not a visitor. */
export type Reader = { viewer: Viewer; person_id: string | null }

function shown(row: ReactionRow, { counts, own, stars, exists, verified }: Omit<About, 'id'>, isOperator: boolean) {
  const { author_id, target_type, target_id, moderated_at, moderated_by, note, ancestors, tenant_id, ...rest } = row
  return {
    ...rest,
    store_id: tenant_id,
    business_id: tenant_id,
    customer_info: author_id !== null && !row.official && exists ? { id: author_id, verified } : null,
    target: { type: target_type, id: target_id },
    depth: ancestors.length,
    counts: counts ?? {},
    own: own ?? [],
    stars: stars === null ? null : starsOf(stars),
    ...(isOperator ? { moderated_at, moderated_by, note } : {}),
  }
}

/** A mark that was written by this statement's request: nothing was said of it yet. */
export const shownMark = (row: ReactionRow, verified: boolean) =>
  shown(row, { counts: null, own: null, stars: null, exists: true, verified }, false)

/** Completes reactions as they are shown. One statement, and none without rows. */
export async function showReactions(
  em: EntityManager,
  tenantId: string,
  rows: readonly ReactionRow[],
  { viewer, person_id }: Reader,
): Promise<ReactionShown[]> {
  if (rows.length === 0) return []
  const found: About[] = await em.execute(sql`
    select r.id, (${countsAt(tenantId, sql`r.target_id`, sql`r.id`)}) as counts,
      (
        select jsonb_agg(jsonb_build_object('id', marks.id, 'kind', marks.kind, 'status', marks.status))
        from (
          select *
          from reactions o
          where o.tenant_id = ${tenantId}
            and o.author_id = ${person_id}::uuid
            and o.place_id = r.id
            and o.slot is not null
            and o.status in ('published', 'pending')
          order by o.id
          limit 100
        ) marks
      ) as own,
      case r.kind
        when 'review'
          then (
            select s.kind
            from reactions s
            where s.tenant_id = ${tenantId}
              and s.author_id = r.author_id
              and s.place_id = r.place_id
              and s.slot = 'star'
              and s.status = 'published'
          )
      end as stars,
      exists (select 1 from contacts k where k.tenant_id = ${tenantId} and k.id = r.author_id) as exists,
      ${isVerified(tenantId, sql`r.author_id`)} as verified
    from reactions r
    where r.tenant_id = ${tenantId} and r.id = any (${uuids(rows.map(({ id }) => id))})
  `)
  const about = new Map(found.map(({ id, ...rest }) => [id, rest]))
  const none = { counts: null, own: null, stars: null, exists: false, verified: false }
  return rows.map((row) => shown(row, about.get(row.id) ?? none, viewer === 'operator'))
}

/** The reaction, if the reader may see it. Two statements. */
export async function readReaction(
  em: EntityManager,
  tenantId: string,
  id: string,
  reader: Reader,
): Promise<ReactionShown | undefined> {
  const rows: ReactionRow[] = await em.execute(sql`
    select r.id, r.tenant_id, r.author_id, r.official, r.verified_purchase, r.target_type, r.target_id, r.parent_id,
      r.ancestors, r.kind, r.blocks, r.taxonomies, r.status, r.reply_count, r.edited_at, r.moderated_at, r.moderated_by,
      r.note, r.created_at, r.updated_at
    from reactions r
    where r.tenant_id = ${tenantId} and r.id = ${id} and ${visible(tenantId, reader.viewer)}
  `)
  const [found] = await showReactions(em, tenantId, rows, reader)
  return found
}

export type Summary = { counts: Record<string, number>; stars: ReturnType<typeof starAverage>; own: Own[] }

/** Counts of a target, or of a reaction to it; undefined if the reader may not see it. One statement. */
export async function summaryOf(
  em: EntityManager,
  tenantId: string,
  target: Target,
  parentId: string | null,
  { viewer, person_id }: Reader,
): Promise<Summary | undefined> {
  const place = parentId ?? target.id
  const parent = sql`
    select 1
    from reactions r
    where r.tenant_id = ${tenantId}
      and r.id = ${parentId}::uuid
      and r.target_type = ${target.type}
      and r.target_id = ${target.id}
      and r.has_content
      and ${visible(tenantId, viewer)}
  `
  type Row = { is_visible: boolean; counts: Record<string, number> | null; own: Own[] | null }
  const [found]: Row[] = await em.execute(sql`
    select
      exists (${knownTarget(tenantId, target, viewer)})
        and ${parentId === null ? sql`true` : sql`exists (${parent})`} as is_visible,
      (${countsAt(tenantId, sql`${target.id}`, sql`${place}`)}) as counts,
      (
        select jsonb_agg(jsonb_build_object('id', marks.id, 'kind', marks.kind, 'status', marks.status))
        from (
          select *
          from reactions o
          where o.tenant_id = ${tenantId}
            and o.author_id = ${person_id}::uuid
            and o.place_id = ${place}
            and o.slot is not null
            and o.status in ('published', 'pending')
          order by o.id
          limit 100
        ) marks
      ) as own
  `)
  if (!found?.is_visible) return undefined
  const counts = found.counts ?? {}
  return { counts, stars: starAverage(counts), own: found.own ?? [] }
}
