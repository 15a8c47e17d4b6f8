// `npm run chaos`: tries to break the promise that no effect happens twice, and prints the violations found.
//   npm run chaos -- --rounds 4 --seed 7 --report FILE
//   npm run chaos -- --rounds 1 --from 12 --seed 7 (that round alone)
//   --keep (the logs)
//   npm run chaos -- --only quarantine (or rounds: without the restore at the end)
//   --only campaigns --recipients 20000 (one long campaign)
//   --recovery-s 120 (the longest allowed recovery; 25)
import fs from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Connection } from '@temporalio/client'
import { alone } from '../../dev/alone.ts'
import { commitOf } from '../kit/commit.ts'
import { database } from '../kit/shop.ts'
import { heal } from './faults.ts'
import type { Violation } from './history.ts'
import { gatherAgain } from './judges/gather.ts'
import { judgeLater } from './judges/judges.ts'
import { longProof } from './long.ts'
import { quarantine } from './quarantine.ts'
import { quantile } from './recovery.ts'
import { type Found, markdown, recoveryLimitMs, recoveryOf } from './report.ts'
import { playRound } from './round.ts'
import { pointKitAt } from './store.ts'
import { type Fault, told } from './timeline.ts'
import { openWorld, type World } from './world.ts'

const { values: asked } = parseArgs({
  options: {
    rounds: { type: 'string', default: '4' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    report: { type: 'string' },
    only: { type: 'string' },
    recipients: { type: 'string', default: '20000' },
    'recovery-s': { type: 'string', default: String(recoveryLimitMs / 1_000) },
    keep: { type: 'boolean' },
  },
})
const [rounds, from, seed] = [Number(asked.rounds), Number(asked.from), Number(asked.seed)]
const slowMs = Number(asked['recovery-s']) * 1_000
const recipients = Number(asked.recipients)
if (
  ![rounds, from, seed, slowMs, recipients].every(Number.isInteger) ||
  (asked.only !== undefined && !['quarantine', 'rounds', 'campaigns'].includes(asked.only))
) {
  console.error(
    'chaos: --rounds, --from, --seed, --recipients and --recovery-s take whole numbers, --only takes rounds, quarantine or campaigns',
  )
  process.exit(1)
}
const say = (line: string) => process.stderr.write(`${line}\n`)
const found: Found[] = []
/** The reconciler's interval and a margin. */
const reconciledMs = 35_000

const empty = (round: string, violations: Violation[]): Found => ({
  ...{ round, violations, diagnosis: [], last: [], orders: 0, pages: 0, store: null, history: null, recovered: [] },
  took: { load: 0, calls: 0, settling: 0 },
  statuses: new Map(),
})
/** A round that could not be completed proves nothing, and is reported. */
const unplayed = (round: string, error: Error) =>
  empty(round, [
    {
      invariant: 'Not settled 120 s after healing and the last call',
      what: `it was not played to its end: ${error.stack}`,
    },
  ])

function tell(one: Found, zero: number, faults: readonly Fault[]): void {
  const { round, violations, orders, took, history } = one
  const unknown = history?.effects.filter(({ status }) => status === 'unknown').length ?? 0
  const counts = `${orders} orders, ${history?.effects.length ?? 0} effects, ${unknown} unknown, ${faults.length} faults`
  const calls = `the last call was answered after ${took.calls.toFixed(0)} s`
  const last =
    one.last.length > 0
      ? `, the last was ${one.last[0]}${one.last.length > 1 ? ` and ${one.last.length - 1} more` : ''}`
      : ''
  say(
    `round ${round}: ${counts}, ${took.load.toFixed(0)} s and ${took.settling.toFixed(0)} s to settle (${calls}${last}): ${violations.length === 0 ? 'no violations' : 'BROKEN'}`,
  )
  const slow = one.recovered.filter(({ ms }) => ms >= slowMs)
  if (violations.length + slow.length === 0) return
  const again =
    {
      quarantine: '--only quarantine',
      campaigns: `--only campaigns --recipients ${recipients}`,
      end: `--from ${from} --rounds ${rounds}`,
    }[round] ?? `--from ${round} --rounds 1`
  console.log(
    `\n${violations.length > 0 ? 'BROKEN' : 'SLOW'} in round ${round} of seed ${seed} (npm run chaos -- --seed ${seed} ${again}):`,
  )
  for (const { invariant, what } of violations) console.log(`  ${invariant}: ${what}`)
  for (const { what, ms, alone } of slow)
    console.log(`  ${what} took ${(ms / 1000).toFixed(1)} s${alone ? '' : ', with other faults meanwhile'}`)
  console.log(`timeline, from ${new Date(zero).toISOString()} on:`)
  for (const line of told(faults, zero)) console.log(`  ${line}`)
  if (one.diagnosis.length > 0) console.log('not settled:')
  for (const line of one.diagnosis) console.log(`  ${line}`)
}

/**
 * The reconciler runs every half a minute: effects sent after a round was judged are found here, with the faults of
 * those rounds.
 */
async function lastLook(world: World): Promise<{ violations: Violation[]; faults: Fault[] }> {
  const played = found.flatMap(({ round, store, history }) => (store && history ? [{ round, store, history }] : []))
  const [violations, faults]: [Violation[], Fault[]] = [[], []]
  if (played.length === 0) return { violations, faults }
  await pause(reconciledMs)
  for (const { round, store, history } of played) {
    const late = judgeLater(history, await gatherAgain(world, store, history))
    violations.push(...late.map(({ invariant, what }) => ({ invariant, what: `round ${round}: ${what}` })))
    if (late.length > 0) faults.push(...history.faults)
  }
  for (const death of world.deaths.splice(0))
    violations.push({ invariant: 'Processes that ended by themselves', what: death })
  const tables = new Set(played.flatMap(({ history }) => history.effects.map(({ table }) => table)))
  const tried = (what: string) => violations.push({ invariant: 'Rounds without activity', what })
  if (played.length >= 4)
    for (const table of ['payment_sessions', 'refunds', 'node_runs', 'model_calls', 'channel_messages'])
      if (!tables.has(table)) tried(`there are no ${table}`)
  if (played.length >= 20 && !played.some(({ history }) => history.arrivals.some(({ fault }) => fault === 'silent')))
    tried("no request met a silent connection at the provider's front")
  if (played.length >= 20 && recoveryOf(found).alone.length === 0)
    tried('no process was killed while nothing else was out of order')
  return { violations, faults }
}

async function chaos(dir: string): Promise<boolean> {
  const since = Date.now()
  say(`seed ${seed}`)
  const world = await openWorld(dir, say)
  pointKitAt(world)
  const engine = Connection.lazy({ address: String(world.stack.env.TEMPORAL_ADDRESS), connectTimeout: 1_000 })
  const played = asked.only === 'quarantine' || asked.only === 'campaigns' ? 0 : rounds
  if (asked.only === 'campaigns') {
    const zero = Date.now()
    const one = await longProof(world, engine, seed, recipients, say).catch(async (error: Error) => {
      await heal(world)
      return unplayed('campaigns', error)
    })
    found.push(one)
    tell(one, zero, one.history?.faults ?? world.timeline.all())
  }
  for (let n = from; n < from + played; n++) {
    const zero = Date.now()
    const one = await playRound(world, engine, seed, n).catch(async (error: Error) => {
      await heal(world)
      return unplayed(String(n), error)
    })
    found.push(one)
    tell(one, zero, one.history?.faults ?? world.timeline.all())
  }
  const late = await lastLook(world)
  if (late.violations.length > 0) {
    const one = empty('end', late.violations)
    found.push(one)
    tell(one, since, late.faults)
  }
  if (asked.only !== 'rounds' && asked.only !== 'campaigns') {
    const one = await quarantine(world, say).then(
      (violations) => empty('quarantine', violations),
      (error: Error) => unplayed('quarantine', error),
    )
    found.push(one)
    tell(one, since, [])
  }
  await engine.close()
  await database().end()
  await world.stop()

  const text = markdown({ seed, commit: commitOf(), rounds: played, minutes: (Date.now() - since) / 60_000, found })
  console.log(`\n${text}`)
  if (asked.report) fs.writeFileSync(asked.report, text)
  const p99 = quantile(recoveryOf(found).alone, 0.99) ?? 0
  if (p99 >= slowMs) console.log(`BROKEN: recovery took ${p99} ms`)
  const held = p99 < slowMs && found.every(({ violations }) => violations.length === 0)
  if (!held) console.log(`seed ${seed}: the promise was broken`)
  return held
}

await alone('chaos', chaos, { keep: asked.keep === true })
