// temporal-download.ts FOLDER: downloads Temporal's development server into the folder, in its own process because the
// SDK handles signals.
import { TestWorkflowEnvironment } from '@temporalio/testing'

const downloadDir = process.argv[2]
if (!downloadDir) throw new Error('Expected a folder as argument.')
const environment = await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', downloadDir } },
})
await environment.teardown()
