// The Temporal server of a stack keeps its database when calls are cancelled.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { type Stack, startStack } from '../../dev/stack.ts'

jest.setTimeout(180_000)

const taskQueue = 'temporal-test'
const dir = fs.mkdtempSync(path.join(os.tmpdir(), `tillwright-test-${process.pid}-temporal-`))
let stack: Stack
let connection: Connection
let client: Client

beforeAll(async () => {
  stack = await startStack({ dir, fast: true, parts: ['temporal'] })
  connection = await Connection.connect({ address: String(stack.env.TEMPORAL_ADDRESS) })
  client = new Client({ connection })
})
afterAll(async () => {
  await connection.close()
  await stack.stop()
})

const begin = (workflowId: string, args: string[] = []) => client.workflow.start('any', { taskQueue, workflowId, args })

/** COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION of Temporal's protocol */
const completeWorkflow = 4

/** Does what a worker does: polls the next task and completes its workflow, whose id it returns. */
async function complete(): Promise<string | null | undefined> {
  const { workflowService } = connection
  const namespace = 'default'
  const task = await connection.withDeadline(Date.now() + 60_000, () =>
    workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: taskQueue } }),
  )
  await workflowService.respondWorkflowTaskCompleted({
    namespace,
    taskToken: task.taskToken,
    commands: [{ commandType: completeWorkflow, completeWorkflowExecutionCommandAttributes: {} }],
  })
  return task.workflowExecution?.workflowId
}

/** SQLite reads the row of a large event for some milliseconds, in which it takes no notice of a cancelled call. */
const large = 'x'.repeat(1_500_000)

/** Reads the history once in full, then four times, cancelled at random moments of the time that it took. */
async function readAndCancel(workflowId: string): Promise<void> {
  const request = { namespace: 'default', execution: { workflowId } }
  const read = () => connection.workflowService.getWorkflowExecutionHistory(request).catch(() => {})
  const since = performance.now()
  await read()
  const tookMs = performance.now() - since
  const cancelled = async () => {
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), Math.random() * tookMs)
    await connection.withAbortSignal(abort.signal, read)
    clearTimeout(timer)
  }
  await Promise.all([cancelled(), cancelled(), cancelled(), cancelled()])
}

test('Cancelled calls leave the server its database, and its workflows continue', async () => {
  await begin('before', [large])
  for (let round = 0; round < 50; round++) await readAndCancel('before')
  await begin('after')
  expect([await complete(), await complete()].sort()).toEqual(['after', 'before'])
})
