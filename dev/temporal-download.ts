// temporal-download.ts FOLDER: leaves Temporal's development server in the folder. A process of its own, because the SDK takes over signals.
import { TestWorkflowEnvironment } from '@temporalio/testing'

const downloadDir = process.argv[2]
if (!downloadDir) throw new Error('which folder?')
const environment = await TestWorkflowEnvironment.createLocal({ server: { executable: { type: 'cached-download', downloadDir } } })
await environment.teardown()
