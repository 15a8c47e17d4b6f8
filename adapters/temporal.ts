// The one way to start a workflow, for the API and the relay. Starting twice is starting once: the workflow's id is kind/row id.
//   await startWorkflow(await client(), { kind: 'refund', row_id, tenant_id })
import { Client, Connection, WorkflowExecutionAlreadyStartedError, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client'
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common'
import { config } from '../config.ts'
import { type Process, type ProcessKind, processes, workflowId } from '../rules/processes.ts'

export const connectionOptions = () => ({
  address: config.temporal.address,
  ...(config.temporal.tls ? { tls: config.temporal.tls } : {}),
})

let known: Client | undefined

/** Connects when it is first used, and again by itself: an API without Temporal still takes cash. */
export function client(): Client {
  known ??= new Client({
    connection: Connection.lazy({
      ...connectionOptions(),
      connectTimeout: 1_000,
      // Otherwise an API that has seen a long outage notices up to two minutes late that it is over.
      channelArgs: { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 2_000 },
    }),
    namespace: config.temporal.namespace,
  })
  return known
}

export const closeClient = async (): Promise<void> => known?.connection.close()

const tenantKey = defineSearchAttributeKey('TenantId', 'KEYWORD')
const kindKey = defineSearchAttributeKey('Kind', 'KEYWORD')
const statusKey = defineSearchAttributeKey('EffectStatus', 'KEYWORD')

export type StartLike = { kind: ProcessKind; row_id: string; tenant_id: string | null; summary?: string | null; details?: string | null; again?: boolean }

/**
 * A workflow that is closed starts again: its row was not terminal. One that runs is signalled if its kind is signalled, and otherwise left alone. `again`: it
 * probably runs. `eager`: the caller is a worker, and the server may answer with the first workflow task. Throws where the engine is away.
 *
 * A new workflow reads its rows first, so a plain start needs no signal with it. The signal for one that runs is a signal-with-start: a workflow that ends in
 * between is started again, and no signal is lost.
 */
export async function startWorkflow(at: Client, { kind, row_id, tenant_id, summary, details, again = false }: StartLike, eager = false): Promise<void> {
  const process: Process = processes[kind]
  const options = {
    workflowId: workflowId(kind, row_id),
    taskQueue: process.queue,
    args: [row_id],
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    typedSearchAttributes: new TypedSearchAttributes([
      ...(tenant_id ? [{ key: tenantKey, value: tenant_id }] : []),
      { key: kindKey, value: kind },
      ...(process.outcome ? [{ key: statusKey, value: 'requested' }] : []),
    ]),
    // Where the server keeps tenants apart (matching.enableFairness), each has its own turns in a queue's backlog; activities inherit it.
    ...(tenant_id ? { priority: { fairnessKey: tenant_id } } : {}),
    ...(process.prompt ? { workflowTaskTimeout: '2s' as const } : {}),
    staticSummary: summary ?? `${kind.replaceAll('_', ' ')} ${row_id}${tenant_id ? ` of store ${tenant_id}` : ''}`,
    ...(details ? { staticDetails: details } : {}),
  }
  const { FAIL, USE_EXISTING } = WorkflowIdConflictPolicy
  await at.withDeadline(Date.now() + 3_000, async () => {
    if (!(process.signalled && again)) {
      try {
        const workflowIdConflictPolicy = process.signalled ? FAIL : USE_EXISTING
        await at.workflow.start(kind, { ...options, workflowIdConflictPolicy, ...(eager ? { requestEagerStart: true } : {}) })
        return
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
      }
    }
    await at.workflow.signalWithStart(kind, { ...options, workflowIdConflictPolicy: USE_EXISTING, signal: 'changed' })
  })
}

const away = new Set([1, 4, 14]) // gRPC: CANCELLED, DEADLINE_EXCEEDED, UNAVAILABLE

/** Whether a call failed because nobody answered it, and not because of what it asked. */
export function engineIsAway(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (away.has((at as { code?: number }).code ?? 0)) return true
  return false
}

export async function engineIsThere(): Promise<boolean> {
  try {
    const at = client()
    await at.withDeadline(Date.now() + 1_000, () => at.workflowService.getSystemInfo({}))
    return true
  } catch {
    return false
  }
}
