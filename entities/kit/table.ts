// What is known of a table beside its columns. Each table is declared in entities/<domain>/tables.ts and registered in
// entities/tables.ts.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { config } from '../../config.ts'

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

export type Table = { rows: Lifetime }
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
