// Starts workflows, for the API and the relay. A second start of the same row has no effect: the workflow's id is
// kind/row id.
//   await startWorkflow(await client(), { kind: 'refund', row_id, tenant_id })
import { Client, Connection, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client'
import { defineSearchAttributeKey, NamespaceNotFoundError, TypedSearchAttributes } from '@temporalio/common'
import { config } from '../config.ts'
import type { Process } from '../rules/host-processes.ts'
import { type ProcessKind, processes, workflowId } from '../rules/processes.ts'

export const connectionOptions = () => ({
  address: config.temporal.address,
  ...(config.temporal.tls ? { tls: config.temporal.tls } : {}),
})

let known: Client | undefined

/** Connects at the first use, and reconnects: an API without Temporal still accepts cash orders. */
export function client(): Client {
  known ??= new Client({
    connection: Connection.lazy({
      ...connectionOptions(),
      connectTimeout: 1_000,
      // With gRPC's default, an API would notice the end of a long outage up to two minutes late.
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

export type StartLike = {
  kind: ProcessKind
  row_id: string
  tenant_id: string | null
  summary?: string | null
  details?: string | null
  again?: boolean
  turn?: string | null
}

/**
 * `turn`: whose turn it is, if not the tenant's. Starts the workflow of a row; a closed workflow is started again,
 * since its row was not settled. `again`: the workflow may be running and has to read its rows again. `eager`: the
 * caller is a worker's relay, and the server may return the first workflow task in its response. Throws if Temporal is
 * unreachable.
 *
 * A new workflow reads its rows first, so that a row's only start needs no signal. Any other start of a signalled kind
 * is a signal-with-start: if the workflow ends meanwhile it is started again, and no signal is lost.
 */
export async function startWorkflow(
  at: Client,
  { kind, row_id, tenant_id, summary, details, again = false, turn }: StartLike,
  eager = false,
): Promise<void> {
  const process: Process = processes[kind]
  const options = {
    workflowId: workflowId(kind, row_id),
    taskQueue: process.queue,
    args: [row_id],
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    typedSearchAttributes: new TypedSearchAttributes([
      ...(tenant_id ? [{ key: tenantKey, value: tenant_id }] : []),
      { key: kindKey, value: kind },
      ...(process.outcome ? [{ key: statusKey, value: 'requested' }] : []),
    ]),
    // With `matching.enableFairness` the server serves the backlog of a task queue in turns by this key. Activities
    // inherit it.
    ...(tenant_id ? { priority: { fairnessKey: turn ?? tenant_id } } : {}),
    ...(process.prompt ? { workflowTaskTimeout: '2s' as const } : {}),
    staticSummary: summary ?? `${kind.replaceAll('_', ' ')} ${row_id}${tenant_id ? ` of store ${tenant_id}` : ''}`,
    ...(details ? { staticDetails: details } : {}),
  }
  await at.withDeadline(Date.now() + 3_000, async () => {
    if (process.signalled === true || (process.signalled && (again || !eager)))
      await at.workflow.signalWithStart(kind, { ...options, signal: 'changed' })
    else await at.workflow.start(kind, { ...options, ...(eager ? { requestEagerStart: true } : {}) })
  })
}

/** gRPC: INVALID_ARGUMENT, ALREADY_EXISTS. */
const aboutContent = new Set([3, 6])

/** The answer of Temporal in an error of its client, which wraps it; null for other errors. `code`: of gRPC. */
function answerIn(error: unknown): { code: number; details: string } | null {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { code, details, message } = at as { code?: unknown; details?: unknown; message: string }
    if (typeof code === 'number') return { code, details: typeof details === 'string' && details ? details : message }
  }
  return null
}

/** Whether the namespace lacks a search attribute that every start sets: a new one has none. */
export const lacksSearchAttributes = (error: unknown): boolean =>
  /mapping defined for search attribute/.test(answerIn(error)?.details ?? '')

/**
 * Whether a start failed because of Temporal, and not because of its content: it cannot be reached, refuses its
 * clients, is overloaded, or does not serve the namespace. The same start succeeds once Temporal works again. Some of
 * these failures can be about one workflow: whether others are started meanwhile shows that (workers/relay.ts).
 */
export function engineIsAway(error: unknown): boolean {
  if (error instanceof NamespaceNotFoundError || lacksSearchAttributes(error)) return true
  const answer = answerIn(error)
  return answer !== null && !aboutContent.has(answer.code)
}

/** Why a start failed, in Temporal's words: "7: Request unauthorized.". */
export function reasonOf(error: unknown): string {
  const answer = answerIn(error)
  return answer ? `${answer.code}: ${answer.details}` : error instanceof Error ? error.message : String(error)
}

/** Whether Temporal answers within a second and has the namespace. */
export async function engineIsThere(): Promise<boolean> {
  try {
    const at = client()
    await at.withDeadline(Date.now() + 1_000, () =>
      at.workflowService.describeNamespace({ namespace: config.temporal.namespace }),
    )
    return true
  } catch {
    return false
  }
}
