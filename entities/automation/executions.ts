// An execution advances in steps: the runs that ended are read, the reducer computes what follows, and one statement
// writes it. Of concurrent steps one is written.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { State } from '../../rules/automation/execution-state.ts'
import type { ExecutionStatus } from '../../rules/automation/executions.ts'
import type { Graph } from '../../rules/automation/graph-shapes.ts'
import type { EffectStatus } from '../../rules/effects.ts'
import { json, sql } from '../kit/database/sql.ts'
import type { EffectError } from '../kit/effect-columns.ts'
import { newId, uuids } from '../kit/ids.ts'
import { exchange } from '../platform/task-slots.ts'

/** A run whose end the reducer has not applied. */
export type OpenRun = {
  id: string
  key: string
  node: string
  status: EffectStatus
  items: number | null
  branch: string | null
  /** It was withdrawn before it was sent. */
  withdrawn: boolean
  /** Milliseconds until it may be started; 0 if it may. */
  wait_ms: number
  /** Whether it holds a slot of the queue (true) or waits for one (false); null: neither. */
  granted: boolean | null
}

export type ExecutionNow = {
  id: string
  tenant_id: string
  graph_id: string
  status: ExecutionStatus
  /** It ended by a run whose outcome is unknown, and no person has said how that ended. */
  is_unknown: boolean
  input: Record<string, unknown>
  state: State | null
  step: number
  runs: number
  cancel_requested: boolean
  open: OpenRun[]
}

/** The execution and its open runs, read in one statement. The id names one tenant's row. */
export async function executionNow(em: EntityManager, id: string): Promise<ExecutionNow | null> {
  const [row]: ExecutionNow[] = await em.execute(sql`
    select x.id, x.tenant_id, x.graph_id, x.status, x.input, x.state, x.step, x.runs, x.cancel_requested,
      case
        when x.error ->> 'code' = 'node_unknown'
          then exists (
            select 1
            from node_runs u
            where u.execution_id = x.id and u.tenant_id = x.tenant_id and u.status = 'unknown'
          )
        else false
      end as is_unknown,
      coalesce(
        (
          select jsonb_agg(
            jsonb_build_object(
              'id', r.id, 'key', r.key, 'node', r.node, 'status', r.status, 'items', r.items, 'branch', r.branch,
              'granted', s.granted, 'withdrawn',
              r.status = 'failed' and coalesce(r.error ->> 'code' = 'execution_cancelled', false), 'wait_ms',
              greatest(0, ceil(extract(epoch from r.due_at - clock_timestamp()) * 1000))
            ) order by r.created_at,
            r.id
          )
          from node_runs r
          left join task_slots s on s.id = r.id and s.tenant_id = r.tenant_id
          where r.execution_id = x.id and not r.applied
        ),
        '[]'
      ) as open
    from executions x
    where x.id = ${id}
  `)
  return row ? { ...row, open: row.open.map((run) => ({ ...run, wait_ms: run.wait_ms ?? 0 })) } : null
}

/** The execution's tenant, and whether it has no steps left to compute. The id names one tenant's row. */
export async function computationOf(
  em: EntityManager,
  id: string,
): Promise<{ tenant_id: string; stopped: boolean } | null> {
  const [row]: { tenant_id: string; stopped: boolean }[] = await em.execute(sql`
    select tenant_id, cancel_requested or status not in ('pending', 'running') as stopped
    from executions
    where id = ${id}
  `)
  return row ?? null
}

/** The execution is signalled when it may compute: the reconciler checks it again in ten minutes. */
export const postpone = (em: EntityManager, tenantId: string, id: string) =>
  em.execute(sql`
    update executions
    set wake_at = clock_timestamp() + interval '10 minutes'
    where id = ${id} and tenant_id = ${tenantId} and status in ('pending', 'running')
  `)

export async function graphOf(em: EntityManager, tenantId: string, id: string): Promise<Graph | null> {
  const [row]: Graph[] = await em.execute(
    sql`select nodes, edges from graphs where id = ${id} and tenant_id = ${tenantId}`,
  )
  return row ?? null
}

/** The output of a run; of a failed run without output, its error. Null if it was left out. */
export type Given = { key: string; value: unknown; bytes: number; left_out: boolean }

/**
 * The outputs that are named, and the others if they have at most `everyMax` bytes of JSON together. Null if the named
 * ones have more than `namedMax`. Decided by the recorded lengths: outputs that are left out are not read.
 */
