// Executions that ended long ago are deleted with their runs, and graphs that no execution uses any more.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/database/sql.ts'
import { none } from '../kit/expiry.ts'
import { uuids } from '../kit/ids.ts'
import type { Round } from '../kit/table.ts'

// Runs of the executions that one statement deletes: an execution may have a hundred thousand, and is then deleted
// alone.
const runsMax = 5_000

/**
 * Executions with their runs, unless the outcome of a run is unknown. Then the graphs that no execution uses any more:
 * in a statement of its own, after the commit, so that the last of several concurrent sweepers finds them unused.
 */
export async function sweepExecutions(em: EntityManager, { before, floor, batch }: Round): Promise<number> {
  const unproved = none(sql`node_runs r where r.execution_id = x.id and r.status in ('processing', 'unknown')`)
  const deleted: { graph_id: string }[] = await em.execute(
    sql`
      with ended_executions as materialized (
        select x.id, x.runs
        from executions x
        where x.id < ${floor}
          and x.finished_at < ${before}
          and x.status in ('completed', 'failed', 'cancelled')
          and ${unproved}
        order by x.id
        limit ${batch}
        for update skip locked
      ),
      executions_to_delete as (
        select id
        from (select id, sum(runs) over (order by id) - runs as runs_before from ended_executions) e
        where runs_before < ${runsMax}
      )
      delete from executions x
      using executions_to_delete
      where x.id = executions_to_delete.id
      returning x.graph_id
    `,
  )
  if (deleted.length > 0)
    await em.execute(
      sql`
        delete from graphs g
        where g.id = any (${uuids(new Set(deleted.map(({ graph_id }) => graph_id)))})
          and ${none(sql`executions x where x.graph_id = g.id`)}
          and not exists (select 1 from workflows w where w.id = g.workflow_id and w.graph_id = g.id)
      `,
    )
  return deleted.length
}
