// `npm run chaos`: tries to break the promise that every effect happens once, and prints what it found.
//   npm run chaos -- --rounds 4 --seed 7 --report FILE    npm run chaos -- --only quarantine    npm run chaos -- --rounds 1 --from 12 --seed 7 (that round alone)
//   npm run chaos -- --rounds 100 --worlds 2 (in two worlds side by side, each of processes of its own)
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import v8 from 'node:v8'
import { Connection } from '@temporalio/client'
import { stopAll } from '../../dev/child.ts'
import { forget } from '../../dev/postgres-home.ts'
import { database } from '../kit/shop.ts'
import { heal } from './faults.ts'
import type { Violation } from './history.ts'
import { quarantine } from './quarantine.ts'
import { quantile } from './recovery.ts'
import { type Found, markdown, recoveryLimitMs, recoveryOf } from './report.ts'
import { playRound } from './round.ts'
import { pointKitAt } from './store.ts'
import { told } from './timeline.ts'
import { openWorld } from './world.ts'

const { values: asked } = parseArgs({
  options: {
    rounds: { type: 'string', default: '4' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    report: { type: 'string' },
    only: { type: 'string' },
    'recovery-s': { type: 'string', default: String(recoveryLimitMs / 1_000) },
    worlds: { type: 'string', default: '1' },
    /** Where a world of several leaves what it found. */
    found: { type: 'string' },
    keep: { type: 'boolean' },
  },
})
const [rounds, from, seed] = [Number(asked.rounds), Number(asked.from), Number(asked.seed)]
const [slowMs, worlds] = [Number(asked['recovery-s']) * 1_000, Math.min(rounds, Number(asked.worlds))]
if (![rounds, from, seed, slowMs, worlds].every(Number.isInteger) || (asked.only !== undefined && !['quarantine', 'rounds'].includes(asked.only))) {
  console.error('chaos: --rounds, --from, --seed, --worlds and --recovery-s take whole numbers, --only takes rounds or quarantine')
  process.exit(1)
}
const say = (line: string) => process.stderr.write(`${line}\n`)
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-chaos-'))
const found: Found[] = []

function commitOf(): string {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with changes'}`
  } catch {
    return 'unknown'
  }
}

const empty = (round: string, violations: Violation[]): Found => ({
  ...{ round, violations, orders: 0, history: null, recovered: [] },
  took: { load: 0, settling: 0 },
  statuses: new Map(),
})
/** What could not be played to its end proves nothing, and is not passed over. */
const unplayed = (round: string, error: Error) =>
  empty(round, [{ invariant: 'Not settled 120 s after healing', what: `it was not played to its end: ${error.stack}` }])

function tell(one: Found, zero: number): void {
  const { round, violations, orders, took, history } = one
  const unknown = history?.effects.filter(({ status }) => status === 'unknown').length ?? 0
  const counts = `${orders} orders, ${history?.effects.length ?? 0} effects, ${unknown} unknown, ${history?.faults.length ?? 0} faults`
  say(`round ${round}: ${counts}, ${took.load.toFixed(0)} s and ${took.settling.toFixed(0)} s to settle: ${violations.length === 0 ? 'all holds' : 'BROKEN'}`)
  const slow = one.recovered.filter(({ ms }) => ms >= slowMs)
  if (violations.length + slow.length === 0) return
  const again = round === 'quarantine' ? '--only quarantine' : `--from ${round} --rounds 1`
  console.log(`\n${violations.length > 0 ? 'BROKEN' : 'SLOW'} in round ${round} of seed ${seed} (npm run chaos -- --seed ${seed} ${again}):`)
  for (const { invariant, what } of violations) console.log(`  ${invariant}: ${what}`)
  for (const { what, ms, alone } of slow) console.log(`  ${what} took ${(ms / 1000).toFixed(1)} s${alone ? '' : ', with other faults meanwhile'}`)
  if (history)
    console.log(
      `timeline, from ${new Date(zero).toISOString()} on:\n${told(history.faults, zero)
        .map((line) => `  ${line}`)
        .join('\n')}`,
    )
}

