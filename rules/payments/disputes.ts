// Maps the provider's dispute statuses to ours. Whether a dispute is open or closed is always as the provider reports
// it.
import { z } from 'zod'

export const DisputeStatus = z.enum(['needs_response', 'under_review', 'won', 'lost', 'warning'])
export type DisputeStatus = z.infer<typeof DisputeStatus>

/** `rank` orders events of the same second by the progress of the dispute. */
type Meaning = { status: DisputeStatus; closed: boolean; rank: number }

const means = (rank: number, status: DisputeStatus, closed = false): Meaning => ({ status, closed, rank })

/**
 * All statuses of the provider (docs.stripe.com/api/disputes/object, API version 2026-10-28). An inquiry is a warning;
 * a prevented dispute is a closed warning. An appeal opens a lost dispute again.
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

/** An unknown status, from a newer version of the provider's API, is a warning that is closed if `closed` is true. */
export const meaningOf = (status: string, closed: boolean): Meaning =>
  Object.hasOwn(disputeStatuses, status)
    ? disputeStatuses[status as keyof typeof disputeStatuses]
    : means(0, 'warning', closed)
