// The stack restarts a Temporal server that goes on without its database, with its data and on the same port.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { lossIn } from '../../dev/servers/temporal.ts'
import { type Stack, startStack } from '../../dev/stack.ts'
import { until } from '../kit/codes.ts'

jest.setTimeout(180_000)

const taskQueue = 'temporal-test'
const said: string[] = []
const dir = fs.mkdtempSync(path.join(os.tmpdir(), `tillwright-test-${process.pid}-temporal-`))
let stack: Stack
let connection: Connection
let client: Client

beforeAll(async () => {
  stack = await startStack({ dir, fast: true, parts: ['temporal'], progress: (line) => said.push(line) })
  connection = await Connection.connect({ address: String(stack.env.TEMPORAL_ADDRESS) })
  client = new Client({ connection })
})
afterAll(async () => {
  await connection.close()
  await stack.stop()
})

const losses = () => said.filter((line) => line === 'Temporal has lost its database and is restarted; its data is kept')
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

/** The driver of SQLite is mended from this server on: it loses nothing. */
async function isMended(): Promise<boolean> {
  const { serverVersion } = await connection.workflowService.getSystemInfo({})
  const [major, minor] = String(serverVersion).split('.').map(Number)
  return Number(major) > 1 || Number(minor) >= 30
}

test('Cancelled calls do not leave the stack without Temporal, and its workflows continue', async () => {
  const before = await begin('before', [large])
  const mended = await isMended()
  let rounds = 0
  await until(async () => {
    await readAndCancel('before')
    rounds += 1
    return mended ? rounds === 50 : losses().length > 0
  }, 120_000)

  // A caller that did not stop asking.
  const after = await until(() => begin('after').catch(() => undefined), 60_000)
  expect(losses()).toHaveLength(mended ? 0 : 1)
  expect([await complete(), await complete()].sort()).toEqual(['after', 'before'])
  await Promise.all([before.result(), after.result()])
  expect(stack.temporal.running()).toBe(true)
})

test('Only an interrupted refresh that follows another within 5 s is a loss of the database', () => {
  const refused = (error: string) =>
    `time=… level=ERROR msg="Error refreshing namespace cache" service=frontend error="ListNamespaces operation failed. Failed to get namespace rows. Error: ${error}"`
  const reader = () => {
    let at = 0
    const isLoss = lossIn(() => at)
    return (line: string, afterMs: number) => {
      at += afterMs
      return isLoss(line)
    }
  }
  const slow = reader()
  const late = refused('context deadline exceeded')
  expect([slow(late, 0), slow(late, 1_000), slow(late, 1_000)]).toEqual([false, false, false])
  const chance = reader()
  const interrupted = refused('interrupted (9)')
  const other =
    'level=ERROR msg="Operation failed with internal error." error="GetNamespace operation failed. Error interrupted (9)"'
  expect([chance(interrupted, 0), chance(other, 10), chance(interrupted, 5_000)]).toEqual([false, false, false])
  const lost = reader()
  expect([lost(interrupted, 0), lost(late, 500), lost(interrupted, 500)]).toEqual([false, false, true])
})
