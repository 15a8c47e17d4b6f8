// `npm run interop`: independent clients, validators and servers against a stack of its own. They are fetched once, at
// pinned versions, into ~/.cache/tillwright.
//   npm run interop -- --required (a skipped case is a failure)
//   --only 'S3,SMTP'
//   --report FILE
//   --keep (the logs)
import fs from 'node:fs'
import { parseArgs } from 'node:util'
import { alone } from '../../dev/alone.ts'
import { commitOf } from '../kit/commit.ts'
import { database } from '../kit/shop.ts'
import { bucket } from './bucket.ts'
import { clients } from './clients.ts'
import { documents } from './document.ts'
import { mail } from './mail.ts'
import type { Case, Outcome } from './outcome.ts'
import { schemathesis } from './schemathesis.ts'
import { stripe } from './stripe.ts'
import { Missing } from './tools.ts'
import { webhooks } from './webhooks.ts'
import { openWorld, type World } from './world.ts'

const { values: asked } = parseArgs({
  options: {
    required: { type: 'boolean' },
    only: { type: 'string' },
    report: { type: 'string' },
    keep: { type: 'boolean' },
  },
})
const say = (line: string) => process.stderr.write(`${line}\n`)

/** schemathesis is last: it changes and deletes everything it reaches. */
const cases: Case[] = [...documents, ...clients, stripe, bucket, mail, webhooks, schemathesis]
const names = asked.only?.split(',').map((name) => name.trim()) ?? cases.map(({ name }) => name)
const strange = names.filter((name) => !cases.some((one) => one.name === name))
if (strange.length > 0) {
  console.error(`interop: --only takes ${cases.map(({ name }) => name).join(', ')}`)
  process.exit(1)
}
const wanted = cases.filter(({ name }) => names.includes(name))

type Result = Outcome & { case: Case; ended: 'passed' | 'FAILED' | 'skipped'; seconds: number }

async function play(one: Case, world: World): Promise<Result> {
  say(`${one.name} ...`)
  const since = performance.now()
  const result = (ended: Result['ended'], { shown, faults }: Outcome): Result => ({
    case: one,
    ended,
    shown,
    faults,
    seconds: (performance.now() - since) / 1000,
  })
  const before = world.bugs.length
  try {
    const { shown, faults } = await one.run(world, say)
    const all = [...faults, ...world.bugs.slice(before)]
    return result(all.length > 0 ? 'FAILED' : 'passed', { shown, faults: all })
  } catch (error) {
    if (error instanceof Missing) return result('skipped', { shown: error.message, faults: [] })
    return result('FAILED', { shown: '', faults: [(error as Error).stack ?? String(error)] })
  }
}

const table = (results: readonly Result[]): string =>
  [
    '| Case | With | Result | Shown | Seconds |',
    '|---|---|---|---|---|',
    ...results.map(
      ({ case: { name, with: tools }, ended, shown, seconds }) =>
        `| ${name} | ${tools} | ${ended} | ${shown} | ${seconds.toFixed(0)} |`,
    ),
  ].join('\n')

async function interop(dir: string): Promise<boolean> {
  const wants = (name: 'stripe' | 'bucket' | 'mail') => wanted.includes({ stripe, bucket, mail }[name])
  const world = await openWorld(dir, wants, say)
  const results: Result[] = []
  for (const one of wanted) {
    const result = await play(one, world)
    results.push(result)
    say(`${one.name}: ${result.ended}${result.shown ? `: ${result.shown}` : ''}`)
    for (const fault of result.faults) console.log(`${one.name}: ${fault}\n`)
  }
  const text = `${table(results)}\n`
  console.log(text)
  if (asked.report)
    fs.writeFileSync(asked.report, `# Independent clients and servers\n\nCommit ${commitOf()}.\n\n${text}`)
  await database().end()
  world.tee.close()
  await world.stack.stop()
  const failed = results.filter(({ ended }) => ended === 'FAILED' || (ended === 'skipped' && asked.required))
  say(failed.length === 0 ? 'no faults' : `BROKEN: ${failed.map(({ case: { name } }) => name).join(', ')}`)
  return failed.length === 0
}

await alone('interop', interop, { keep: asked.keep === true })
