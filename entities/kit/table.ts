// What is known of a table beside its columns. Each table is declared in entities/<domain>/tables.ts and registered in
// entities/tables.ts.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { config } from '../../config.ts'
import type { TaxonomyEntry } from '../../rules/shapes.ts'
import type { Sql } from './database/sql.ts'

/** A period in days, a setting: `KEEP_<NAME>_DAYS`. */
export type KeepName = keyof typeof config.keep
/**
 * Rows that were over `before` expire: at most `batch` of them at a time. Times in Unix seconds. `floor`: every id that was
 * made before `before` is smaller.
 */
export type Round = { now: number; before: number; floor: string; batch: number }
/** Deletes one batch of expired rows of this table, and what belongs to them; returns how many. */
export type Sweep = (em: EntityManager, round: Round, table: string) => Promise<number>
/** `keep` null: what expires has a time of its own. */
export type Job = { keep: KeepName | null; sweep: Sweep }

/**
 * What becomes of rows with time. `record`: a row is kept until a caller deletes it; its job, if there is one, deletes
 * unfinished ones. `bounded`: the number of rows is bounded by other records. `emptied`: a row is pending work. `swept`: a
 * job deletes expired rows, or they are deleted `with` those of another table.
 */
export type Lifetime = { why: string } & (
  | { kind: 'record'; job?: Job }
  | { kind: 'bounded' | 'emptied' }
  | { kind: 'swept'; job: Job }
  | { kind: 'swept'; with: string }
)

/** A contact that is locked. */
export type LockedContact = { id: string; taxonomies: TaxonomyEntry[] }
/**
 * `to` gets what `from` has. `both`, where both have a live or pending subscription in one audience: `refuse` with 409
 * both_subscribed, or `leave` that membership with `from`. `left`: the members of these memberships, as they are found.
 * `now` in Unix seconds.
 */
export type ContactMove = {
  tenantId: string
  from: LockedContact
  to: LockedContact
  both: 'refuse' | 'leave'
  left: string[]
  now: number
}
export type MoveRows = (em: EntityManager, move: ContactMove) => Promise<void>

/** What the preview of a merge counts. */
export type CountedName =
  | 'orders'
  | 'carts'
  | 'chats'
  | 'form_submissions'
  | 'memberships'
  | 'enrollments'
  | 'reactions'
  | 'channels'

/**
 * What becomes of a column that names a contact when another contact gets the records. `moves`: of all rows, or those
 * `where`; tables that need no more than that share a statement, and the rows of one that is `locked` are locked by id
 * before. `by`: as this function does it, or together with another table. `stays`: why it does not change.
 */
export type ContactColumn = { counted?: { as: CountedName; where?: Sql } } & (
  | { moves: { where?: Sql; locked?: true } }
  | { by: MoveRows | { table: string } }
  | { stays: string }
)

export type Table = { rows: Lifetime; contact?: Readonly<Record<string, ContactColumn>> }
export type Tables = Readonly<Record<string, Table>>

export const record = (why = '', job?: Job): Lifetime => ({ kind: 'record', why, ...(job ? { job } : {}) })
export const bounded = (why: string): Lifetime => ({ kind: 'bounded', why })
export const emptied = (why: string): Lifetime => ({ kind: 'emptied', why })
export const deletedWith = (table: string, why = ''): Lifetime => ({ kind: 'swept', with: table, why })
/** `keep`: the period after which a row expires; null: it has a time of its own. */
export const swept = (keep: KeepName | null, sweep: Sweep, why = ''): Lifetime => ({
  kind: 'swept',
  job: { keep, sweep },
  why,
})
