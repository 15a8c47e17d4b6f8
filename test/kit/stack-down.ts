// Stops the stack, checks that it wrote no secret, sent no statement that PostgreSQL cannot read and left no process running, and deletes its files (TEST_KEEP=1 keeps the logs).
import fs from 'node:fs'
import path from 'node:path'
import { stopAll } from '../../dev/child.ts'
import { forget } from '../../dev/postgres-home.ts'
import { searchStack } from './stack-secrets.ts'

/** Refusals of a statement that is wrong whatever its values are, such as a name that stands twice in it: a worker would repeat it for ever. */
const unreadable =
  /ERROR: {2}(.*(?:syntax error at|specified more than once|missing FROM-clause entry|is ambiguous|column .* does not exist).*)/g

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
