// Temporal's Failed filter is a list of what a person has to do: failed runs whose matter is over are removed from it.
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { effectRows } from '../activities/effects.ts'
import { log } from '../adapters/log.ts'
import { reasonOf } from '../adapters/temporal.ts'
import { config } from '../config.ts'
import { type FailedRun, overOf } from '../entities/attention.ts'
import { type Orm, unitOf } from '../entities/kit/database/orm.ts'
import { isProcessKind, type ProcessKind } from '../rules/processes.ts'

/** What `conclude` (workflows/kit/attempts.ts) and the erasure fail with; other failures are no matter of an item. */
const failed = `ExecutionStatus = "Failed" and (EffectStatus in ("unknown", "rejected", "failed") or Kind = "erasure")`
const pageSize = 200
/** gRPC: NOT_FOUND. Another worker has removed it. */
const gone = 5

type Run = FailedRun & { kind: ProcessKind; workflowId: string; runId: string }
type Page = { runs: Run[]; next: Uint8Array | null }

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
/** A search attribute, which is encoded as JSON. */
const textOf = (data: Uint8Array | null | undefined): string | null => {
  const value: unknown = data ? JSON.parse(Buffer.from(data).toString()) : null
  return typeof value === 'string' ? value : null
}

/** A page of the runs of our workflows; one that a person started under another id is none. */
async function list(client: Client, query: string, nextPageToken: Uint8Array | null): Promise<Page> {
  const { executions, nextPageToken: next } = await client.workflowService.listWorkflowExecutions({
    ...{ namespace: config.temporal.namespace, pageSize, query },
    ...(nextPageToken ? { nextPageToken } : {}),
  })
  const runs = (executions ?? []).flatMap(({ execution, startTime, searchAttributes }) => {
    const workflowId = execution?.workflowId ?? ''
    const [kind = '', row_id = ''] = workflowId.split('/')
    if (!isProcessKind(kind) || !isUuid(row_id)) return []
    const tenant = textOf(searchAttributes?.indexedFields?.TenantId?.data)
    return [
      {
        ...{ kind, row_id, workflowId, runId: execution?.runId ?? '' },
        tenant_id: tenant !== null && isUuid(tenant) ? tenant : null,
        started_at: Number(startTime?.seconds ?? 0) + Number(startTime?.nanos ?? 0) / 1e9,
      },
    ]
  })
  return { runs, next: next && next.length > 0 ? next : null }
}

/** Runs after which the same workflow failed once more: the last one stands for the matter. */
async function repeated(client: Client, runs: readonly Run[]): Promise<Set<Run>> {
  if (runs.length === 0) return new Set()
  const ids = [...new Set(runs.map(({ workflowId }) => `"${workflowId}"`))]
  const latest = new Map<string, number>()
  let token: Uint8Array | null = null
  do {
    const page: Page = await list(client, `${failed} and WorkflowId in (${ids.join(', ')})`, token)
    for (const { workflowId, started_at } of page.runs)
      latest.set(workflowId, Math.max(started_at, latest.get(workflowId) ?? 0))
    token = page.next
  } while (token)
  return new Set(runs.filter(({ workflowId, started_at }) => (latest.get(workflowId) ?? 0) > started_at))
}

/** A run that completed since says nothing of it: it may have been about another row of the same process. */
async function over(orm: Orm, client: Client, runs: readonly Run[]): Promise<Run[]> {
  const found = await repeated(client, runs)
  const left = runs.filter((run) => !found.has(run))
  for (const [kind, same] of Map.groupBy(left, (run) => run.kind))
    for (const run of await overOf(unitOf(orm, null), kind, effectRows, same)) found.add(run)
  return [...found]
}

async function remove(client: Client, { workflowId, runId }: Run): Promise<boolean> {
  try {
    await client.workflowService.deleteWorkflowExecution({
      namespace: config.temporal.namespace,
      workflowExecution: { workflowId, runId },
    })
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code !== gone)
      log.warn({ workflow_id: workflowId, err: { message: reasonOf(error) } }, 'a failed run was not removed')
    return false
  }
}

/**
 * Looks at one page of failed runs, and removes those whose matter is over: a closed run cannot be changed otherwise.
 * What happened is in its rows. One that cannot be removed is left for the next look. Returns where that begins, and
 * how many were removed.
 */
export async function removeOver(
  orm: Orm,
  client: Client,
  from: Uint8Array | null,
): Promise<{ next: Uint8Array | null; removed: number }> {
  const { runs, next } = await list(client, failed, from)
  let removed = 0
  for (const run of await over(orm, client, runs)) if (await remove(client, run)) removed++
  return { next, removed }
}

/** Runs until `signal` is aborted: a page every `RECONCILE_EVERY_MS`. An outage of Temporal only makes it wait. */
export async function failedRuns(orm: Orm, client: Client, signal: AbortSignal): Promise<void> {
  let from: Uint8Array | null = null
  while (!signal.aborted) {
    await pause(config.reconcileEveryMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    try {
      from = (await removeOver(orm, client, from)).next
    } catch (error) {
      // A token of a page may have become invalid.
      from = null
      log.warn({ err: { message: reasonOf(error) } }, 'failed runs')
    }
  }
}
