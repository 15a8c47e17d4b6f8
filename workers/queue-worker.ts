// The worker of one task queue. All queues of a process share one workflow thread: by itself, the SDK starts a thread
// with a heap of its own for each of them.
import { type CompiledWorkerOptions, type Logger, Worker } from '@temporalio/worker'
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js'
import type { WorkflowBundleWithSourceMapAndFilename } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js'

let thread: Promise<WorkflowCreator> | undefined
let users = 0

/**
 * A worker of one bundle, with the same activities and limits for every queue: the first one's are those of the thread.
 */
export class QueueWorker extends Worker {
  protected static override async createWorkflowCreator(
    bundle: WorkflowBundleWithSourceMapAndFilename,
    options: CompiledWorkerOptions,
    logger: Logger,
  ): Promise<WorkflowCreator> {
    users++
    thread ??= Worker.createWorkflowCreator(bundle, options, logger)
    const shared = await thread
    return {
      createWorkflow: (workflow) => shared.createWorkflow(workflow),
      // The worker that ends last ends the thread.
      async destroy() {
        if (--users === 0) await shared.destroy()
      },
    }
  }
}
