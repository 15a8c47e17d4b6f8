// A dispute's status is the provider's, in fewer words: none of its statuses opens, closes or hides a dispute otherwise than the provider says.
import type { DisputeStatus } from '../shapes.ts'

/** How far a dispute has come, for two events of the same second. */
type Meaning = { status: DisputeStatus; closed: boolean; rank: number }

const means = (rank: number, status: DisputeStatus, closed = false): Meaning => ({ status, closed, rank })

/**
 * Every status of the provider (docs.stripe.com/api/disputes/object, API version 2026-10-28). An inquiry is a warning; one that was prevented ended before it
 * was a dispute, and is a warning that is closed. An appeal opens a lost dispute again.
 */
export const disputeStatuses = {
  warning_needs_response: means(0, 'warning'),
  warning_under_review: means(1, 'warning'),
  warning_closed: means(2, 'warning', true),
  needs_response: means(3, 'needs_response'),
  under_review: means(4, 'under_review'),
  prevented: means(5, 'warning', true),
  won: means(5, 'won', true),
  lost: means(5, 'lost', true),
  appeal_needs_response: means(6, 'needs_response'),
  appeal_under_review: means(7, 'under_review'),
} as const satisfies Record<string, Meaning>

/** A status that a newer version of the provider's API has is a warning, which `closed` says to be over or not. */
export const meaningOf = (status: string, closed: boolean): Meaning =>
  Object.hasOwn(disputeStatuses, status) ? disputeStatuses[status as keyof typeof disputeStatuses] : means(0, 'warning', closed)
