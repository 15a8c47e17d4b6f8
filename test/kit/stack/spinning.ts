// A workflow that continues as new again and again, although nothing happened that it would have to do, spins: the
// tests of its stack fail. It would take a worker's processor time without an end.
import { Client, Connection } from '@temporalio/client'
import { historyOf } from './histories.ts'

const continuationsMax = 5
const deadlineMs = 30_000

type Continued = { workflowId: string; runId: string; startTime: Date; count: number }

/** Workflows that continued as new more often than that, each with the last run that did. */
async function continuedOften(client: Client): Promise<Continued[]> {
  const byId = new Map<string, Continued>()
  const runs = client.workflow.list({ query: `ExecutionStatus = 'ContinuedAsNew'`, pageSize: 1_000 })
  for await (const { workflowId, runId, startTime } of runs) {
    const known = byId.get(workflowId)
    const last = known && known.startTime > startTime ? known : { runId, startTime }
    byId.set(workflowId, { ...last, workflowId, count: (known?.count ?? 0) + 1 })
  }
  return [...byId.values()].filter(({ count }) => count > continuationsMax)
}

/** A run that waited for a time, or was signalled, had a reason to go on. */
async function hadReason(client: Client, { workflowId, runId }: Continued): Promise<boolean> {
  const history = await historyOf(client, workflowId, runId)
  return (
    !history ||
    (history.events ?? []).some((one) => one.timerFiredEventAttributes || one.workflowExecutionSignaledEventAttributes)
  )
}

/**
 * Throws if a workflow of the Temporal server at this address spins. One request, and one more for each workflow that
 * continued as new often. A server that a test has stopped is not asked.
 */
export async function mustNotSpin(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: 2_000 }).catch(() => null)
  if (!connection) return
  const client = new Client({ connection })
  try {
    await client.withDeadline(Date.now() + deadlineMs, async () => {
      const spinning: string[] = []
      for (const one of await continuedOften(client))
        if (!(await hadReason(client, one))) spinning.push(`${one.workflowId} (${one.count} times)`)
      if (spinning.length > 0)
        throw new Error(`These workflows continued as new and waited for nothing:\n${spinning.join('\n')}`)
    })
  } finally {
    await connection.close()
  }
}
