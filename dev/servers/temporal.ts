// Starts a Temporal server with measured settings, and returns when it answers.
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '@temporalio/client'
import { type Child, type ChildOptions, start } from '../child.ts'

export type Temporal = { address: string; child: Child }

// One partition and eager activities halve the steps between a task and its worker on a single node.
const dynamic = [
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'system.enableActivityEagerExecution=true',
  'matching.enableFairness=true',
]
const attributes = ['TenantId=Keyword', 'Kind=Keyword', 'EffectStatus=Keyword']

/** A server that has just started does not answer every call. */
const answerMs = 3_000

/** Whether the server answers in time and has its namespace. */
export async function answers(address: string): Promise<boolean> {
  let connection: Connection | undefined
  try {
    connection = await Connection.connect({ address, connectTimeout: 500 })
    const { workflowService } = connection
    await connection.withDeadline(Date.now() + answerMs, async () => {
      await workflowService.describeNamespace({ namespace: 'default' })
      await workflowService.listWorkflowExecutions({ namespace: 'default', pageSize: 1, query: 'Kind = "none"' })
    })
    return true
  } catch {
    return false
  } finally {
    await connection?.close()
  }
}

type ServerOptions = ChildOptions & {
  command: string
  port: number
  uiPort: number | undefined
  db: string
  fast: boolean
}

const argumentsOf = (o: ServerOptions): string[] => [
  ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(o.port)],
  ...['--log-level', 'error', '--db-filename', o.db],
  ...(o.uiPort ? ['--ui-port', String(o.uiPort)] : ['--headless']),
  ...attributes.flatMap((pair) => ['--search-attribute', pair]),
  ...dynamic.flatMap((pair) => ['--dynamic-config-value', pair]),
  ...['journal_mode=wal', `synchronous=${o.fast ? 'off' : 'normal'}`].flatMap((pragma) => ['--sqlite-pragma', pragma]),
]

export async function startTemporal(o: ServerOptions): Promise<Temporal> {
  const address = `127.0.0.1:${o.port}`
  const until = Date.now() + 60_000
  for (;;) {
    let up = false
    const child = start(o.command, argumentsOf(o), {
      ...o,
      onDeath: (dead, how) => up && o.onDeath?.(dead, how),
    })
    while (child.running() && !up && Date.now() < until) {
      up = await answers(address)
      if (!up) await sleep(50)
    }
    if (up && child.running()) return { address, child }
    await child.stop()
    // A killed predecessor holds the port or the file for a moment.
    if (Date.now() > until || !/address already in use|database is locked/.test(child.tail()))
      throw new Error(`Temporal did not start:\n${child.tail()}`)
    await sleep(250)
  }
}

export function forgetTemporal(db: string): void {
  for (const file of [db, `${db}-wal`, `${db}-shm`]) fs.rmSync(file, { force: true })
}
