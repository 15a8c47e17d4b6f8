// A row that waits for a time is enough: its workflow is started shortly before, and nothing waits in Temporal for
// days.

/**
 * So many seconds before its time the reconciler starts the workflow of a row: more than it is away for in a
 * deployment, and enough for many rows of one moment.
 */
const startAheadS = 600
/**
 * A workflow that finds more time left than this ends: a row whose start counts as near by one clock is not far by
 * another.
 */
const endsBeyondS = startAheadS + 60

/** Whether the workflow of a row that is due at `at` has to run by now; Unix seconds. */
export const isNear = (at: number, now: number): boolean => at <= nearUntil(now)
/** Rows that are due until then are near. */
export const nearUntil = (now: number): number => now + startAheadS
/** Whether a workflow that has to wait for so long leaves the waiting to its row. */
export const isFar = (waitMs: number): boolean => waitMs > endsBeyondS * 1000
