// A mark is one statement: the target exists, the mark is new, and it is counted, or nothing is written. It locks its
// author's contact and one of many counters.
import type { EntityManager } from '@mikro-orm/postgresql'
import { shardOf } from '../../rules/community/reactions.ts'
import { conflict, notFound, Refusal, unavailable } from '../../rules/refusal.ts'
import { insertSelect } from '../kit/database/insert.ts'
import { prepared } from '../kit/database/prepared.ts'
import { type Sql, sql, text } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { added, kindFits, kindsTooMany } from './counters.ts'
import { parentOf, refuseParent } from './parents.ts'
import { Reaction } from './reaction.ts'
import { type Author, knownTarget, openTarget, type Target } from './targets.ts'

export type Mark = { target: Target; parent_id: string | null; kind: string }

/** Whether a verified address is the contact's. */
export const isVerified = (tenantId: string, contactId: Sql): Sql => sql`
  exists (
    select 1
    from contact_channels h
    where h.tenant_id = ${tenantId} and h.contact_id = ${contactId} and h.owned and h.verified_at is not null
  )
`

/** Locks the author as a key: a merge of the contact waits for the reaction, or the reaction is not written. */
export const authorRow = (tenantId: string, { id, official }: Author): Sql =>
  official
    ? sql`select 1`
    : sql`select 1 from contacts c where c.tenant_id = ${tenantId} and c.id = ${id} for key share`

/** What the table's check compares the target, the place and the kind with. */
export const subjectOf = ({ target, parent_id, kind }: Mark): Sql =>
  sql`md5(${`${target.type} ${target.id} ${parent_id ?? target.id} ${kind}`})::uuid`

export const signInRequired = () =>
  new Refusal(
    403,
    'sign_in_required',
    'This {store} takes reactions of visitors with a verified address only. Sign in with a code.',
  )
const takenBack = () =>
  unavailable('database_unavailable', 'Another request is taking this reaction back; repeat the request.')
export const authorGone = () =>
  unavailable('database_unavailable', 'Another request is merging this contact; repeat the request.')

export type Marked = Pick<Reaction, 'id' | 'created_at' | 'updated_at' | 'kind' | 'status' | 'verified_purchase'> & {
  ancestors: string[]
  verified: boolean
  /** The author has it already. */
  known: boolean
}

/** The row of a new mark. `now` in Unix seconds. */
function rowOf(tenantId: string, author: Author, mark: Mark, now: number) {
  const { target, parent_id, kind } = mark
  return {
    ...{ id: newId(), tenant_id: tenantId, created_at: now, updated_at: now },
    ...{ author_id: author.id, official: author.official, target_type: target.type, target_id: target.id },
    ...{ parent_id, place_id: parent_id ?? target.id, ancestors: text('parent.ancestors'), kind, slot: kind },
    ...{ shard: shardOf(author.id), subject: subjectOf(mark), status: 'published' as const },
  }
}
type MarkRow = ReturnType<typeof rowOf>

/** `made`: the mark is new and counted. `author`, `ancestors`: the author and the place exist. */
type MarkOutcome = { made: boolean; author: boolean; ancestors: string[] | null; allowed: boolean; verified: boolean }

/**
 * Writes and counts the mark where it is allowed, in one statement; undefined without the store. Locks the author's
 * contact, then the new row, then its counter.
 */
