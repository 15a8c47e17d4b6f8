// Stops the stack, checks that it wrote no secret and left no process running, and deletes its files (TEST_KEEP=1 keeps the logs).
import fs from 'node:fs'
import path from 'node:path'
import { stopAll } from '../../dev/child.ts'
import { forget } from '../../dev/postgres-home.ts'
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
  } finally {
    await stack.stop()
    forget(path.join(stack.dir, 'migrated/pg'))
    await stopAll()
  }
}
