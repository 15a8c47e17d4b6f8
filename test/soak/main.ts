// `npm run soak -- --minutes 20 [--report FILE]`: half of the load that this machine can serve, and at the end a list
// of what grew and should not have.
import fs from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client, Connection } from '@temporalio/client'
import pg from 'pg'
import { alone } from '../../dev/alone.ts'
import { everyPart, startStack } from '../../dev/stack.ts'
import { database } from '../kit/shop.ts'
import { load, openMix, type Served } from './load.ts'
import { type Judged, judge, judgedMinutes, leakMbPerHour, type Sample, sample, type Watched } from './samples.ts'

const { values: asked } = parseArgs({
  options: { minutes: { type: 'string', default: '20' }, report: { type: 'string' } },
})
const minutes = Number(asked.minutes)
if (!(minutes >= 1)) {
  console.error('soak: --minutes takes a number of minutes, at least 1')
  process.exit(1)
}
const say = (line: string) => process.stderr.write(`${line}\n`)
// First this long at the maximum rate: afterwards each process has its working size, and growth at half the rate is a
// leak.
const topMs = 120_000
const [everyMs, atOnce] = [10_000, 8]

function markdown(
  { memory, open, grown, faults }: Judged,
  samples: readonly Sample[],
  served: Served,
  perS: number,
): string {
  const [first, last] = [samples[0] as Sample, samples.at(-1) as Sample]
  const signed = (value: number) => `${value > 0 ? '+' : ''}${value.toFixed(0)}`
  const rows = Object.entries(memory).map(
    ([name, { slope, low, high }]) =>
      `| ${name} | ${first.memory[name]?.toFixed(0)} | ${last.memory[name]?.toFixed(0)} | ${signed(slope)} (${signed(low)} to ${signed(high)}) |`,
  )
  const job = (setting: string, kind: string) =>
    kind === 'swept' ? `deleted by a job${setting ? ` (${setting})` : ''}` : kind
  const wrong = [...served.errors].map(([said, times]) => `- ${times} × ${said}`)
  return [
    `# Soak: ${minutes} minutes at half of the maximum rate (${perS.toFixed(1)} customers per second; ${served.customers} served with ${served.requests} requests)`,
    '',
    `| process | MB at the beginning | at the end | MB per hour over the second half (95 %) |`,
    '|---|---|---|---|',
    ...rows,
    '',
    minutes < judgedMinutes
      ? `Memory is not judged in less than ${judgedMinutes} minutes.`
      : `A process fails if the lower bound of its slope is above ${leakMbPerHour} MB an hour.`,
    `Open workflows: ${first.open} at the beginning, ${last.open} at the end (${signed(open.slope)} an hour). Outbox: ${last.rows.outbox} at the end.`,
    '',
    '| table that grew in the second half | rows | to | lifetime of rows |',
    '|---|---|---|---|',
    ...grown.map(
      ({ table, before, after, kind, setting }) => `| ${table} | ${before} | ${after} | ${job(setting, kind)} |`,
    ),
    '',
    ...(wrong.length > 0 ? ['Refused or failed:', ...wrong, ''] : []),
    faults.length > 0 ? `**Failed:** ${faults.join('; ')}.` : 'No unexpected growth.',
    '',
  ].join('\n')
}

async function soak(dir: string): Promise<boolean> {
  const stack = await startStack({ dir, progress: say, fast: true, parts: [...everyPart, 'receiver'] })
  const [api, worker] = await Promise.all([stack.startApi(), stack.startWorker()])
  Object.assign(process.env, stack.env, { TEST_API: api.url, TEST_API_2: api.url })
  Object.assign(process.env, {
    TEST_STRIPE: stack.urls.stripe,
    TEST_STRIPE_CONTROL: stack.urls.stripe_control,
    TEST_MAIL: stack.urls.mail,
  })
  const connection = await Connection.connect({ address: String(stack.env.TEMPORAL_ADDRESS) })
  const temporal = new Client({ connection })
  const db = new pg.Pool({ connectionString: stack.env.DATABASE_URL, max: 2 })
  const mix = await openMix(String(stack.urls.receiver))
  const watched: Watched[] = [
    { name: 'API', pid: api.pid, metrics: api.url },
    { name: 'worker', pid: worker.pid },
  ]
  const emptied = async (limitMs: number) => {
    const end = performance.now() + limitMs
    while (performance.now() < end && (await db.query('select 1 from outbox limit 1')).rowCount) await pause(250)
    return !(await db.query('select 1 from outbox limit 1')).rowCount
  }

  const top = await load(mix, { per_s: null, atOnce, endMs: performance.now() + topMs, from: 0, stopped: () => false })
  if (top.customers === 0) throw new Error(`no customer could be served: ${[...top.errors.keys()].join('; ')}`)
  const perS = top.customers / (topMs / 1000) / 2
  say(`The maximum rate is ${(perS * 2).toFixed(1)} customers per second; half of it for ${minutes} minutes`)
  await emptied(60_000)

  const begun = performance.now()
  const samples = [await sample(begun, watched, db, temporal)]
  let over = false
  // Twice the concurrency of the maximum rate: a pause of the machine is made up for, and a slow answer delays no other
  // customer.
  const serving = load(mix, {
    per_s: perS,
    atOnce: 2 * atOnce,
    endMs: begun + minutes * 60_000,
    from: 1_000_000,
    stopped: () => over,
  }).finally(() => {
    over = true
  })
  while (!over) {
    const wait = begun + samples.length * everyMs - performance.now()
    await Promise.race([pause(Math.max(0, wait)), serving])
    if (!over) samples.push(await sample(begun, watched, db, temporal))
  }
  const served = await serving
  const judged = judge(samples, minutes)
  if (!(await emptied(60_000))) judged.faults.push('the outbox is not empty a minute after the end')
  // One customer of a hundred may meet a pause of the machine; more indicate a fault.
  const failed = [...served.errors.values()].reduce((sum, times) => sum + times, 0)
  if (failed > served.customers / 100) judged.faults.push(`${failed} customers were not served`)
  const report = markdown(judged, samples, served, perS)
  console.log(`\n${report}`)
  if (asked.report) fs.writeFileSync(asked.report, report)
  await Promise.all([db.end(), database().end(), connection.close()])
  await stack.stop()
  return judged.faults.length === 0
}

await alone('soak', soak)
