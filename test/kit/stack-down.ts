// Nothing that the tests started is left running, and nothing that they wrote is left behind (TEST_KEEP=1 keeps the logs).
import fs from 'node:fs'
import path from 'node:path'
import { stopAll } from '../../dev/child.ts'

export default async function teardown(): Promise<void> {
  const stack = globalThis.testStack
  if (!stack) return
  if (process.env.TEST_KEEP) {
    const kept = `${stack.dir}-kept`
    fs.cpSync(path.join(stack.dir, 'logs'), kept, { recursive: true })
    console.log(`Logs are kept in ${kept}`)
  }
  await stack.stop()
  await stopAll()
}
