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
/** The bounds of the thread of one comment. */
export const threadBounds = { pages: 10, comments: 1_000 } as const
/** Threads of a store that are read at the network in a minute. Beyond, what is stored is returned. */
export const threadsPerMinute = 60

/** Pauses after reads that failed, in seconds; after the last one the publication is given up. */
export const readPausesS = [1, 5, 20, 60] as const
/** A connection that is paused for longer than this is not waited for. Seconds. */
export const pauseWaitedS = 3_600

/** How far a listing was read, and its bounds. `cursor`: of the next page, in the words of the network. */
export type Progress = {
  status: SyncItemStatus
  phase: SyncPhase
  cursor: string | null
  pages: number
  comments: number
}
type Bounded = Progress & { pages_max: number; comments_max: number; with_metrics: boolean }

/** How many comments of the next page are stored: 0 if the bounds are reached. */
export const wantedOf = ({
  pages,
  comments,
  pages_max,
  comments_max,
}: Omit<Bounded, 'status' | 'phase' | 'cursor' | 'with_metrics'>): number =>
  pages >= pages_max ? 0 : Math.max(0, comments_max - comments)

/** `ended`: the page was the last one of the listing. `more`: the bounds are reached before its end. */
export type AfterPage = { kept: number; ended: boolean; more: boolean; next: Progress }

/** What is stored of a page of `count` comments, and how the sync of its publication continues. */
export function afterPage(item: Bounded, count: number, cursor: string | null): AfterPage {
  const kept = Math.min(count, wantedOf(item))
  const ended = cursor === null && kept === count
  const [pages, comments] = [item.pages + 1, item.comments + kept]
  const over = ended || wantedOf({ ...item, pages, comments }) === 0
  return {
    ...{ kept, ended, more: over && !ended },
    next: {
      status: over && !item.with_metrics ? 'done' : 'pending',
      phase: over && item.with_metrics ? 'metrics' : item.phase,
      ...{ cursor: over ? null : cursor, pages, comments },
    },
  }
}
