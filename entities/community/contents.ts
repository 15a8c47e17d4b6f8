// Reviews, comments and stars: checked, judged by the settings of the business, written once per author and place, and
// counted while they are published.
import { createHash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  contentFaults,
  judged,
  type ReactionForm,
  type ReactionSettings,
  reactionSettingsOf,
  shardOf,
  starsOf,
} from '../../rules/community/reactions.ts'
import { blocksWithIds } from '../../rules/content/block-ids.ts'
import type { Block } from '../../rules/content/block-shape.ts'
import { blockFaults } from '../../rules/content/blocks.ts'
import type { TaxonomyEntry } from '../../rules/content/taxonomies.ts'
import { conflict, invalid, invalidInput, notFound, Refusal } from '../../rules/refusal.ts'
import { reactionWords } from '../../rules/search/search-texts.ts'
import { checkContent, writeContent } from '../content/content.ts'
import { insertion } from '../kit/database/insert.ts'
import { sql } from '../kit/database/sql.ts'
import { newId, newInnerId, uuids } from '../kit/ids.ts'
import { count, counting, kindFits, kindsTooMany } from './counters.ts'
import {
  authorGone,
  authorRow,
  isVerified,
  type Mark,
  type Marked,
  reactionRemoved,
  signInRequired,
  subjectOf,
} from './marks.ts'
import { checkDepth, parentOf, refuseParent } from './parents.ts'
import { followRating, holdRating } from './rated-listings.ts'
import { Reaction } from './reaction.ts'
import { type Author, bought, openTarget } from './targets.ts'

export type Sent = Mark & { blocks: Block[]; taxonomies: TaxonomyEntry[] }
type Facts = { settings: ReactionSettings; ancestors: string[]; verified_purchase: boolean; verified: boolean }

/**
 * What decides whether the author may send this here. Locks the author and the parent as keys. One statement. 403
 * sign_in_required, purchase_required; 404; 409 kinds_too_many; 422 parent_mismatch, too_deep.
 */
async function factsOf(
  em: EntityManager,
  tenantId: string,
  author: Author,
  sent: Sent,
  form: ReactionForm,
): Promise<Facts> {
  type Found = {
    reactions: unknown
    author: boolean
    target: boolean
    ancestors: string[] | null
    verified_purchase: boolean
    verified: boolean
    fits: boolean
  }
  const place_id = sent.parent_id ?? sent.target.id
  const visitor = author.official ? null : author.id
  const [found]: Found[] = await em.execute(sql`
    with author as materialized (${authorRow(tenantId, author)}),
    parent as materialized (${parentOf(tenantId, author, sent, true)})
    select t.settings -> 'reactions' as reactions, exists (select 1 from author) as author,
      exists (${openTarget(tenantId, sent.target, author)}) as target, (select ancestors from parent) as ancestors,
      ${visitor ? bought(tenantId, sent.target, visitor) : sql`false`} as verified_purchase,
      ${visitor ? isVerified(tenantId, sql`${visitor}`) : sql`false`} as verified,
      ${kindFits(tenantId, author.id, { target_id: sent.target.id, place_id, kind: sent.kind })} as fits
    from tenants t
    where t.id = ${tenantId}
  `)
  if (!found?.target) throw notFound(sent.target.type)
  if (!found.author) throw authorGone()
  const { ancestors, verified_purchase, verified } = found
  const settings = reactionSettingsOf({ reactions: found.reactions ?? undefined })
  const signedIn = author.official || author.verified
  if (!signedIn && (settings.anonymous === 'none' || (settings.anonymous === 'marks' && form !== 'star')))
    throw signInRequired()
  if (form === 'review' || form === 'star') {
    if (author.official) throw new Refusal(403, 'customers_only', 'Reviews and stars are sent by customers only.')
    if (settings.reviewers === 'verified' && !signedIn) throw signInRequired()
    if (settings.reviewers === 'buyers' && !verified_purchase)
      throw new Refusal(
        403,
        'purchase_required',
        'This {store} takes reviews and stars of those who bought the target only.',
      )
  }
  if (!ancestors) throw await refuseParent(em, tenantId, author, sent)
  if (!found.fits) throw kindsTooMany()
  return { settings, ancestors, verified_purchase, verified }
}

