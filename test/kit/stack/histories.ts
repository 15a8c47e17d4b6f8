// Histories of runs that a list of Temporal shows.
import type { Client, WorkflowHandle } from '@temporalio/client'

/** gRPC: NOT_FOUND. */
const gone = 5

/** Null for a run that was removed after it was listed: a worker removes failed runs whose matter is over. */
export const historyOf = (
  client: Client,
  workflowId: string,
  runId: string,
): Promise<Awaited<ReturnType<WorkflowHandle['fetchHistory']>> | null> =>
  client.workflow
    .getHandle(workflowId, runId)
    .fetchHistory()
    .catch((error: { code?: number }) => {
      if (error.code === gone) return null
      throw error
    })
