// What is known of a kind of process beside its queue: the rows that it is about, and how they are described, looked for and quarantined.
// Each kind is declared in entities/<domain>/processes.ts and registered in entities/processes.ts.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Description } from '../../rules/descriptions.ts'
import { type EffectName, effects } from '../../rules/effects.ts'
import type { LateRows } from './late-rows.ts'
import { column, type Sql, sql, text } from './sql.ts'

type Work = <T>(work: (em: EntityManager) => Promise<T>) => Promise<T>

/** One run of `npm run quarantine`. `since`: of the last commit that is certainly not lost; both times in Unix seconds. */
export type QuarantineRun = {
  since: number
  now: number
  statement: Work
  transaction: Work
  /** Records that `what` could not be made unknown. The run goes on, and fails at its end. */
  failed(what: string): (error: Error) => void
}

/** Makes unknown what may have been sent and has no row of an effect. Returns a line that says how many. */
type Quarantine = { when: 'before effects' | 'after effects'; run(run: QuarantineRun): Promise<string> }

export type ProcessRows = {
  /**
   * Rows of which the process should have moved on, as they were not touched for a while: its workflow is started again. What its effects tell is found by
   * their rows, and a kind without other rows has none.
   */
  late: readonly LateRows[]
  /** `read` selects the facts of rows by their ids, with the id and the tenant; `of` writes what the workflow is called in Temporal's UI. */
  describe?: { read(ids: Sql): Sql; of(facts: never): Description }
  /** Of a task slot `t` that no worker holds: the work that took it, or waits for it, has ended. */
  slotEnded?: Sql
  quarantine?: readonly Quarantine[]
  /** Starts what comes due within minutes: at most `limit`; returns how many. One transaction. `now` in Unix seconds. */
  startAhead?: (em: EntityManager, limit: number, now: number) => Promise<number>
  /** Runs before `late` is looked for. `idleS`: seconds for which nothing has moved a row. */
  beforeLook?: (em: EntityManager, part: { idleS: number; limit: number }) => Promise<unknown>
}

/** The columns of `t`, a tenant that is joined to the rows, that each description names. */
export const describedTenant = text('t.key as store, t.kind as tenant_kind')

/** A description that is written from the rows that `read` selects. */
export const describing = <Facts>(read: (ids: Sql) => Sql, of: (facts: Facts) => Description): ProcessRows['describe'] => ({ read, of })

/** Of a task slot `t` of an effect: the effect has ended. */
export const effectEnded = (name: EffectName): Sql => sql`not exists (
  select 1 from ${column(effects[name].table)} e
  where e.id = t.id and e.tenant_id = t.tenant_id and e.status in ('requested', 'processing'))`
