// A worker with the settings of workers/main.ts, for the empty workflow.
import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'

const [address = '', taskQueue = ''] = process.argv.slice(2)
const logger = new DefaultLogger('ERROR')
Runtime.install({ logger, shutdownSignals: [] })
const workflowsPath = fileURLToPath(new URL('./floor-workflow.ts', import.meta.url))
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowBundle: await bundleWorkflowCode({ workflowsPath, logger }),
  activities: { nothing: async () => {} },
  maxConcurrentActivityTaskExecutions: 100,
  maxConcurrentWorkflowTaskExecutions: 100,
  maxHeartbeatThrottleInterval: '2s',
  stickyQueueScheduleToStartTimeout: '2s',
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
await worker.run()
