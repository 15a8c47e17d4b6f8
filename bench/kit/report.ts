// The results as a table with targets and floors, or as JSON.
import { besides, peerNotes } from '../peers.ts'
import type { Times } from './load.ts'
import type { Result, Target } from './path.ts'

const round = (value: number, digits = 1) => Math.round(value * 10 ** digits) / 10 ** digits
const quantile = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
const rate = ({ ms, each }: Times) => (each.length / ms) * 1000

/** Of requests that were made one after the other; milliseconds. */
export const timesOf = (each: number[]): Times => ({ ms: each.reduce((sum, ms) => sum + ms), each })

export function resultOf(name: string, clients: number, sql: number, path: Times, floor: Times | null): Result {
  const sorted = path.each.toSorted((a, b) => a - b)
  return {
    name,
    clients,
    per_s: round(rate(path)),
    p50_ms: round(quantile(sorted, 0.5)),
    p95_ms: round(quantile(sorted, 0.95)),
    sql: round(sql),
    floor_per_s: floor && round(rate(floor)),
  }
}

/** The rate as a share of the floor of the same run; empty if the path has no floor. */
export const ofFloor = ({ per_s, floor_per_s }: Result): string =>
  floor_per_s ? `${Math.round((100 * per_s) / floor_per_s)} %` : ''

/** Two paths cost the same if their rates differ by at most this factor. */
const likeness = 0.8
export const memoryMax = 250
const judged = 8
/** The number of clients that a path's targets and published figures are for. */
export const judgedAt = (target?: Target): number => target?.clients ?? judged

function missed(result: Result, target: Target, all: readonly Result[]): string[] {
  const other = all.find(({ name, clients }) => name === target.like && clients === result.clients)
  return [
    ...(target.per_s && result.per_s < target.per_s ? [`${target.per_s}/s`] : []),
    ...(target.p50_ms && result.p50_ms >= target.p50_ms ? [`p50 < ${target.p50_ms} ms`] : []),
    ...(target.p95_ms && result.p95_ms >= target.p95_ms ? [`p95 < ${target.p95_ms} ms`] : []),
    ...(target.sql && result.sql > target.sql ? [`${target.sql} statements`] : []),
    ...(target.of_floor && result.per_s < target.of_floor * (result.floor_per_s ?? Number.POSITIVE_INFINITY)
      ? [`${Math.round(100 * target.of_floor)} % of its floor`]
      : []),
    ...(target.of_alone && result.p95_ms > target.of_alone * (result.alone_p95_ms ?? 0)
      ? [`p95 of ${target.of_alone} times alone`]
      : []),
    ...(other && result.per_s < (target.alike ?? likeness) * other.per_s ? [`like ${other.name}`] : []),
  ]
}

const wanted = (
  { per_s, p50_ms, p95_ms, sql, like, alike = likeness, of_floor, of_alone }: Target,
  { alone_p95_ms = 0, p95_ms: p95 }: Result,
): string =>
  [
    of_floor && `>= ${Math.round(100 * of_floor)} % of floor`,
    per_s && `>= ${per_s}/s`,
    p50_ms && `p50 < ${p50_ms} ms`,
    of_alone && `p95 <= ${of_alone} times alone (${alone_p95_ms} ms: ${round(p95 / alone_p95_ms, 2)} times)`,
    p95_ms && `p95 < ${p95_ms} ms`,
    sql && `<= ${sql} statements`,
    like && `>= ${Math.round(100 * alike)} % of ${like}`,
  ]
    .filter(Boolean)
    .join(', ')

const heads = ['path', 'clients', 'per s', 'p50 ms', 'p95 ms', 'SQL', 'floor/s', 'of floor', 'target', 'others']

export function table(
  paths: readonly { name: string; target?: Target }[],
  results: readonly Result[],
  memoryMb: number,
): string {
  const rows = results.map((result) => {
    const { name, clients, per_s, p50_ms, p95_ms, sql, floor_per_s } = result
    const wants = paths.find((path) => path.name === name)?.target
    const target = clients === judgedAt(wants) ? wants : undefined
    const faults = target ? missed(result, target, results) : []
    const verdict = target
      ? `${wanted(target, result)}${faults.length > 0 ? `  MISSED: ${faults.join(', ')}` : '  ok'}`
      : ''
    return [
      name,
      clients,
      per_s,
      p50_ms,
      p95_ms,
      sql,
      floor_per_s ?? '',
      ofFloor(result),
      verdict,
      clients === judgedAt(wants) ? besides(name) : '',
    ].map(String)
  })
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) =>
        at === 0 || at >= heads.length - 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd()
  const memory = `API memory ${memoryMb} MB (target < ${memoryMax} MB)${memoryMb < memoryMax ? '  ok' : '  MISSED'}`
  return [
    line(heads),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map(line),
    '',
    memory,
    ...notes,
    ...peerNotes(),
  ].join('\n')
}

const notes = [
  '',
  'SQL: statements of the API process per request, begin and commit included, counted on the wire.',
  'Floor: of webhooks, the published events per second; of a start, a bare Node process; of the sandbox, a thread that only answers; of card-checkout, refund, approval, graph, graph-inside, sign-in and publication-rate, one workflow with one empty activity; of chat-message, one with a local activity before and after it; of campaigns, the same bytes through our SMTP client alone; of the end of a campaign, its second quarter; of list-business-100, the list of a store; else the same statements through `pg` alone with as many connections. Deletions, backlogs and accepted calls have none.',
  'Recovery after a kill is measured by `npm run chaos`, memory over time by `npm run soak`.',
]
