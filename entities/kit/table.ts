// What a table declares beside its columns. Each table is declared in entities/<domain>/tables.ts and registered in
// entities/tables.ts.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { config } from '../../config.ts'
import type { TaxonomyEntry } from '../../rules/content/taxonomies.ts'
import type { Sql } from './database/sql.ts'

/** A period in days, a setting: `KEEP_<NAME>_DAYS`. */
export type KeepName = keyof typeof config.keep
/**
 * Rows that ended before `before` expire: at most `batch` of them at a time. Times in Unix seconds. `floor`: every id
 * that was made before `before` is smaller.
 */
export type Round = { now: number; before: number; floor: string; batch: number }
/** Deletes one batch of expired rows of this table, and what belongs to them; returns how many. */
export type Sweep = (em: EntityManager, round: Round, table: string) => Promise<number>
/** `keep` null: the rows have times of their own at which they expire. */
export type Job = { keep: KeepName | null; sweep: Sweep }

/**
 * How long rows are kept. `record`: a row is kept until a caller deletes it; its job, if there is one, deletes
 * unfinished ones. `bounded`: the number of rows is bounded by other records. `emptied`: a row is pending work.
 * `swept`: a job deletes expired rows, or they are deleted `with` those of another table.
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
 * The records of `from` move to `to`. `both`, where both have a live or pending subscription in one audience: `refuse`
 * with 409 both_subscribed, or `leave` that membership with `from`. `left`: collects the members of these memberships.
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
 * What a merge does with a column that names a contact. `moves`: it is updated in all rows, or in those `where`; such
 * tables share a statement, and the rows of one that is `locked` are locked by id before. `by`: this function moves it,
 * or that of another table. `stays`: why it does not change.
 */
export type ContactColumn = { counted?: { as: CountedName; where?: Sql } } & (
  | { moves: { where?: Sql; locked?: true } }
  | { by: MoveRows | { table: string } }
  | { stays: string }
)

/** A condition on rows of its table, which has no alias. `now` in Unix seconds. */
type Condition = (now: number) => Sql

/** Columns of a row about money as the erasure copies them. */
export type CopiedColumns = Partial<
  Record<'status' | 'amount' | 'currency' | 'account' | 'intent' | 'object' | 'order' | 'subscription', Sql>
>

/**
 * A table whose rows tell about money. The erasure copies awaited rows before it deletes them. After an operator
 * continued it, it waits only for the rows that `proceeds` selects.
 */
export type MoneyWait = {
  /** The row is still sent, reported or read without an operator. */
  proceeds: Condition
  /** The platform's own account charges it: only a platform administrator may continue without it. */
  isOfPlan: Sql
  copy: CopiedColumns
  /** The provider has accepted the request, so that a row in `processing` can be deleted. */
  isAccepted?: Sql
  /** Other rows refer to it, and are deleted first. Only for a table of no effect. */
  isReferred?: Sql
  /** The erasure also waits for rows that a late request wrote after the tenant was deleted. */
  includesLate?: true
}

/**
 * The rows that the erasure of a tenant waits for. If the rows tell about no money, an operator may continue without
 * them, unless they are those of an effect in flight.
 */
export type ErasureWait = { awaits: Condition; money?: MoneyWait }
/** `why` the erasure deletes the rows as they are. */
type NoWait = { why: string; awaits?: undefined; money?: undefined }

export type Table = {
  rows: Lifetime
  /** Jobs by name that remove what its rows hold for a while, and no row. */
  clears?: Readonly<Record<string, Job>>
  contact?: Readonly<Record<string, ContactColumn>>
  erasure: ErasureWait | NoWait
}
export type Tables = Readonly<Record<string, Table>>

export const record = (why = '', job?: Job): Lifetime => ({ kind: 'record', why, ...(job ? { job } : {}) })
export const bounded = (why: string): Lifetime => ({ kind: 'bounded', why })
export const emptied = (why: string): Lifetime => ({ kind: 'emptied', why })
export const deletedWith = (table: string, why = ''): Lifetime => ({ kind: 'swept', with: table, why })
/** `keep`: the period after which a row expires; null: the row has a time of its own. */
export const swept = (keep: KeepName | null, sweep: Sweep, why = ''): Lifetime => ({
  kind: 'swept',
  job: { keep, sweep },
  why,
})

export const noWait = (why: string): NoWait => ({ why })
export const atOnce = noWait('nothing outside of the database depends on a row')
export const ofNoTenant = noWait('its rows belong to no tenant')
