// A reaction is changed and deleted by its author, and moderated by operators. Its counters change in the same
// transaction.
import { isDeepStrictEqual } from 'node:util'
import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  formOf,
  isBlank,
  judged,
  type ReactionStatus,
  reactionSettingsOf,
  starsOf,
} from '../../rules/community/reactions.ts'
import { blocksWithIds } from '../../rules/content/block-ids.ts'
import type { Block } from '../../rules/content/block-shape.ts'
import type { TaxonomyEntry } from '../../rules/content/taxonomies.ts'
import { conflict, invalid, notFound, Refusal } from '../../rules/refusal.ts'
import { reactionWords } from '../../rules/search/search-texts.ts'
import { checkContent, writeContent } from '../content/content.ts'
import { assignments, json, nothing, type Sql, sql } from '../kit/database/sql.ts'
import { newInnerId } from '../kit/ids.ts'
import { checkBlocks, contentRequired, contentSlot } from './contents.ts'
import { type Counted, count } from './counters.ts'
import { reactionDeleted } from './marks.ts'
import { viewerOf } from './parents.ts'
import { followRating, holdRating } from './rated-listings.ts'
import { type Author, type Target, type Viewer, visible } from './targets.ts'

type Locked = Counted & {
  id: string
  author_id: string | null
  official: boolean
  ancestors: string[]
  blocks: Block[]
  taxonomies: TaxonomyEntry[]
  status: ReactionStatus
  note: string | null
  moderated_at: number | null
  created_at: number
  reactions: unknown
}

const columns = sql`
  r.id, r.tenant_id, r.author_id, r.official, r.target_type, r.target_id, r.place_id, r.parent_id, r.ancestors, r.kind,
  r.shard, r.has_content, r.blocks, r.taxonomies, r.status, r.note, r.moderated_at, r.created_at
`

/** Locks the reaction, if the viewer sees it. 404. */
async function lock(em: EntityManager, tenantId: string, id: string, viewer: Viewer): Promise<Locked> {
  const [found]: Locked[] = await em.execute(sql`
    select ${columns}, t.settings -> 'reactions' as reactions
    from reactions r
    join tenants t on t.id = r.tenant_id
    where r.tenant_id = ${tenantId} and r.id = ${id} and ${visible(tenantId, viewer)}
    for update of r
  `)
  if (!found) throw notFound('reaction')
  return found
}

/** Runs `work` on the locked reaction. Before that, for a rating of a listed record, the locks of its listings. 404. */
async function change<T>(
  em: EntityManager,
  tenantId: string,
  id: string,
  viewer: Viewer,
  work: (row: Locked) => Promise<T>,
): Promise<T> {
  const [seen]: { kind: string; type: Target['type']; target_id: string }[] = await em.execute(sql`
    select kind, target_type as type, target_id
    from reactions
    where tenant_id = ${tenantId} and id = ${id}
  `)
  if (!seen) throw notFound('reaction')
  const target = { type: seen.type, id: seen.target_id }
  const listed = starsOf(seen.kind) !== null && (await holdRating(em, tenantId, target))
  const result = await work(await lock(em, tenantId, id, viewer))
  await followRating(em, tenantId, target, listed)
  return result
}

/** Follows a change of the status. The row is locked, and has its new status. */
async function recount(em: EntityManager, row: Locked, status: ReactionStatus | null): Promise<void> {
  const [was, is] = [row.status === 'published', status === 'published']
  if (was !== is) await count(em, row, is ? 1 : -1)
}

const isAuthor = (row: Locked, author: Author): boolean =>
  row.author_id === author.id && row.official === author.official

export type ReactionChange = {
  target?: Target | undefined
  kind?: string | undefined
  parent_id?: string | null | undefined
  blocks?: Block[] | undefined
  taxonomies?: TaxonomyEntry[] | undefined
}

const closedAfter = (minutes: number): string =>
  minutes === 0
    ? 'Content cannot be changed once it is sent.'
    : `Content can be changed for ${minutes} minutes after it was sent.`