function rowOf(tenantId: string, author: Author, sent: Sent, { ancestors, verified_purchase }: Facts, now: number) {
  const { target, parent_id, kind } = sent
  return {
    ...{
      id: newId(),
      tenant_id: tenantId,
      created_at: now,
      updated_at: now,
      author_id: author.id,
      official: author.official,
      verified_purchase,
    },
    ...{
      target_type: target.type,
      target_id: target.id,
      parent_id,
      place_id: parent_id ?? target.id,
      ancestors: uuids(ancestors),
      kind,
    },
    ...{ subject: subjectOf(sent), shard: shardOf(author.id) },
  }
}

type OwnReaction = {
  id: string
  kind: string
  status: Reaction['status']
  verified_purchase: boolean
  created_at: number
  updated_at: number
  shard: number
}
const ownReaction = async (
  em: EntityManager,
  tenantId: string,
  { id }: Author,
  place: string,
  slot: string,
): Promise<OwnReaction | undefined> => {
  // Locked: changes of one mark take turns, and each counts once.
  const rows: OwnReaction[] = await em.execute(sql`
    select id, kind, status, verified_purchase, created_at, updated_at, shard
    from reactions
    where tenant_id = ${tenantId} and author_id = ${id} and place_id = ${place} and slot = ${slot}
    for update
  `)
  return rows[0]
}

/**
 * Adds a star. Another star of the author is replaced by a new reaction, and both are counted in one transaction. 422
 * parent_mismatch; errors as factsOf. `now` in Unix seconds.
 */
export async function addStar(
  em: EntityManager,
  tenantId: string,
  author: Author,
  sent: Sent,
  now: number,
): Promise<Marked> {
  if (sent.parent_id !== null)
    throw invalid('/parent_id', 'parent_mismatch', 'Stars are given to targets, not to reactions.')
  const listed = await holdRating(em, tenantId, sent.target)
  const facts = await factsOf(em, tenantId, author, sent, 'star')
  const { verified } = facts
  const row = { ...rowOf(tenantId, author, sent, facts, now), slot: 'star', status: 'published' as const }
  const insert = sql`
    ${insertion(em, Reaction, row)}
    on conflict (tenant_id, author_id, place_id, slot) where slot is not null do nothing
    returning id
  `
  const [first]: unknown[] = await em.execute(insert)
  const previous = first ? undefined : await ownReaction(em, tenantId, author, row.place_id, 'star')
  if (!first && !previous) throw authorGone()
  if (previous && previous.status !== 'published') throw reactionRemoved()
  if (previous?.kind === sent.kind) return { ...previous, ancestors: [], verified, known: true }
  if (previous) {
    await em.execute(sql`
      with deleted_reactions as (
        delete from reactions where tenant_id = ${tenantId} and id = ${previous.id} returning id
      )
      select count(*)
      from deleted_reactions
    `)
    const [replaced]: unknown[] = await em.execute(insert)
    if (!replaced) throw authorGone()
  }
  await countStar(em, row, previous ?? null)
  await followRating(em, tenantId, sent.target, listed)
  return {
    ...{ id: row.id, created_at: now, updated_at: now, kind: sent.kind, status: 'published' as const },
    verified_purchase: row.verified_purchase,
    ancestors: [],
    verified,
    known: false,
  }
}

/**
 * Counts a star, and no longer the one that it replaces: the counters in the order of their keys, then the rating. One
 * statement.
 */
