// Syncs of comments and figures: their states, and the bounds within which a listing is read.
import { z } from 'zod'

export const SyncKind = z.enum(['publications', 'thread'])
export const SyncStatus = z.enum(['queued', 'running', 'completed', 'failed'])
export const SyncItemStatus = z.enum(['pending', 'done', 'skipped', 'failed'])
export type SyncItemStatus = z.infer<typeof SyncItemStatus>
export const SyncPhase = z.enum(['comments', 'metrics'])
export type SyncPhase = z.infer<typeof SyncPhase>

/** A thread is read again when it is opened this long after the last time. Seconds. */
export const threadFreshS = 60
/** Of the thread of one comment. */
export const threadBounds = { pages: 10, comments: 1_000 } as const
/** Threads of a store that are read at the network in a minute. Beyond, what is stored is returned. */
export const threadsPerMinute = 60

/** Pauses after reads that failed, in seconds; after the last one the publication is given up. */
export const readPausesS = [1, 5, 20, 60] as const
/** A connection that is paused for longer than this is not waited for. Seconds. */
export const pauseWaitedS = 3_600

export type Bounds = { pages: number; comments: number }
export type Progress = Bounds

/** How many comments of the next page are stored: 0 if the bounds are reached. */
export const wantedOf = (max: Bounds, read: Progress): number => (read.pages >= max.pages ? 0 : Math.max(0, max.comments - read.comments))
