// What is known of a kind of process beside its queue: the rows that it is about, and how they are described, looked
// for and quarantined.
// Each kind is declared in entities/<domain>/processes.ts and registered in entities/processes.ts.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Description } from '../../rules/descriptions.ts'
import { type EffectName, effects } from '../../rules/effects.ts'
import type { EffectOf, ProcessKind } from '../../rules/processes.ts'
import type { Attention } from './attention.ts'
import { column, join, type Sql, sql, text } from './database/sql.ts'
import { uuids } from './ids.ts'
import type { LateRows } from './late-rows.ts'

type Work = <T>(work: (em: EntityManager) => Promise<T>) => Promise<T>

/** Work on rows of all tenants, each batch of it in a transaction or a statement of its own. `now` in Unix seconds. */
export type RowsRun = { now: number; statement: Work; transaction: Work }

/**
 * One run of `npm run quarantine`. `since`: of the last commit that is certainly not lost, in Unix seconds.
 */
export type QuarantineRun = RowsRun & {
  since: number
  /** Records that `what` could not be made unknown. The run continues, and fails at its end. */
  failed(what: string): (error: Error) => void
}

/** Makes unknown what may have been sent and has no row of an effect. Returns a line that says how many. */
type Quarantine = { when: 'before effects' | 'after effects'; run(run: QuarantineRun): Promise<string> }

export type ProcessRows<E extends EffectName = never> = {
  /**
   * Rows of which the process should have moved on, as they were not touched for a while: its workflow is started
   * again. What its effects tell is found by their rows, and a kind without other rows has none.
   */
  late: readonly LateRows[]
  /** `late` returns each process once for all of its effects, and an effect alone starts none. */
  lateCoversEffects?: true
  /** What the workflows of these rows are called in Temporal's UI, by the id of the row. One statement. */
  describe?: (em: EntityManager, ids: readonly string[]) => Promise<Map<string, Description>>
  /** A condition on a task slot `t` that no worker holds: the work that took it, or waits for it, has ended. */
  slotEnded?: Sql
  /**
   * What a person has to do about its rows. Required of every effect that it sends, whose outcome may be unknown; a
   * kind whose rows need no person says so by `{}`.
   */
  attention: Attention<E>
  /**
   * What a run of its workflow may have failed for, beside the effects that it sends: of the processes of these ids.
   */
  matters?: (ids: Sql) => Sql
  quarantine?: readonly Quarantine[]
  /** Starts what comes due within minutes: at most `limit`; returns how many. One statement. `now` in Unix seconds. */
  startAhead?: (em: EntityManager, limit: number, now: number) => Promise<number>
  /** Runs before `late` is looked for. `idleS`: seconds for which nothing has moved a row. */
  beforeLook?: (em: EntityManager, part: { idleS: number; limit: number }) => Promise<unknown>
  /** Work on its rows that the reconciler repeats every RECONCILE_EVERY_MS, whether or not Temporal is reachable. */
  sweeps?: readonly ((run: RowsRun) => Promise<void>)[]
}

export type Process<K extends ProcessKind = ProcessKind, E extends EffectName = never> = ProcessRows<E> & {
  readonly kind: K
}

/** Declares a kind. The compiler names an effect of it that has no `attention`. */
export const process = <const K extends ProcessKind>(
  kind: K,
  rows: ProcessRows<EffectOf<K>>,
): Process<K, EffectOf<K>> => ({ kind, ...rows })

type Declared = { readonly kind: ProcessKind }
/** Kinds that stand twice in a list. */
type Doubled<List extends readonly Declared[], Seen = never> = List extends readonly [
  infer First extends Declared,
  ...infer Others extends readonly Declared[],
]
  ? Extract<First['kind'], Seen> | Doubled<Others, Seen | First['kind']>
  : never

/** Returns the list. The compiler names kinds that are missing or stand in it twice. */
export const complete = <const List extends readonly Declared[]>(
  list: List & Readonly<Record<Exclude<ProcessKind, List[number]['kind']> | Doubled<List>, never>>,
): List => list

/**
 * The facts of rows: `columns` of the rows `x` of `from`, beside their id and tenant, and the key and kind of the
 * tenant `t`.
 */
type Facts = { from: Sql; columns?: Sql; id?: Sql; tenant?: Sql; where?: (ids: Sql) => Sql }

const named = text('t.key as store, t.kind as tenant_kind')
const own = (ids: Sql): Sql => sql`x.id = any (${ids})`

const factsOf = ({ from, columns, id = text('x.id'), tenant = named, where = own }: Facts, ids: Sql): Sql => sql`
  select ${id} as id, x.tenant_id, ${columns ? join([tenant, columns]) : tenant}
  from ${from}
  left join tenants t on t.id = x.tenant_id
  where ${where(ids)}
`

/** Describes rows by their facts: one statement for all ids. */
export const describing =
  <Row extends { id: string }>(facts: Facts, describe: (row: Row) => Description): ProcessRows['describe'] =>
  async (em, ids) => {
    const rows: Row[] = await em.execute(factsOf(facts, uuids(ids)))
    return new Map(rows.map((row) => [row.id, describe(row)]))
  }

/** A condition on a task slot `t` of an effect: the effect has ended. */
export const effectEnded = (name: EffectName): Sql => sql`
  not exists (
    select 1
    from ${column(effects[name].table)} e
    where e.id = t.id and e.tenant_id = t.tenant_id and e.status in ('requested', 'processing')
  )
`