/** Refuses another target, kind or parent. 422 cannot_change. */
function checkSame(row: Locked, { target, kind, parent_id }: ReactionChange): void {
  const wrong = (place: string) =>
    invalid(`/${place}`, 'cannot_change', 'Target, kind and parent of a reaction never change.')
  if (target && (target.type !== row.target_type || target.id !== row.target_id)) throw wrong('target')
  if (kind !== undefined && kind !== row.kind) throw wrong('kind')
  if (parent_id !== undefined && parent_id !== row.parent_id) throw wrong('parent_id')
}

/** Whether the content is what is stored. Ids that are left out are kept. */
function isSame(row: Locked, { blocks = row.blocks, taxonomies = row.taxonomies }: ReactionChange): boolean {
  const said = (list: readonly Block[], ids: readonly Block[]) =>
    list.map(({ id, key, type, properties = {}, value = null }, at) => [
      id ?? ids[at]?.id,
      key,
      type,
      properties,
      value,
    ])
  return (
    isDeepStrictEqual(said(blocks, row.blocks), said(row.blocks, row.blocks)) &&
    isDeepStrictEqual(taxonomies, row.taxonomies)
  )
}

/**
 * Replaces the content of the author's reaction, which is judged again; the same content changes nothing. 403
 * forbidden, edit_window_closed; 404; 409 already_exists, mark_not_editable; 422. `now` in Unix seconds.
 */
export async function editReaction(
  em: EntityManager,
  tenantId: string,
  author: Author,
  id: string,
  sent: ReactionChange,
  now: number,
): Promise<void> {
  const row = await lock(em, tenantId, id, viewerOf(author))
  if (!isAuthor(row, author)) throw new Refusal(403, 'forbidden', 'Only its author may change a reaction.')
  checkSame(row, sent)
  if (!row.has_content)
    throw conflict('mark_not_editable', 'A reaction without content cannot be changed. Delete it, or send another one.')
  // A record that was read is sent back, or an edit is repeated: what a moderator published stays so.
  if (isSame(row, sent)) return
  const settings = reactionSettingsOf({ reactions: row.reactions ?? undefined })
  if (now >= row.created_at + settings.window * 60)
    throw new Refusal(403, 'edit_window_closed', closedAfter(settings.window))
  const { blocks = row.blocks, taxonomies } = sent
  if (isBlank(blocks)) throw contentRequired(row.kind)
  checkBlocks(blocks, taxonomies ?? row.taxonomies)
  const relations = await checkContent(em, tenantId, { taxonomies }, null)
  // What an operator holds back is published by operators only.
  const stays = author.official || (row.status === 'pending' && row.moderated_at !== null)
  const status = stays ? row.status : judged(settings, blocks, author.verified, taxonomies ?? row.taxonomies)
  const kept = blocksWithIds(blocks, newInnerId)
  const slot = contentSlot(row.kind, formOf(row.kind, blocks), blocks)
  try {
    await em.execute(sql`
      update reactions
      set ${assignments({ slot, blocks: json(kept), status, edited_at: now, updated_at: now })},
        search = to_tsvector(
          'simple', ${reactionWords({ blocks: kept })}
        ) ${relations.taxonomies ? sql`, taxonomies = ${json(relations.taxonomies)}` : nothing}
      where tenant_id = ${tenantId} and id = ${id}
    `)
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException)
      throw conflict('already_exists', 'You have sent the same content here before.')
    throw error
  }
  await writeContent(em, tenantId, 'reaction', id, relations, false)
  await recount(em, row, status)
}

/**
 * An operator's decision; the same one again changes nothing. 404; 409 reaction_removed for content that was deleted.
 * `now` in Unix seconds.
 */
export async function moderateReaction(
  em: EntityManager,
  tenantId: string,
  accountId: string,
  id: string,
  { status, note }: { status: ReactionStatus; note?: string | null | undefined },
  now: number,
): Promise<void> {
  await change(em, tenantId, id, 'operator', async (row) => {
    if (row.author_id === null) throw reactionDeleted()
    if (row.status === status && (note === undefined || note === row.note)) return
    const set = assignments({
      status,
      updated_at: now,
      moderated_at: now,
      moderated_by: accountId,
      ...(note === undefined ? {} : { note }),
    })
    await em.execute(sql`update reactions set ${set} where tenant_id = ${tenantId} and id = ${id}`)
    await recount(em, row, status)
  })
}