export async function outputsFor(
  em: EntityManager,
  { tenant_id, id }: ExecutionNow,
  references: readonly { key: string; named: boolean }[],
  { namedMax, everyMax }: { namedMax: number; everyMax: number },
): Promise<Given[] | null> {
  if (references.length === 0) return []
  const rows: (Given & { too_large: boolean })[] = await em.execute(sql`
    with outputs as materialized (
      select r.id, r.key, a.named, coalesce(r.output_bytes, 0) as bytes
      from jsonb_to_recordset(${json(references)}) as a(key text, named boolean)
      join node_runs r on r.execution_id = ${id} and r.tenant_id = ${tenant_id} and r.key = a.key
    ),
    limits as (
      select coalesce(sum(bytes) filter (where named), 0) <= ${namedMax} as named,
        coalesce(sum(bytes) filter (where bytes <= ${everyMax}), 0) <= ${everyMax} as every
      from outputs
    )
    select o.key, o.bytes, not limits.named as too_large,
      not o.named and not (limits.every and o.bytes <= ${everyMax}) as left_out,
      case
        when limits.named and (o.named or (limits.every and o.bytes <= ${everyMax}))
          then coalesce(r.output, jsonb_build_object('error', r.error))
      end as value
    from outputs o
    cross join limits
    join node_runs r on r.id = o.id and r.tenant_id = ${tenant_id}
  `)
  return rows.some(({ too_large }) => too_large) ? null : rows
}

/** Single items of arrays that runs returned. The whole array may be a megabyte, and would be read once per item. */
export async function itemsOf(
  em: EntityManager,
  { tenant_id, id }: ExecutionNow,
  places: readonly { items: string; index: number }[],
): Promise<{ items: string; index: number; value: unknown }[]> {
  if (places.length === 0) return []
  return em.execute(sql`
    select p.items, p.index, r.output -> p.index as value
    from jsonb_to_recordset(${json(places)}) as p(items text, index int)
    join node_runs r on r.execution_id = ${id} and r.tenant_id = ${tenant_id} and r.key = p.items
  `)
}

/** Total bytes of JSON that these runs returned. */
export async function bytesOf(
  em: EntityManager,
  { tenant_id, id }: ExecutionNow,
  keys: readonly string[],
): Promise<number> {
  const [row]: { bytes: number }[] = await em.execute(sql`
    select coalesce(sum(output_bytes), 0)::int as bytes
    from node_runs
    where execution_id = ${id}
      and tenant_id = ${tenant_id}
      and key = any(array(select jsonb_array_elements_text(${json(keys)})))
  `)
  return row?.bytes ?? 0
}

/** An output that is null is JSON's null; a missing one is NULL. */
const jsonOrNull = (output: unknown) => (output === undefined ? null : JSON.stringify(output))

/** Ends a trigger whose delay has passed. */
export const endTrigger = (
  em: EntityManager,
  { tenant_id }: ExecutionNow,
  runId: string,
  end: Pick<NewRun, 'status' | 'output' | 'output_bytes' | 'error'>,
) =>
  em.execute(sql`
    update node_runs
    set status = ${end.status}, output = ${jsonOrNull(end.output)}, output_bytes = ${end.output_bytes ?? null},
      error = ${json(end.error)}, settled_at = clock_timestamp()
    where id = ${runId} and tenant_id = ${tenant_id} and status = 'requested'
  `)

/** A new run: one that has ended already, or one that has to be sent or read. */
export type NewRun = {
  key: string
  node: string
  status: 'requested' | 'succeeded' | 'failed'
  output?: unknown
  output_bytes?: number
  items?: number
  branch?: string
  error?: EffectError
  /** Sealed (encrypted.ts): the exact request, or what it will be prepared from. */
  request?: string
  params?: string
  delay_ms?: number
}

export type NextStep = {
  state: State
  status: Exclude<ExecutionStatus, 'pending'>
  error: { code: string; message: string; node?: string } | null
  runs: NewRun[]
  /** Ids of runs whose end is applied to `state`. */
  applied: string[]
  /** Ids of runs that are due now and need a slot; new runs without a delay follow them. */
  takes: string[]
  /** Ids of runs that need their slot, or their wait for one, no more. */
  frees: string[]
  /** When the reconciler has to check it at the latest. */
  wake_ms: number
}

export type Written = { made: { key: string; id: string }[]; granted: Set<string> }

/**
 * Writes a step of an execution. Null: a concurrent caller wrote this step, and this one wrote nothing. One statement.
 */
