// What can go wrong with a bucket: it cannot be used just now, or the file is not there.
import { Refusal } from '../refusal.ts'

/** A refusal that may be repeated; `cause` says more, and nothing secret. */
export class BucketAway extends Refusal {
  constructor(cause: Error) {
    super(503, 'storage_unavailable', 'Files can be neither kept nor read just now; repeat the request.', { headers: { 'Retry-After': '2' } })
    this.cause = cause
  }
}

export class NoSuchFile extends Error {}
