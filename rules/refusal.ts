// A business refusal is a named error with a status; anything else that is thrown is a bug.
import type { ProblemCode, ProblemStatus } from './problems.ts'

/** One fault of the input: a JSON pointer into the body (`/variants/0/sku`) or the name of a query parameter. */
export type Fault = { pointer: string; code: string; detail: string }

export type RefusalDetails = {
  faults?: Fault[]
  /** Further members of the problem document (RFC 9457, 3.2), such as `refund` or the current `version`. */
  members?: Record<string, unknown>
  headers?: Record<string, string>
  /** The transaction commits all the same: the refusal must leave a trace. */
  kept?: boolean
}

type Given = { [S in ProblemStatus]: [status: S, code: ProblemCode<S>, detail: string, details?: RefusalDetails] }[ProblemStatus]

/** Its code is one of its status, in the catalogue of problems. */
export class Refusal extends Error {
  readonly status: ProblemStatus
  readonly code: ProblemCode
  readonly details: RefusalDetails
  constructor(...[status, code, detail, details = {}]: Given) {
    super(detail)
    this.status = status
    this.code = code
    this.details = details
  }
}

export const notFound = (what = 'it'): Refusal => new Refusal(404, 'not_found', `There is no such ${what === 'it' ? 'resource' : what}.`)

export const conflict = (code: ProblemCode<409>, detail: string, details: RefusalDetails = {}): Refusal => new Refusal(409, code, detail, details)

/** A 422 that names the place of one fault. */
export const invalid = (pointer: string, code: ProblemCode<422>, detail: string): Refusal =>
  new Refusal(422, code, detail, { faults: [{ pointer, code, detail }] })

export const unavailable = (code: ProblemCode<503>, detail: string, members = {}): Refusal =>
  new Refusal(503, code, detail, { members, headers: { 'Retry-After': '2' } })

/** The most faults that a refusal lists: without a bound a body of 1 MiB would be answered with 10 MiB. */
export const faultsMax = 100

function summaryOf([first, ...others]: readonly Fault[]): string {
  if (others.length === 0) return `${first?.pointer || 'The body'}: ${first?.detail}`
  return others.length < faultsMax ? `${others.length + 1} fields are wrong.` : `More than ${faultsMax} fields are wrong.`
}

/** A 422 that names the place of every fault, up to a hundred. */
export const invalidInput = (faults: readonly Fault[]): Refusal =>
  new Refusal(422, 'invalid_input', summaryOf(faults), {
    faults: faults.slice(0, faultsMax),
  })