/** All rounds in a world of this process. */
async function play(): Promise<void> {
  for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'STRIPE_SECRET_KEY', 'STRIPE_API_BASE', 'SMTP_URL', 'LOG_LEVEL']) delete process.env[name]
  const since = Date.now()
  say(`seed ${seed}`)
  const world = await openWorld(dir, say)
  pointKitAt(world)
  const engine = Connection.lazy({ address: String(world.stack.env.TEMPORAL_ADDRESS), connectTimeout: 1_000 })
  for (let n = from; asked.only !== 'quarantine' && n < from + rounds; n++) {
    const zero = Date.now()
    const one = await playRound(world, engine, seed, n).catch(async (error: Error) => {
      await heal(world)
      return unplayed(String(n), error)
    })
    found.push(one)
    tell(one, zero)
  }
  if (asked.only !== 'rounds') {
    const one = await quarantine(world, say).then(
      (violations) => empty('quarantine', violations),
      (error: Error) => unplayed('quarantine', error),
    )
    found.push(one)
    tell(one, since)
  }
  await engine.close()
  await database().end()
  await world.stop()
}

const children: ChildProcess[] = []
/** Each world plays its part of the rounds, and the last one the restore as well; what one could not tell is not passed over. */
async function playSideBySide(): Promise<void> {
  const share = Math.ceil(rounds / worlds)
  await Promise.all(
    Array.from({ length: worlds }, async (_, n) => {
      const [first, file] = [from + n * share, path.join(dir, `found-${n}`)]
      const own = { from: first, rounds: Math.min(share, from + rounds - first), seed, found: file, 'recovery-s': asked['recovery-s'] }
      const last = n === worlds - 1
      const only = asked.only ?? (last ? [] : 'rounds')
      const args = [...Object.entries(own), ...(typeof only === 'string' ? [['only', only]] : [])].map(([name, value]) => `--${name}=${value}`)
      const child = spawn(process.execPath, [import.meta.filename, ...args, ...(asked.keep ? ['--keep'] : [])], { stdio: ['ignore', 'inherit', 'inherit'] })
      children.push(child)
      await once(child, 'exit')
      const told = fs.existsSync(file) ? (v8.deserialize(fs.readFileSync(file)) as Found[]) : [unplayed(`${first} and on`, new Error('its world ended before'))]
      found.push(...told)
    }),
  )
  const place = ({ round }: Found) => (round === 'quarantine' ? Number.POSITIVE_INFINITY : Number.parseInt(round, 10))
  found.sort((a, b) => place(a) - place(b))
}

async function chaos(): Promise<boolean> {
  const since = Date.now()
  await (worlds > 1 ? playSideBySide() : play())
  if (asked.found) {
    fs.writeFileSync(asked.found, v8.serialize(found))
    return true
  }
  const text = markdown({ seed, commit: commitOf(), rounds: asked.only === 'quarantine' ? 0 : rounds, minutes: (Date.now() - since) / 60_000, found })
  console.log(`\n${text}`)
  if (asked.report) fs.writeFileSync(asked.report, text)
  const p99 = quantile(recoveryOf(found).alone, 0.99) ?? 0
  if (p99 >= slowMs) console.log(`BROKEN: recovery took ${p99} ms`)
  return p99 < slowMs && found.every(({ violations }) => violations.length === 0)
}

let stopping = false
async function stop(code: number): Promise<void> {
  if (stopping) return
  stopping = true
  process.exitCode = code
  for (const child of children) child.kill('SIGTERM')
  await stopAll()
  if (asked.keep) fs.cpSync(path.join(dir, 'logs'), `${dir}-logs`, { recursive: true })
  forget(path.join(dir, 'pg'))
  fs.rmSync(dir, { recursive: true, force: true })
  process.exit(code)
}
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) process.on(signal, () => void stop(code))

try {
  const held = await chaos()
  if (!held) console.log(`seed ${seed}: the promise was broken`)
  await stop(held ? 0 : 1)
} catch (error) {
  console.error(error instanceof Error ? error.stack : error)
  await stop(1)
}