export async function writeStep(
  em: EntityManager,
  { id, tenant_id, step }: ExecutionNow,
  next: NextStep,
): Promise<Written | null> {
  const over = next.status !== 'running'
  const runs = next.runs.map((run) => ({ id: newId(), ...run }))
  const takes = [
    ...next.takes,
    ...runs.filter(({ status, delay_ms = 0 }) => status === 'requested' && delay_ms === 0).map((run) => run.id),
  ]
  const [row] = await em.execute<{ done: boolean; granted: number; made: Written['made'] | null }[]>(sql`
    with slot_owner as (
      update executions
      set state = ${json(next.state)}, status = ${next.status}, error = coalesce(${json(next.error)}, error),
        step = step + 1, runs = runs + ${next.runs.length}, updated_at = clock.now,
        started_at = coalesce(started_at, clock.now), finished_at = case when ${over} then clock.now end,
        wake_at = case when not ${over} then clock_timestamp() + make_interval(secs => ${next.wake_ms / 1000}) end
      from (select floor(extract(epoch from clock_timestamp()))::bigint as now) clock
      where id = ${id} and tenant_id = ${tenant_id} and step = ${step} and status in ('pending', 'running')
      returning id, tenant_id, clock.now
    ),
    applied_runs as (
      update node_runs r
      set applied = true, updated_at = o.now
      from slot_owner o
      where r.execution_id = o.id and r.id = any (${uuids(next.applied)})
    ),
    new_runs as (
      insert into node_runs (
        id, tenant_id, created_at, updated_at, execution_id, key, node, status, output, output_bytes, items, branch,
        error, request, params, due_at, applied, started_at, finished_at, settled_at, fingerprint
      )
      select n.id, o.tenant_id, o.now, o.now, o.id, n.key, n.node, n.status, n.output, n.output_bytes, n.items,
        n.branch, n.error, n.request, n.params,
        case when n.delay_ms > 0 then clock_timestamp() + make_interval(secs => n.delay_ms / 1000.0) end,
        n.status <> 'requested', o.now, case when n.status <> 'requested' then o.now end,
        case when n.status <> 'requested' then clock_timestamp() end, ''
      from slot_owner o,
        jsonb_to_recordset(${json(runs)}) as n(
          id uuid, key text, node text, status text, output jsonb, output_bytes int, items int, branch text,
          error jsonb, request text, params text, delay_ms float8
        )
      returning key, id
    ),
    ${exchange('automation', 'execution', { frees: next.frees, takes })}
    select exists (select 1 from slot_owner) as done, coalesce((select granted from updated_counts), 0) as granted,
      (select jsonb_agg(jsonb_build_object('key', key, 'id', id)) from new_runs) as made
  `)
  return row?.done ? { made: row.made ?? [], granted: new Set(takes.slice(0, row.granted)) } : null
}

/**
 * Withdraws runs that wait for their time or for a slot and are not claimed: they are never sent. `all`: also runs that
 * may be sent now.
 */
export async function withdrawRuns(
  em: EntityManager,
  tenantId: string,
  executionId: string,
  all: boolean,
): Promise<void> {
  const stopped: EffectError = {
    code: 'execution_cancelled',
    message: 'The execution was stopped before this was sent.',
  }
  await em.execute(sql`
    update node_runs
    set status = 'failed', settled_at = clock_timestamp(), error = ${json(stopped)}
    where execution_id = ${executionId}
      and tenant_id = ${tenantId}
      and status = 'requested'
      and not applied
      and (
        ${all}
        or due_at > clock_timestamp()
        or exists (
          select 1
          from task_slots s
          where s.id = node_runs.id and s.tenant_id = node_runs.tenant_id and not s.granted
        )
      )
  `)
}

/**
 * Executions whose workflow may be lost. Each is returned once in half a minute, or when its waiting runs are due, so
 * that none is starved by the others. Of all tenants; each row names its own.
 */
export const overdueExecutions = (
  em: EntityManager,
  graceS: number,
  limit: number,
): Promise<{ id: string; tenant_id: string; summary: string }[]> =>
  em.execute(sql`
    with late_executions as materialized (
      select id
      from executions
      where status in ('pending', 'running')
        and coalesce(wake_at, to_timestamp(created_at)) < clock_timestamp() - make_interval(secs => ${graceS})
      order by wake_at nulls first
      limit ${limit}
      for update skip locked
    )
    update executions x
    set wake_at = greatest(
      clock_timestamp() + interval '30 s',
      (
        select min(coalesce(r.due_at, clock_timestamp()))
        from node_runs r
        where r.execution_id = x.id and r.tenant_id = x.tenant_id and not r.applied
      )
    )
    from late_executions, workflows w, tenants t
    where x.id = late_executions.id and w.id = x.workflow_id and w.tenant_id = x.tenant_id and t.id = x.tenant_id
    returning x.id, x.tenant_id, left(w.key, 80) || ' of store ' || t.key as summary
  `)

