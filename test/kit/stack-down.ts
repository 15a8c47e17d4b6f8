// Stops the stack and deletes its files (TEST_KEEP=1 keeps the logs). Fails if the stack wrote a secret, sent a statement
// that PostgreSQL cannot read, or left a process running.
import fs from 'node:fs'
import path from 'node:path'
import { stopAll } from '../../dev/child.ts'
import { forget } from '../../dev/postgres-home.ts'
import { searchStack } from './stack-secrets.ts'

/** PostgreSQL's refusals of a statement that fails with any values, such as a name that stands twice in it. A worker repeats it without end. */
const refusals = ['syntax error at', 'specified more than once', 'missing FROM-clause entry', 'is ambiguous']
const unreadable = new RegExp(`ERROR: {2}(.*(?:${refusals.join('|')}|column .* does not exist).*)`, 'g')

function mustBeReadable(logs: string): void {
  const log = fs.readFileSync(path.join(logs, 'postgres.log'), 'utf8')
  const found = new Set([...log.matchAll(unreadable)].map(([, message]) => message))
  if (found.size > 0) throw new Error(`PostgreSQL could not read statements:\n${[...found].join('\n')}`)
}

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
  } finally {
    await stack.stop()
    forget(path.join(stack.dir, 'migrated/pg'))
    await stopAll()
  }
}
