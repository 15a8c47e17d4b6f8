// `npm run quarantine -- --since T`: after a restore or a failover, makes every effect that may have been sent unknown.
// Run it before workers start.

import { parseArgs } from 'node:util'
import { effectRows } from '../activities/effects.ts'
import { closeDatabase, statement, transaction } from '../activities/kit/database.ts'
import { unixNow } from '../adapters/clock.ts'
import { quarantine, toQuarantine } from '../entities/kit/effects.ts'
import type { QuarantineRun } from '../entities/kit/process.ts'
import { registered } from '../entities/processes.ts'

const { values } = parseArgs({ options: { since: { type: 'string' } } })
const since = Date.parse(values.since ?? '') / 1000
if (!Number.isFinite(since)) {
  console.error(
    'quarantine: --since takes a time such as 2026-11-20T10:00:00Z: that of the last commit that is certainly not lost',
  )
  process.exit(2)
}
if (since > Date.now() / 1000) {
  console.error(
    `quarantine: --since ${values.since} is in the future, and nothing was changed: it takes the time of the last commit that is certainly not lost`,
  )
  process.exit(2)
}

/** Rows that could not be made unknown; the others are. */
const failures: string[] = []
const failed = (what: string) => (error: Error) => void failures.push(`${what}: ${error.message}`)

const run: Omit<QuarantineRun, 'now'> = { since, statement, transaction, failed }
async function quarantineProcesses(when: 'before effects' | 'after effects'): Promise<void> {
  for (const { kind, quarantine: all = [] } of registered)
    for (const one of all)
      if (one.when === when) await one.run({ ...run, now: unixNow() }).then(console.log, failed(kind))
}

await quarantineProcesses('before effects')
let total = 0
for (const row of effectRows) {
  const { table } = row
  const ids = await statement((em) => toQuarantine(em, row, since)).catch(failed(table))
  let count = 0
  // Each in a transaction of its own, so that a failure concerns one row.
  for (const id of ids ?? []) {
    const changed = await transaction((em) => quarantine(em, row, id, since)).catch(failed(`${table} ${id}`))
    if (changed) count++
  }
  console.log(`${table}: ${count} made unknown`)
  total += count
}
await quarantineProcesses('after effects')
await closeDatabase()
if (failures.length > 0) {
  console.error(
    `quarantine: ${failures.length} failed, and may be sent again. Do not start the workers: remove the cause and run this again.`,
  )
  for (const one of failures) console.error(`  ${one}`)
  process.exit(1)
}
console.log(
  `quarantine: ${total} effects that may have been sent since ${new Date(since * 1000).toISOString()} are unknown, and are not sent again. Workers may start.`,
)
