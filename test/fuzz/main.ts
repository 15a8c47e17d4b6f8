// `npm run fuzz`: requests drawn from the API's own document over all its routes, and every answer checked against that
// document.
//   npm run fuzz -- --requests 10000 --seed 7 --report FILE
//   npm run fuzz -- --seed 7 --from 812 --requests 1 (the same draw, with ids of a fresh stack)
//   npm run fuzz -- --requests 0 --cost 300 (a store at its limits and 300 fields at theirs: none may block the event
//     loop for more than --held-ms 50, or load the database; and what strangers cost in memory and processor time for
//     each byte: on every route from --cost 100 on, on a fifth as many routes otherwise)
//   npm run fuzz -- --requests 0 --seed 7 --cost 300 --only 57 (the same store, and of these fields that one again)
//   npm run fuzz -- --show 'GET /v1/stores/{storeId}/markets' (every request for that route, and its answer)
//   --lanes 8 (at once)
//   --keep (the logs)
//   npm run fuzz -- --routes social- (only routes with this in their path)
import fs from 'node:fs'
import { parseArgs } from 'node:util'
import { alone } from '../../dev/alone.ts'
import { commitOf } from '../kit/commit.ts'
import { database } from '../kit/shop.ts'
import { cost, costReport, isCheap } from './cost/cost.ts'
import { heldMaxMs } from './cost/measure.ts'
import { play } from './play.ts'
import { complaints, held, markdown, neverGood, type Run } from './report.ts'
import { openGround, openWorld } from './world.ts'

const { values: asked } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    cost: { type: 'string', default: '0' },
    only: { type: 'string' },
    'held-ms': { type: 'string', default: String(heldMaxMs) },
    lanes: { type: 'string', default: '8' },
    report: { type: 'string' },
    show: { type: 'string' },
    routes: { type: 'string', default: '' },
    keep: { type: 'boolean' },
  },
})
const [requests, from, seed, lanes, atLimits, held_ms] = [
  asked.requests,
  asked.from,
  asked.seed,
  asked.lanes,
  asked.cost,
  asked['held-ms'],
].map(Number) as [number, number, number, number, number, number]
if (![requests, from, seed, lanes, atLimits, held_ms].every((one) => Number.isInteger(one) && one >= 0)) {
  console.error('fuzz: --requests, --from, --seed, --lanes, --cost and --held-ms take whole numbers')
  process.exit(1)
}
const say = (line: string) => process.stderr.write(`${line}\n`)

async function fuzz(dir: string): Promise<boolean> {
  say(`seed ${seed}`)
  const ground = await openGround(dir, say)
  const costs =
    atLimits > 0
      ? await cost(ground, {
          count: atLimits,
          seed,
          only: asked.only === undefined ? null : Number(asked.only),
          held_ms,
          say,
        })
      : null
  if (costs) console.log(costReport(costs))
  const cheap = costs === null || isCheap(costs)
  if (requests === 0) {
    await database().end()
    await ground.stack.stop()
    return cheap
  }
  const world = await openWorld(ground, say)
  const operations = world.operations.filter(({ path }) => path.includes(asked.routes))
  const played = await play({ ...world, operations }, { requests, seed, from, lanes, show: asked.show ?? '' })
  const run: Run = { seed, commit: commitOf(), played, bugs: [...world.bugs], died: [...world.died] }
  const text = markdown(run)
  for (const line of complaints(run)) console.log(`${line}\n`)
  console.log(asked.report ? (text.split('| Route |')[0] ?? '') : text)
  if (asked.report) fs.writeFileSync(asked.report, text)
  say(
    `${played.sent} requests in ${played.seconds.toFixed(0)} s, ${neverGood(played).length} routes without 2xx: ${held(run) ? 'no violations' : 'BROKEN'}`,
  )
  await database().end()
  await world.stack.stop()
  return held(run) && cheap
}

await alone('fuzz', fuzz, { keep: asked.keep === true })
