// Stops the stack and deletes its files (TEST_KEEP=1 keeps the logs). Fails if the stack wrote a secret, sent a
// statement that PostgreSQL cannot read, let a workflow spin, or left a process running.
import fs from 'node:fs'
import path from 'node:path'
import { stopAll } from '../../../dev/child.ts'
import { forget } from '../../../dev/servers/postgres-home.ts'
import { mustBeReadable } from '../database/readable-statements.ts'
import { mustNotSpin } from './spinning.ts'
import { searchStack } from './stack-secrets.ts'

export default async function teardown(): Promise<void> {
  const stack = globalThis.testStack
  if (!stack) return
  if (process.env.TEST_KEEP) {
    const kept = `${stack.dir}-kept`
    fs.cpSync(path.join(stack.dir, 'logs'), kept, { recursive: true })
    console.log(`Logs are kept in ${kept}`)
  }
  try {
    console.log(await searchStack(stack))
    mustBeReadable(path.join(stack.dir, 'logs'))
    await mustNotSpin(stack.env.TEMPORAL_ADDRESS as string)
  } finally {
    await stack.stop()
    forget(path.join(stack.dir, 'migrated/pg'))
    await stopAll()
  }
}
