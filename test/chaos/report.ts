// The findings of a run as a table of exact counts, readable by people and machines.
import type { History, Violation } from './history.ts'
import { invariants, restoreInvariants } from './judges/judges.ts'
import type { Store } from './people/acts.ts'
import { quantile, type Recovered } from './recovery.ts'

export type Found = {
  round: string
  violations: Violation[]
  /** Lines about what was not settled (diagnosis.ts). */
  diagnosis: string[]
  /** What was settled last. */
  last: string[]
  orders: number
  store: Store | null
  /**
   * Payment pages whose closing stayed `unknown`, and that the provider expired at their own time, which was brought
   * forward.
   */
  pages: number
  history: History | null
  recovered: Recovered[]
  /**
   * Seconds: from the beginning to the end of the load, and from healing until the last call was answered, and until
   * all was settled.
   */
  took: { load: number; calls: number; settling: number }
  statuses: Map<number, number>
}

export type Run = { seed: number; commit: string; rounds: number; minutes: number; found: Found[] }

const row = (...cells: (string | number)[]) => `| ${cells.join(' | ')} |`
const table = (head: string[], rows: (string | number)[][]): string[] => [
  row(...head),
  row(...head.map(() => '---')),
  ...rows.map((one) => row(...one)),
]

const counts = (names: readonly string[]): [string, number][] =>
  [...Map.groupBy(names, (name) => name)]
    .map(([name, all]): [string, number] => [name, all.length])
    .sort((a, b) => (a[0] < b[0] ? -1 : 1))

const seconds = (ms: number | null) => (ms === null ? '–' : `${(ms / 1000).toFixed(1)} s`)

/** A recovery that another fault lengthened says nothing about the kill. */
export function recoveryOf(found: readonly Found[]): { alone: number[]; all: number[] } {
  const all = found.flatMap(({ recovered }) => recovered)
  return { alone: all.filter(({ alone }) => alone).map(({ ms }) => ms), all: all.map(({ ms }) => ms) }
}

export const recoveryLimitMs = 25_000

export function markdown({ seed, commit, rounds, minutes, found }: Run): string {
  const violations = found.flatMap((one) => one.violations)
  const histories = found.flatMap(({ history }) => history ?? [])
  const effects = histories.flatMap((one) => one.effects)
  const faults = histories.flatMap((one) => one.faults)
  const { alone, all } = recoveryOf(found)
  const pages = found.reduce((sum, one) => sum + one.pages, 0)
  const statuses = [
    ...Map.groupBy(
      found.flatMap((one) => [...one.statuses]),
      ([status]) => status,
    ),
  ]
    .map(([status, of]): [number, number] => [status, of.reduce((sum, [, count]) => sum + count, 0)])
    .sort((a, b) => a[0] - b[0])
  const recovery = (name: string, values: number[]) => [
    name,
    values.length,
    seconds(quantile(values, 0.5)),
    seconds(quantile(values, 0.99)),
    seconds(quantile(values, 1)),
  ]
  return [
    '# Chaos',
    '',
    `Seed ${seed}, commit ${commit}, ${rounds} rounds in ${minutes.toFixed(1)} minutes: ${found.reduce((sum, one) => sum + one.orders, 0)} orders acknowledged, ${effects.length} effects, ` +
      `${histories.reduce((sum, one) => sum + one.arrivals.length, 0)} requests seen by the oracles, ${histories.reduce((sum, one) => sum + one.events.length, 0)} events, ${faults.length} faults.`,
    '',
    ...(pages === 0
      ? []
      : [
          `The closing of ${pages} payment pages stayed \`unknown\`. Such a page is not closed again: it expires at the provider, earlier than in production here.`,
          '',
        ]),
    ...table(
      ['Violation', 'Count'],
      [...invariants, ...restoreInvariants].map(([name]) => [
        name,
        violations.filter(({ invariant }) => invariant === name).length,
      ]),
    ),
    '',
    ...table(
      ['Recovery after a SIGKILL', 'Effects held', 'p50', 'p99', 'longest'],
      [recovery('without other faults', alone), recovery('all', all)],
    ),
    '',
    ...table(
      ['Final effects', 'Count'],
      counts(effects.map(({ table: of, status, error }) => `${of} ${status}${error === null ? '' : ` (${error})`}`)),
    ),
    '',
    ...table(['Faults', 'Count'], counts(faults.map(({ kind, victim }) => `${kind} ${victim}`))),
    '',
    ...table(
      ['Answers to callers', 'Count'],
      statuses.map(([status, count]) => [status === 0 ? 'none' : status, count]),
    ),
    '',
  ].join('\n')
}
