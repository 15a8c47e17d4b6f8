// Deletes expired rows in small batches. Rows that are not settled, or whose outcome is unknown, are never deleted.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../config.ts'
import { firstIdAt } from './kit/ids.ts'
import type { Job } from './kit/table.ts'
import { tables } from './tables.ts'

type Keep = typeof config.keep

const day = 86_400
const batch = 1_000

/**
 * The jobs by name: of what is removed from rows within minutes, and then of the tables, so that a slow job does not
 * delay those that are to be short.
 */
const jobs: [name: string, job: Job][] = [
  ...Object.values(tables).flatMap(({ clears = {} }) => Object.entries(clears)),
  ...Object.entries(tables).flatMap(([table, { rows }]): [string, Job][] =>
    'job' in rows && rows.job ? [[table, rows.job]] : [],
  ),
]

/**
 * Deletes expired rows until none are left or `budgetMs` have passed; every job runs once before one runs again.
 * Returns how many rows were deleted, by job. A job that fails does not stop the others; the first error is thrown at
 * the end. `now` in Unix seconds.
 */
export async function sweep(
  em: EntityManager,
  now: number,
  keep: Keep = config.keep,
  budgetMs = 2_000,
): Promise<Record<string, number>> {
  const end = performance.now() + budgetMs
  const deleted: Record<string, number> = {}
  const errors: unknown[] = []
  let left = jobs.filter(([, job]) => job.keep === null || keep[job.keep] > 0)
  do {
    const again: typeof jobs = []
    for (const [name, job] of left) {
      const before = now - (job.keep === null ? 0 : keep[job.keep] * day)
      try {
        const rows = await job.sweep(em, { now, before, floor: firstIdAt(before), batch }, name)
        deleted[name] = (deleted[name] ?? 0) + rows
        if (rows > 0) again.push([name, job])
      } catch (error) {
        errors.push(error)
      }
    }
    left = again
  } while (left.length > 0 && performance.now() < end)
  if (errors.length > 0) throw errors[0]
  return deleted
}