async function writeMark(
  em: EntityManager,
  author: Author,
  mark: Mark,
  row: MarkRow,
): Promise<MarkOutcome | undefined> {
  const { tenant_id, target_id, place_id, kind, shard } = row
  const signedIn = author.official || author.verified
  const [outcome] = await prepared<MarkOutcome>(
    em,
    sql`
      with permission as (
        select ${signedIn} or coalesce(settings #>> '{reactions,anonymous}', 'all') <> 'none' as allowed
        from tenants
        where id = ${tenant_id}
      ),
      parent as materialized (${parentOf(tenant_id, author, mark)}),
      author as materialized (${authorRow(tenant_id, author)}),
      new_reaction as (
        ${insertSelect(em, Reaction, row)}
        from permission, parent, author
        where permission.allowed
          and exists (${openTarget(tenant_id, mark.target, author)})
          and ${kindFits(tenant_id, author.id, row)}
        on conflict (tenant_id, author_id, place_id, slot) where slot is not null do nothing
        returning id
      ),
      new_count as (
        insert into reaction_counts (tenant_id, target_id, place_id, kind, shard, count)
        select ${tenant_id}::uuid, ${target_id}::uuid, ${place_id}::uuid, ${kind}, ${shard}, 1
        from new_reaction ${added}
        returning 1
      )
      select exists (select 1 from new_count) as made, exists (select 1 from author) as author,
        (select ancestors from parent) as ancestors, permission.allowed,
        ${author.official ? sql`false` : isVerified(tenant_id, sql`${author.id}`)} as verified
      from permission
    `,
  )
  return outcome
}

type Stored = Pick<Marked, 'id' | 'created_at' | 'updated_at' | 'kind' | 'status' | 'verified_purchase'>
type Previous = Omit<Stored, 'id'> & { id: string | null; is_visible: boolean; open: boolean; fits: boolean }

/**
 * The mark that the author had already, of a statement that wrote none. 404 for a target that the author cannot see or
 * react to; 409 kinds_too_many, reaction_removed; 503 if the mark is being taken back. Locks nothing.
 */
async function previousMark(em: EntityManager, author: Author, mark: Mark, row: MarkRow): Promise<Stored> {
  const { tenant_id, target_type, place_id, kind } = row
  const viewer = author.official ? 'operator' : { contact_id: author.id }
  // The one of two concurrent requests that wrote nothing did not see the row of the other yet.
  const [previous]: Previous[] = await em.execute(sql`
    select h.id, h.created_at, h.updated_at, h.kind, h.status, h.verified_purchase,
      exists (${knownTarget(tenant_id, mark.target, viewer)}) as is_visible,
      exists (${openTarget(tenant_id, mark.target, author)}) as open, ${kindFits(tenant_id, author.id, row)} as fits
    from (select 1) one
    left join reactions h
      on h.tenant_id = ${tenant_id}
      and h.author_id = ${author.id}
      and h.place_id = ${place_id}
      and h.slot = ${kind}
      and h.target_type = ${target_type}
  `)
  if (!previous?.is_visible || (previous.id === null && !previous.open)) throw notFound(target_type)
  if (previous.id === null) throw previous.fits ? takenBack() : kindsTooMany()
  if (previous.status !== 'published') throw reactionRemoved()
  const { id, created_at, updated_at, status, verified_purchase } = previous
  return { id, created_at, updated_at, kind, status, verified_purchase }
}

/**
 * Writes the mark, unless the author has it already: `known`. Of a visitor two statements at most. 403
 * sign_in_required; 404; 409 kinds_too_many, reaction_removed; 422 parent_mismatch. `now` in Unix seconds.
 */
export async function addMark(
  em: EntityManager,
  tenantId: string,
  author: Author,
  mark: Mark,
  now: number,
): Promise<Marked> {
  const row = rowOf(tenantId, author, mark, now)
  const outcome = await writeMark(em, author, mark, row)
  if (!outcome) throw notFound('{store}')
  const { ancestors, verified } = outcome
  if (outcome.made && ancestors) {
    const { id, kind, status } = row
    return {
      ...{ id, created_at: now, updated_at: now, kind, status, verified_purchase: false },
      ...{ ancestors, verified, known: false },
    }
  }
  if (!outcome.allowed) throw signInRequired()
  if (!outcome.author) throw authorGone()
  if (!ancestors) throw await refuseParent(em, tenantId, author, mark)
  return { ...(await previousMark(em, author, mark, row)), ancestors, verified, known: true }
}

export const reactionRemoved = () => conflict('reaction_removed', 'The {store} hid or removed this reaction.')
export const reactionDeleted = () =>
  conflict('reaction_removed', 'This reaction was deleted. It stays for its replies, without author and content.')
