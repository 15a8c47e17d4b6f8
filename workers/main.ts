// A worker process: its task queues, the relay and the reconciler. `node workers/main.ts --queues money,mail`; all
// queues without the option.
import { flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Client } from '@temporalio/client'
import {
  bundleWorkflowCode,
  DefaultLogger,
  type LogEntry,
  NativeConnection,
  Runtime,
  type WorkflowBundle,
} from '@temporalio/worker'
import * as activities from '../activities/index.ts'
import { closeDatabase, database } from '../activities/kit/database.ts'
import { draining } from '../activities/kit/once.ts'
import { errorFields, log } from '../adapters/log.ts'
import { connectionOptions } from '../adapters/temporal.ts'
import { removeAbandonedFolders } from '../adapters/temporary-folders.ts'
import { config } from '../config.ts'
import { type QueueName, queueNames, slotPoolsOf } from '../rules/queues.ts'
import { failedRuns } from './failed-runs.ts'
import { startHeartbeat } from './heartbeat.ts'
import { QueueWorker } from './queue-worker.ts'
import { quietFailures } from './quiet-failures.ts'
import { reconciler } from './reconciler.ts'
import { relay } from './relay.ts'
import { schedules } from './schedules.ts'
import { registerSearchAttributes } from './search-attributes.ts'
import { slotGranting } from './slot-granting.ts'

const { values } = parseArgs({ options: { queues: { type: 'string' } } })
const queues = (values.queues?.split(',').map((name) => name.trim()) ?? [...queueNames]) as QueueName[]
const unknown = queues.filter((name) => !queueNames.includes(name))
if (unknown.length > 0) {
  console.error(`--queues: unknown queue ${unknown.join(', ')}; the queues are ${queueNames.join(', ')}`)
  process.exit(1)
}

const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const
Runtime.install({
  logger: new DefaultLogger(config.logLevel === 'debug' ? 'DEBUG' : 'WARN', ({ level, message, meta }: LogEntry) =>
    log[levels[level]](
      { temporal: { ...meta, ...(meta?.error instanceof Error ? { error: errorFields(meta.error) } : {}) } },
      message,
    ),
  ),
  shutdownSignals: [],
})

async function connected(): Promise<NativeConnection> {
  for (;;) {
    try {
      const connection = await NativeConnection.connect(connectionOptions())
      try {
        await registerSearchAttributes(connection)
        return connection
      } catch (error) {
        await connection.close()
        throw error
      }
    } catch (error) {
      log.warn({ err: { message: (error as Error).message } }, 'Temporal cannot be reached; trying again')
      await new Promise((done) => setTimeout(done, 1_000))
    }
  }
}

const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url))
const workflowBundle: WorkflowBundle | { codePath: string } = config.workflowBundle
  ? { codePath: config.workflowBundle }
  : await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') })

const orm = await database()
const connection = await connected()
const { namespace, taskSlots } = config.temporal
const pools = slotPoolsOf(queues, taskSlots, config.sandboxThreads)
const workers = await Promise.all(
  queues.map((taskQueue) =>
    QueueWorker.create({
      connection,
      namespace,
      taskQueue,
      workflowBundle,
      activities,
      interceptors: { activity: [quietFailures] },
      maxConcurrentActivityTaskExecutions:
        (pools[taskQueue] ?? 0) + (taskQueue === 'automation' ? (pools.computation ?? 0) : 0),
      // More would queue in this process first come, first served; the server dispatches them in turns by tenant. A
      // store's hundred webhooks that time out together start a hundred drains.
      maxConcurrentWorkflowTaskExecutions: Math.min(
        taskSlots,
        taskQueue === 'deliveries' || taskQueue === 'campaigns' ? 4 : 20,
      ),
      // Less than half of most heartbeat timeouts. Each heartbeat is a write of the server's: a hundred hanging calls
      // at one every two seconds took a third of a core.
      maxHeartbeatThrottleInterval: '4s',
      // How long tasks wait for a dead worker's sticky queue. Deliveries, whose histories are short, have none.
      stickyQueueScheduleToStartTimeout: '2s',
      // Those that wait for hours need no memory meanwhile: their histories are short, and are replayed when they go
      // on.
      maxCachedWorkflows: taskQueue === 'deliveries' ? 0 : 2 * taskSlots,
      shutdownGraceTime:
        (taskQueue === 'campaigns'
          ? config.mailLimitMs
          : taskQueue === 'agents'
            ? config.modelLimitMs
            : config.sendLimitMs) + 10_000,
    }),
  ),
)
const over = new AbortController()
const heartbeat = await startHeartbeat(orm, pools, over.signal)
const running = workers.map((worker) => worker.run())
const client = new Client({ connection, namespace })
const helpers = [
  relay(orm, client, () => registerSearchAttributes(connection), over.signal),
  reconciler(orm, client, over.signal),
  failedRuns(orm, client, over.signal),
  slotGranting(orm, over.signal),
  heartbeat.ended,
]
if (queues.includes('automation')) helpers.push(schedules(orm, client, over.signal))
void removeAbandonedFolders().catch(() => {})
log.info({ queues }, 'ready')
// With NODE_COMPILE_CACHE set, the next start is a quarter shorter, also after this process is killed.
flushCompileCache()

/** Stops polling, finishes what was sent, then exits. */
let stopping = false
function stop(): void {
  if (stopping) return
  stopping = true
  draining.now = true
  over.abort()
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
}
process.on('SIGTERM', stop)
process.on('SIGINT', stop)

try {
  await Promise.all(running)
} catch (error) {
  log.fatal({ err: error }, 'worker ended')
  process.exitCode = 1
  stop()
  await Promise.allSettled(running)
}
await Promise.all(helpers)
await connection.close()
await closeDatabase()
log.info('stopped')
process.exit()