/**
 * Executions that wait for a slot are signalled when it is granted: the reconciler checks them again in ten minutes.
 * For all tenants.
 */
export const postponeWaiting = (em: EntityManager, limit: number) =>
  em.execute(sql`
    with waiting_slots as (
      select distinct row_id, tenant_id
      from task_slots
      where queue = 'automation' and not granted
    ),
    late_executions as materialized (
      select w.id, w.tenant_id
      from waiting_slots s
      join executions w on w.id = s.row_id and w.tenant_id = s.tenant_id
      where w.wake_at < clock_timestamp() and w.status = 'running'
      limit ${limit}
      for update of w skip locked
    )
    update executions x
    set wake_at = clock_timestamp() + interval '10 minutes'
    from late_executions l
    where x.id = l.id and x.tenant_id = l.tenant_id
  `)

/** The parameters of a run that is being claimed. */
export async function paramsOf(
  em: EntityManager,
  runId: string,
): Promise<{ tenant_id: string; type: string; params: string | null } | null> {
  const [row]: { tenant_id: string; type: string; params: string | null }[] = await em.execute(sql`
    select r.tenant_id, r.params, g.nodes -> r.node ->> 'type' as type
    from node_runs r
    join executions x on x.id = r.execution_id and x.tenant_id = r.tenant_id
    join graphs g on g.id = x.graph_id and g.tenant_id = x.tenant_id
    where r.id = ${runId}
  `)
  return row ?? null
}

export type Reading = { tenant_id: string; request: string; attempt: number; retries: number; retry_delay_ms: number }

/** Counts an attempt; null if the run has ended. Of two concurrent callers both may read. */
export async function beginRead(em: EntityManager, runId: string): Promise<Reading | null> {
  const [row]: Reading[] = await em.execute(sql`
    update node_runs r
    set attempt = r.attempt + 1, claimed_at = clock_timestamp(), sent_at = clock_timestamp()
    from executions x
    join graphs g on g.id = x.graph_id and g.tenant_id = x.tenant_id
    where r.id = ${runId}
      and x.id = r.execution_id
      and x.tenant_id = r.tenant_id
      and r.status = 'requested'
      and not x.cancel_requested
    returning r.tenant_id, r.request, r.attempt, coalesce((g.nodes -> r.node ->> 'retries')::int, 0) as retries,
      coalesce((g.nodes -> r.node ->> 'retry_delay_ms')::int, 0) as retry_delay_ms
  `)
  return row ?? null
}

/** `again_ms`: the run stays requested and is due again after it. */
export async function endRead(
  em: EntityManager,
  tenantId: string,
  runId: string,
  o: {
    status: 'succeeded' | 'rejected' | 'failed'
    error: EffectError | null
    output?: unknown
    output_bytes?: number
    again_ms?: number
  },
): Promise<void> {
  const again = o.again_ms !== undefined
  await em.execute(sql`
    update node_runs
    set status = case when ${again} then status else ${o.status} end, error = ${json(o.error)},
      output = ${jsonOrNull(o.output)}, output_bytes = ${o.output_bytes ?? null},
      due_at = case when ${again} then clock_timestamp() + make_interval(secs => ${(o.again_ms ?? 0) / 1000}) end,
      answered_at = case when ${!again && o.status !== 'failed'} then clock_timestamp() end,
      settled_at = case when ${again} then null else clock_timestamp() end,
      sent_at = case when ${o.error?.code === 'egress_refused'} then null else sent_at end
    where id = ${runId} and tenant_id = ${tenantId} and status = 'requested'
  `)
}

/**
 * After commits may have been lost: stops every unfinished execution, which may have sent what is not recorded. It
 * takes no further step, and its delayed triggers fail. For all tenants; returns how many. `now` in Unix seconds.
 */
export async function quarantineExecutions(em: EntityManager, now: number): Promise<number> {
  const error: EffectError = {
    code: 'quarantined',
    message: 'Commits may have been lost: what follows may have happened already.',
  }
  const rows: { id: string; tenant_id: string }[] = await em.execute(sql`
    with stopped_executions as (
      update executions
      set status = 'failed', error = ${json(error)}, finished_at = ${now}, updated_at = ${now}, wake_at = null
      where status in ('pending', 'running')
      returning id, tenant_id, error
    ),
    unsent_runs as (
      update node_runs r
      set status = 'failed', error = s.error, settled_at = clock_timestamp()
      from stopped_executions s
      where r.execution_id = s.id
        and r.tenant_id = s.tenant_id
        and r.status = 'requested'
        and r.request is null
        and r.params is null
    )
    select id, tenant_id
    from stopped_executions
  `)
  return rows.length
}
