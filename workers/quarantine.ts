// `npm run quarantine -- --since T`: after a restore or a failover, makes every effect that may have been sent unknown. Run it before workers start.

import { parseArgs } from 'node:util'
import { effectRows } from '../activities/effects.ts'
import { closeDatabase, statement, transaction } from '../activities/kit/database.ts'
import { unixNow } from '../adapters/clock.ts'
import { config } from '../config.ts'
import { quarantineTurns, reconnectChannels } from '../entities/agents/quarantining.ts'
import { quarantineExecutions } from '../entities/automation/executions.ts'
import { quarantineCampaign, toQuarantineCampaigns } from '../entities/campaigns/quarantining.ts'
import { quarantine, toQuarantine } from '../entities/kit/effects.ts'
import { quarantinePublication, toQuarantinePublications } from '../entities/social/quarantining.ts'
import { readAllRunning } from '../entities/subscriptions/membership-steps.ts'

const { values } = parseArgs({ options: { since: { type: 'string' } } })
const since = Date.parse(values.since ?? '') / 1000
if (!Number.isFinite(since)) {
  console.error('quarantine: --since takes a time such as 2026-11-20T10:00:00Z: that of the last commit that is certainly not lost')
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

await transaction((em) => quarantineExecutions(em, unixNow())).then((stopped) => console.log(`executions: ${stopped} stopped`), failed('executions'))
await transaction((em) => quarantineTurns(em, unixNow())).then((ended) => console.log(`model_turns: ${ended} made unknown`), failed('model_turns'))
await transaction((em) => reconnectChannels(em, unixNow())).then((touched) => console.log(`channels: ${touched} are connected again`), failed('channels'))
await transaction((em) => readAllRunning(em, unixNow())).then(
  (wanted) => console.log(`subscriptions: ${wanted} are read at the provider`),
  failed('subscriptions'),
)
let [paused, ended] = [0, 0]
for (const id of (await statement((em) => toQuarantineCampaigns(em)).catch(failed('campaigns'))) ?? []) {
  const enrollments = await transaction((em) => quarantineCampaign(em, id, unixNow())).catch(failed(`campaigns ${id}`))
  if (enrollments === undefined) continue
  paused++
  ended += enrollments
}
console.log(`campaigns: ${paused} paused, ${ended} enrollments made unknown`)
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
// After the calls: of those publications whose call is not even a row.
const lost = { since, late_max_s: config.social.lateMaxS, version: config.social.graphVersion }
let publications = 0
for (const id of (await statement((em) => toQuarantinePublications(em, lost)).catch(failed('publications'))) ?? []) {
  const changed = await transaction((em) => quarantinePublication(em, id, lost, unixNow())).catch(failed(`publications ${id}`))
  if (changed) publications++
}
console.log(`publications: ${publications} that were due are looked for at their networks`)
await closeDatabase()
if (failures.length > 0) {
  console.error(`quarantine: ${failures.length} failed, and may be sent again. Do not start the workers: remove the cause and run this again.`)
  for (const one of failures) console.error(`  ${one}`)
  process.exit(1)
}
console.log(
  `quarantine: ${total} effects that may have been sent since ${new Date(since * 1000).toISOString()} are unknown, and are not sent again. Workers may start.`,
)
