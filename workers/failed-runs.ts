// Temporal's Failed filter is a list of what a person has to do: failed runs whose matter is over are removed from it.
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { log } from '../adapters/log.ts'
import { reasonOf } from '../adapters/temporal.ts'
import { config } from '../config.ts'
import { stillOpen } from '../entities/attention.ts'
import { type Orm, unitOf } from '../entities/kit/database/orm.ts'
import { ownProcesses } from '../rules/effects.ts'

/** What `conclude` (workflows/kit/attempts.ts) and the erasure fail with; other failures are no matter of an item. */
const failed = `ExecutionStatus = "Failed" and (EffectStatus in ("unknown", "rejected", "failed") or Kind = "erasure")`
const pageSize = 200
/** gRPC: NOT_FOUND. Another worker has removed it. */
const gone = 5

/** `startedAt` in milliseconds. */
type Run = { workflowId: string; runId: string; startedAt: number }
type Page = { runs: Run[]; next: Uint8Array | null }

async function list(client: Client, query: string, nextPageToken: Uint8Array | null): Promise<Page> {
  const { executions, nextPageToken: next } = await client.workflowService.listWorkflowExecutions({
    ...{ namespace: config.temporal.namespace, pageSize, query },
    ...(nextPageToken ? { nextPageToken } : {}),
  })
  const runs = (executions ?? []).map(({ execution, startTime }) => ({
    workflowId: execution?.workflowId ?? '',
    runId: execution?.runId ?? '',
    startedAt: Number(startTime?.seconds ?? 0) * 1_000 + Number(startTime?.nanos ?? 0) / 1e6,
  }))
  return { runs, next: next && next.length > 0 ? next : null }
}

/** Runs that a later run of the same workflow, which has ended, supersedes: it completed, or failed once more. */
async function superseded(client: Client, runs: readonly Run[]): Promise<Set<Run>> {
  if (runs.length === 0) return new Set()
  const ids = [...new Set(runs.map(({ workflowId }) => `"${workflowId}"`))]
  const latest = new Map<string, number>()
  let token: Uint8Array | null = null
  do {
    const page: Page = await list(
      client,
      `ExecutionStatus in ("Completed", "Failed") and WorkflowId in (${ids.join(', ')})`,
      token,
    )
    for (const { workflowId, startedAt } of page.runs)
      latest.set(workflowId, Math.max(startedAt, latest.get(workflowId) ?? 0))
    token = page.next
  } while (token)
  return new Set(runs.filter(({ workflowId, startedAt }) => (latest.get(workflowId) ?? 0) > startedAt))
}

/**
 * Runs whose matter is over: superseded ones, and those of an effect with a process of its own of which nothing is open
 * in the list of what a person has to do: it was resolved, or does not matter any more.
 */
async function over(orm: Orm, client: Client, runs: readonly Run[]): Promise<Run[]> {
  const found = await superseded(client, runs)
  const left = runs.filter((run) => !found.has(run))
  for (const effect of ownProcesses) {
    const idOf = ({ workflowId }: Run) => workflowId.slice(effect.length + 1)
    const same = left.filter(({ workflowId }) => workflowId.startsWith(`${effect}/`))
    if (same.length === 0) continue
    const open = await stillOpen(unitOf(orm, null), effect, same.map(idOf))
    for (const run of same) if (!open.has(idOf(run))) found.add(run)
  }
  return [...found]
}

/**
 * Looks at one page of failed runs, and removes those whose matter is over: a closed run cannot be changed otherwise.
 * What happened is in its rows. Returns where the next look begins, and how many were removed.
 */
export async function removeOver(
  orm: Orm,
  client: Client,
  from: Uint8Array | null,
): Promise<{ next: Uint8Array | null; removed: number }> {
  const { runs, next } = await list(client, failed, from)
  let removed = 0
  for (const { workflowId, runId } of await over(orm, client, runs))
    try {
      await client.workflowService.deleteWorkflowExecution({
        namespace: config.temporal.namespace,
        workflowExecution: { workflowId, runId },
      })
      removed++
    } catch (error) {
      if ((error as { code?: unknown }).code !== gone) throw error
    }
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
