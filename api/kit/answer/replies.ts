// What `run` and `wait` of a route return beside the fields of `out`: a reply with a status of its own, one that has to
// be waited for, and bytes.
import type { Readable } from 'node:stream'

/**
 * An answer with another status than the route's usual one, or one that has to be waited for: `pending` is what `wait`
 * needs to know. Without `pending` the answer is sent as it is.
 */
export class Reply<T, P = never> {
  readonly body: T
  readonly status: number | undefined
  readonly pending: P | undefined
  readonly headers: Readonly<Record<string, string>>
  constructor(
    body: T,
    {
      status,
      pending,
      headers = {},
    }: { status?: number; pending?: P | undefined; headers?: Readonly<Record<string, string>> },
  ) {
    this.body = body
    this.status = status
    this.pending = pending
    this.headers = headers
  }

  /** There is no answer before the outcome: `wait` answers, or throws. */
  static afterWait<P>(pending: P): Reply<never, P> {
    // Nothing reads this body: the answer is what `wait` returns.
    return new Reply<never, P>(null as never, { pending })
  }
}

/**
 * What `wait` found: no outcome yet. `body` is the record as it is now, which is answered if no outcome comes in time.
 */
export class NotYet<T> {
  readonly body: T
  constructor(body: T) {
    this.body = body
  }
}

/**
 * An answer of bytes. `open` is called after the status and headers were sent, and not for HEAD. Headers must include
 * Content-Length.
 */
export class Download {
  readonly status: number
  readonly headers: Record<string, string>
  readonly open: (() => Promise<Readable>) | null
  constructor(status: number, headers: Record<string, string>, open: (() => Promise<Readable>) | null) {
    this.status = status
    this.headers = headers
    this.open = open
  }
}

/** Heading and sentence of a page for people, as text. */
export type PageText = { title: string; text: string }
