// Starts an execution and its workflow in one statement. Twenty equal calls start twenty executions; one occurrence
// starts one.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ExecutionSource } from '../../rules/automation/executions.ts'
import { json, type Sql, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'

/** A new execution; `nodes` are the ids of its graph's nodes. */
export type Begun = { id: string; workflow_id: string; nodes: string[] }

type Occasion = { source: Exclude<ExecutionSource, 'event'>; occurrence: string | null; input: Record<string, unknown> }

/**
 * Starts the workflow that `which` finds, if it is active and its store is not archived; null if there is none, or if
 * the occurrence has started an execution before. Locks the workflow as a key and so waits for its change or deletion:
 * no execution begins with a graph that is deleted.
 */
async function begin(em: EntityManager, which: Sql, { source, occurrence, input }: Occasion, now: number) {
  const rows: Begun[] = await em.execute(sql`
    with workflow as (
      select w.id, w.tenant_id, w.graph_id, w.key, t.key as store
      from workflows w
      join tenants t on t.id = w.tenant_id
      where ${which} and w.status = 'active' and t.status <> 'ARCHIVED'
      for key share of w
    ),
    new_execution as (
      insert into executions (id, tenant_id, created_at, updated_at, workflow_id, graph_id, source, occurrence, input)
      select ${newId()}, w.tenant_id, ${now}, ${now}, w.id, w.graph_id, ${source}, ${occurrence}, ${json(input)}
      from workflow w
      on conflict (workflow_id, occurrence) do nothing
      returning id, tenant_id, workflow_id
    ),
    starts as (
      insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked, summary)
      select ${newId()}::uuid, e.tenant_id, 'execution', e.id, clock_timestamp(), 0, false,
        left(w.key, 80) || ' of store ' || w.store
      from new_execution e, workflow w
    )
    select e.id, e.workflow_id,
      array(
        select jsonb_object_keys(g.nodes)
        from graphs g
        where g.id = w.graph_id and g.tenant_id = w.tenant_id
      ) as nodes
    from new_execution e, workflow w
  `)
  const [begun] = rows
  if (!begun || begun.nodes.length > 0) return begun ?? null
  // The statement waited for the transaction that wrote this graph, whose rows its snapshot does not contain.
  const [{ nodes } = { nodes: [] }]: { nodes: string[] }[] = await em.execute(sql`
    select array(select jsonb_object_keys(g.nodes)) as nodes
    from graphs g
    join executions x on x.graph_id = g.id and x.tenant_id = g.tenant_id
    where x.id = ${begun.id}
  `)
  return { ...begun, nodes }
}

/**
 * Starts an execution by the digest of the secret in its address. `input` is what the caller sent; `now` in Unix
 * seconds.
 */
export const trigger = (
  em: EntityManager,
  secretDigest: string,
  input: Record<string, unknown>,
  now: number,
): Promise<Begun | null> =>
  begin(em, sql`w.secret_digest = ${secretDigest}`, { source: 'webhook', occurrence: null, input }, now)

/** Starts an execution by its schedule, at most one of the workflow. `at`: when it was due, as ISO 8601. */
export const occur = (em: EntityManager, workflowId: string, at: string, now: number): Promise<Begun | null> =>
  begin(
    em,
    sql`w.id = ${workflowId}`,
    { source: 'schedule', occurrence: at, input: { scheduled_at: Math.floor(Date.parse(at) / 1000) } },
    now,
  )

/** The tenant of the active workflow whose secret has the digest. */
export async function tenantOfTrigger(em: EntityManager, secretDigest: string | null): Promise<string | undefined> {
  const [found]: { tenant_id: string }[] = await em.execute(sql`
    select w.tenant_id
    from workflows w
    join tenants t on t.id = w.tenant_id
    where w.secret_digest = ${secretDigest} and w.status = 'active' and t.status <> 'ARCHIVED'
  `)
  return found?.tenant_id
}
