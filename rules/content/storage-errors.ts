// Errors of the file storage.
import { Refusal } from '../refusal.ts'

/** 503 storage_unavailable; the request may be repeated. `cause` has no secrets, as it is logged. */
export class BucketAway extends Refusal {
  constructor(cause: Error) {
    super(503, 'storage_unavailable', 'The file storage is unavailable. Repeat the request.', {
      headers: { 'Retry-After': '2' },
    })
    this.cause = cause
  }
}

export class NoSuchFile extends Error {}
