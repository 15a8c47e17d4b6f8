// Every test file uses the same fresh stack: two API processes, one worker, and their addresses in the environment.
// TEST_STACK=none starts nothing, for a quick run of the tests of rules.
import fs from 'node:fs'
import path from 'node:path'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
import { stopAll } from '../../../dev/child.ts'
import { freshFolder } from '../../../dev/folder.ts'
import { everyPart, type Stack, startStack } from '../../../dev/stack.ts'
import { forgetSettings } from '../../../dev/stack-env.ts'

declare global {
  var testStack: Stack | undefined
}

/** Bundled once: a worker with a ready bundle starts in half a second instead of three. */
async function bundle(): Promise<string | null> {
  const workflows = path.resolve(import.meta.dirname, '../../../workflows/index.ts')
  if (!fs.existsSync(workflows)) return null
  return (await bundleWorkflowCode({ workflowsPath: workflows, logger: new DefaultLogger('WARN') })).code
}

/** A database with all migrations, which the stack and all labs (lab.ts) begin as copies of. */
async function migrated(dir: string): Promise<void> {
  const stack = await startStack({
    dir,
    fast: true,
    persist: true,
    progress: console.log,
    parts: ['postgres', 'migrations'],
  })
  await stack.stop()
}

export default async function setup(): Promise<void> {
  forgetSettings()
  if (process.env.TEST_STACK === 'none') return
  const dir = freshFolder('test')
  const since = performance.now()
  console.log()
  try {
    const beginning = path.join(dir, 'migrated')
    const parts = everyPart.filter((part) => part !== 'migrations')
    const [stack, code] = await Promise.all([
      migrated(beginning).then(() => startStack({ dir, fast: true, progress: console.log, copyOf: beginning, parts })),
      bundle(),
    ])
    const file = path.join(dir, 'workflows.js')
    if (code !== null) fs.writeFileSync(file, code)
    const bundled: Record<string, string> = code === null ? {} : { WORKFLOW_BUNDLE: file }
    // A rate window that ends while a test counts in it would make the test flaky: it ends at midnight.
    const limits = { RATE_CODES_WINDOW_S: '86400' }
    const [first, second] = await Promise.all([
      stack.startApi(limits),
      stack.startApi(limits),
      stack.startWorker(bundled),
    ])
    Object.assign(process.env, stack.env, {
      TEST_API: first.url,
      TEST_API_2: second.url,
      TEST_STRIPE: stack.urls.stripe,
      TEST_STRIPE_CONTROL: stack.urls.stripe_control,
      TEST_SOCIAL: stack.urls.social,
      TEST_MAIL: stack.urls.mail,
      TEST_IMAP: String(stack.ports.imap),
      TEST_DATABASE: beginning,
      TEST_LOGS: path.join(dir, 'logs'),
      ...(code === null ? {} : { TEST_BUNDLE: file }),
    })
    globalThis.testStack = stack
    console.log(`The stack is up (${((performance.now() - since) / 1000).toFixed(1)} s)`)
  } catch (error) {
    await stopAll()
    throw error
  }
}