/** Whether content replies to it. Replies lock it as a key: once it is locked, none is added. */
const hasReplies = sql`
  exists (select 1 from reactions c where c.tenant_id = r.tenant_id and c.parent_id = r.id and c.has_content)
`

/**
 * What is left of a reaction `r` that was deleted and has replies. Those below what an operator hid or removed stay
 * unseen. `now` in Unix seconds.
 */
export const emptied = (now: number): Sql => sql`
  author_id = null, slot = null, status = 'removed', blocks = '[]', taxonomies = '[]', search = null,
  verified_purchase = false, note = null,
  deleted_at = case when r.status in ('published', 'pending') then ${now}::bigint end
`

/**
 * Deletes a reaction of the author, or of anybody for an operator. Content with replies stays, empty. 403 forbidden;
 * 404; 409 reaction_removed. `now` in Unix seconds.
 */
export async function deleteReaction(
  em: EntityManager,
  tenantId: string,
  author: Author,
  id: string,
  now: number,
): Promise<void> {
  await change(em, tenantId, id, viewerOf(author), async (row) => {
    if (row.author_id === null) throw reactionDeleted()
    if (!author.official && !isAuthor(row, author))
      throw new Refusal(403, 'forbidden', 'Only its author may delete a reaction.')
    const [left]: unknown[] = row.has_content
      ? await em.execute(sql`
        update reactions r
        set ${emptied(now)}, updated_at = ${now}
        where r.tenant_id = ${tenantId} and r.id = ${id} and ${hasReplies}
        returning r.id
      `)
      : []
    if (!left) await remove(em, row, now)
    else await em.execute(sql`delete from taxonomy_links where tenant_id = ${tenantId} and owner_id = ${id}`)
    await recount(em, row, null)
    if (!left && row.has_content) await removeEmptied(em, row, now)
  })
}

async function remove(
  em: EntityManager,
  { tenant_id, target_id, id, has_content }: Locked,
  now: number,
): Promise<void> {
  const deletion = sql`delete from reactions where tenant_id = ${tenant_id} and id = ${id}`
  if (!has_content) return void (await em.execute(deletion))
  await em.execute(
    // What was said of it is swept.
    sql`
      with deleted_links as (
        delete from taxonomy_links where tenant_id = ${tenant_id} and owner_id = ${id}
      ),
      removals as (
        insert into reaction_removals (tenant_id, target_id, place_id, created_at)
        values (${tenant_id}, ${target_id}, ${id}, ${now})
        on conflict do nothing
      )
      ${deletion}
    `,
  )
}

/**
 * Emptied content goes with its last reply, and the marks on it are swept. `ancestors`: those of a reply that this
 * transaction deleted. Locks them from the parent up: of two last replies that are deleted at once, the second deletion
 * finds none.
 */
export async function removeEmptied(
  em: EntityManager,
  { tenant_id, target_id, ancestors }: Pick<Locked, 'tenant_id' | 'target_id' | 'ancestors'>,
  now: number,
): Promise<void> {
  for (const id of ancestors.toReversed()) {
    const [above]: { is_emptied: boolean }[] = await em.execute(sql`
      select author_id is null as is_emptied
      from reactions
      where tenant_id = ${tenant_id} and id = ${id}
      for no key update
    `)
    if (!above?.is_emptied) return
    const deletedIds: unknown[] = await em.execute(sql`
      with deleted_reactions as (
        delete from reactions r
        where r.tenant_id = ${tenant_id} and r.id = ${id} and not ${hasReplies}
        returning r.id
      )
      insert into reaction_removals (tenant_id, target_id, place_id, created_at)
      select ${tenant_id}::uuid, ${target_id}::uuid, id, ${now}::bigint
      from deleted_reactions
      on conflict (tenant_id, target_id, place_id) do update
      set created_at = excluded.created_at
      returning place_id
    `)
    if (deletedIds.length === 0) return
  }
}
