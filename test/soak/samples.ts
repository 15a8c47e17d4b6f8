// Samples every ten seconds: memory of each process, rows of every table, the outbox, and open workflows.
import { execFileSync } from 'node:child_process'
import type { Client } from '@temporalio/client'
import type pg from 'pg'
import { listed, tablesOf } from '../kit/database/tables.ts'
import { type Slope, slopeOf } from './slope.ts'

/** Megabytes by process, rows by table. `at_h`: hours since the beginning. */
export type Sample = { at_h: number; memory: Record<string, number>; rows: Record<string, number>; open: number }
export type Watched = { name: string; pid: number; metrics?: string }

/** The heap as well, where a process reports it. */
async function memoryOf({ name, pid, metrics }: Watched): Promise<Record<string, number>> {
  const rss = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1000
  if (!metrics) return { [name]: rss }
  const text = await (await fetch(`${metrics}/metrics`)).text()
  return { [name]: rss, [`${name}, heap`]: Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(text)?.[1]) / 1e6 }
}

export async function sample(
  begunMs: number,
  watched: readonly Watched[],
  db: pg.Pool,
  temporal: Client,
): Promise<Sample> {
  const memory = Object.assign({}, ...(await Promise.all(watched.map(memoryOf))))
  const tables = await tablesOf(db)
  const counted = tables
    .map((table) => `select '${table}' as table, count(*)::int as rows from ${table}`)
    .join(' union all ')
  const { rows } = await db.query<{ table: string; rows: number }>(counted)
  const { count } = await temporal.workflow.count('ExecutionStatus="Running"')
  return {
    at_h: (performance.now() - begunMs) / 3_600_000,
    memory,
    rows: Object.fromEntries(rows.map((one) => [one.table, one.rows])),
    open: count,
  }
}

// A process that grows 60 MB an hour has doubled within hours. Ten minutes of a collected heap that varies by 10 MB
// measure a slope to about 50 an hour:
// a lower limit would call every tenth run a leak, a higher one would miss a leak that ends a process within a day.
export const leakMbPerHour = 60
/** In less time the caches are not full yet, and every slope is that of the warm-up. */
export const judgedMinutes = 10

export type Verdict = { table: string; before: number; after: number; kind: string; setting: string }
export type Judged = { memory: Record<string, Slope>; open: Slope; grown: Verdict[]; faults: string[] }

/** Over the second half: the first is the warm-up. */
export function judge(samples: readonly Sample[], minutes: number): Judged {
  const half = samples.slice(Math.floor(samples.length / 2))
  const [first, last] = [half[0] as Sample, half.at(-1) as Sample]
  const slope = (value: (one: Sample) => number) => slopeOf(half.map((one) => ({ x: one.at_h, y: value(one) })))
  const memory = Object.fromEntries(
    Object.keys(last.memory).map((name) => [name, slope((one) => one.memory[name] ?? 0)]),
  )
  const faults = Object.entries(memory)
    .filter(([, { low }]) => minutes >= judgedMinutes && low > leakMbPerHour)
    .map(
      ([name, { slope: found, low }]) =>
        `${name} grows by ${found.toFixed(0)} MB an hour, by ${low.toFixed(0)} at least`,
    )
  const grown = Object.keys(last.rows)
    .map((table) => {
      const { kind = 'not listed', setting = '' } = listed.find((one) => one.table === table) ?? {}
      return { table, before: first.rows[table] ?? 0, after: last.rows[table] ?? 0, kind, setting }
    })
    .filter(({ before, after }) => after > before)
  for (const { table, before, after, kind } of grown) {
    // Pending work goes up and down; rows that are never processed only go up.
    if (kind === 'emptied' && !(slope((one) => one.rows[table] ?? 0).low > 0 && after > 100)) continue
    if (kind === 'emptied' || kind === 'not listed')
      faults.push(`${table} grows from ${before} to ${after} rows, and has no job`)
  }
  return { memory, open: slope((one) => one.open), grown, faults }
}
