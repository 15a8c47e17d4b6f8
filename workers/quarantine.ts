// `npm run quarantine -- --since T`: after a restore or a failover, nothing that may have been sent is sent again. Run it before workers start.
import { parseArgs } from 'node:util'
import { closeDatabase, transaction } from '../activities/database.ts'
import { quarantineExecutions } from '../entities/automation/executions.ts'
import { effectTableNames, quarantine } from '../entities/effects.ts'

const { values } = parseArgs({ options: { since: { type: 'string' } } })
const since = Date.parse(values.since ?? '') / 1000
if (!Number.isFinite(since)) {
  console.error('quarantine: --since takes a time such as 2026-11-20T10:00:00Z: the last commit that is surely there')
  process.exit(1)
}
const stopped = await transaction((em) => quarantineExecutions(em, Math.floor(Date.now() / 1000)))
console.log(`executions: ${stopped} stopped`)
for (const table of effectTableNames) {
  const count = await transaction((em) => quarantine(em, table, since))
  console.log(`${table}: ${count} made unknown`)
}
await closeDatabase()