async function countStar(
  em: EntityManager,
  row: ReturnType<typeof rowOf>,
  previous: OwnReaction | null,
): Promise<void> {
  const { tenant_id, target_type, target_id, place_id, kind, shard } = row
  const [stars, before] = [starsOf(kind) as number, previous ? (starsOf(previous.kind) as number) : 0]
  const kinds = previous
    ? sql`(${kind}, ${shard}, 1), (${previous.kind}, ${previous.shard}, 0)`
    : sql`(${kind}, ${shard}, 1)`
  const more = previous ? 0 : 1
  await counting(() =>
    em.execute(
      // A counter that is taken from exists, and is 1 at least, unless the target is being deleted: no row is made with
      // 0.
      sql`
        with updated_counts as (
          insert into reaction_counts (tenant_id, target_id, place_id, kind, shard, count)
          select ${tenant_id}::uuid, ${target_id}::uuid, ${place_id}::uuid, kinds.kind, kinds.shard, kinds.count
          from (values ${kinds}) as kinds (kind, shard, count)
          order by kinds.kind, kinds.shard
          on conflict (tenant_id, target_id, place_id, kind, shard) do update
          set count = reaction_counts.count + case excluded.count when 0 then -1 else 1 end
          returning 1
        )
        insert into ratings (tenant_id, target_type, target_id, stars_count, stars_sum)
        select ${tenant_id}::uuid, ${target_type}, ${target_id}::uuid, 1, ${stars}
        where (select count(*) from updated_counts) > 0
        on conflict (tenant_id, target_type, target_id) do update
        set stars_count = ratings.stars_count + ${more}, stars_sum = ratings.stars_sum + ${stars - before}
      `,
    ),
  )
}

/** What an author has once at a place: for a review `review`, for a comment what it says. */
export const contentSlot = (kind: string, form: ReactionForm, blocks: readonly Block[]): string => {
  if (form === 'review') return 'review'
  const said = blocks.map(({ key, type, properties, value }) => [key, type, properties, value])
  return `.${createHash('sha256')
    .update(JSON.stringify([kind, said]))
    .digest('base64url')
    .slice(0, 31)}`
}

export const contentRequired = (kind: string) =>
  invalid('/blocks', 'content_required', `A reaction of the kind ${kind} needs content that is not empty.`)

/** Checks the blocks of a content. 422 with all faults. */
export function checkBlocks(blocks: readonly Block[], taxonomies: readonly TaxonomyEntry[]): void {
  const own = contentFaults(blocks, taxonomies)
  const [reference] = own.filter(({ code }) => code === 'reference_not_allowed')
  if (reference) throw invalid(reference.pointer, 'reference_not_allowed', reference.detail)
  const faults = [...own, ...blockFaults(blocks, null)]
  if (faults.length > 0) throw invalidInput(faults)
}

/**
 * `known`: the author has sent the same before. 409 already_reviewed, reaction_removed; errors as factsOf; 422 for its
 * content. `now` in Unix seconds.
 */
export async function addContent(
  em: EntityManager,
  tenantId: string,
  author: Author,
  sent: Sent,
  form: ReactionForm,
  now: number,
): Promise<{ id: string; known: boolean }> {
  checkBlocks(sent.blocks, sent.taxonomies)
  const facts = await factsOf(em, tenantId, author, sent, form)
  checkDepth(facts.ancestors)
  const relations = await checkContent(em, tenantId, { taxonomies: sent.taxonomies }, null)
  const status = author.official ? 'published' : judged(facts.settings, sent.blocks, author.verified, sent.taxonomies)
  const blocks = blocksWithIds(sent.blocks, newInnerId)
  const slot = contentSlot(sent.kind, form, sent.blocks)
  const row = {
    ...{
      ...rowOf(tenantId, author, sent, facts, now),
      slot,
      status,
      has_content: true,
      blocks,
      taxonomies: relations.taxonomies ?? [],
    },
    search: sql`to_tsvector('simple', ${reactionWords({ blocks })})`,
  }
  const [made]: unknown[] = await em.execute(sql`
    ${insertion(em, Reaction, row)}
    on conflict (tenant_id, author_id, place_id, slot) where slot is not null do nothing
    returning id
  `)
  if (!made) {
    const previous = await ownReaction(em, tenantId, author, row.place_id, slot)
    if (!previous) throw authorGone()
    if (previous.status === 'hidden' || previous.status === 'removed') throw reactionRemoved()
    if (form === 'review')
      throw conflict('already_reviewed', 'You have reviewed this already. Change or delete your review.', {
        members: { reaction_id: previous.id },
      })
    return { id: previous.id, known: true }
  }
  await writeContent(em, tenantId, 'reaction', row.id, relations, true)
  if (status === 'published') await count(em, row, 1)
  return { id: row.id, known: false }
}
