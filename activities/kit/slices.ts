// Runs batches of long work, one per commit. A worker that is killed loses one batch, and another continues with it.
import { beating } from './heartbeat.ts'
import { draining } from './once.ts'

/** A slice, so that other workers may continue; a worker that is stopping ends it after the current batch. */
const sliceMs = 30_000

/**
 * Runs a slice in an activity. `batch` returns true when the work has ended. `more`: it has not, and the next slice may
 * run on any worker.
 */
export const slice = (batch: () => Promise<boolean>): Promise<'more' | 'over'> =>
  beating(async () => {
    const until = performance.now() + sliceMs
    while (!draining.now && performance.now() < until) if (await batch()) return 'over'
    return 'more'
  })
