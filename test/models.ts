// Plays the random models with many times the sequences of `npm test`, each with a new seed: by hand, after a change of
// what they are about and before a release. Names of models as arguments choose some.
//   npm run models
//   npm run models -- money refunds
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
/** `prefix`: of the variables with its seed and its number of runs. */
const models: Readonly<Record<string, { file: string; prefix: string; runs: number }>> = {
  money: { file: 'test/payments/payments.model.test.ts', prefix: 'MONEY', runs: 5_000 },
  commerce: { file: 'test/orders/orders.model.test.ts', prefix: 'MODEL', runs: 5_000 },
  refunds: { file: 'test/refunds/refunds.model.test.ts', prefix: 'REFUND', runs: 200 },
  merges: { file: 'test/crm/merge.model.test.ts', prefix: 'MERGE', runs: 500 },
  reactions: { file: 'test/community/reactions.model.test.ts', prefix: 'REACTION', runs: 50_000 },
  contents: { file: 'test/publications/validation.test.ts', prefix: 'CONTENT', runs: 1_000 },
  graphs: { file: 'test/automation/graphs.model.test.ts', prefix: 'GRAPH', runs: 2_000 },
}

/** The properties of the rules, which print their seeds themselves, with many times the draws of `npm test`. */
const [rules, times] = ['rules', 20] as const

const wanted = process.argv.slice(2)
const names = [...Object.keys(models), rules]
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  console.error(`There is no model ${unknown.join(', ')}: choose of ${names.join(', ')}.`)
  process.exit(1)
}
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name)

function play(file: string, env: Record<string, string>): void {
  const { status } = spawnSync('npm', ['run', '--silent', 'test:one', '--', file], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  })
  if (status !== 0) process.exitCode = 1
}
for (const [name, { file, prefix, runs }] of Object.entries(models)) {
  if (!isWanted(name)) continue
  const seed = randomInt(2 ** 31)
  console.log(`${name}: ${runs} runs, ${prefix}_SEED=${seed}`)
  play(file, { [`${prefix}_SEED`]: String(seed), [`${prefix}_RUNS`]: String(runs) })
}
if (isWanted(rules)) {
  console.log(`${rules}: each property with ${times} times its draws`)
  play('test/rules', { DRAWS: String(times), TEST_STACK: 'none' })
}
