// A refusal is an expected error with a status and a stable code. Any other error that is thrown is a bug and answered
// with 500.
import type { ProblemCode, ProblemStatus } from './problems.ts'

/**
 * One error of the input. `pointer` is a JSON pointer into the body (`/variants/0/sku`) or the name of a query
 * parameter.
 */
export type Fault = { pointer: string; code: string; detail: string }

export type RefusalDetails = {
  faults?: Fault[]
  /** Further members of the problem document (RFC 9457, 3.2), such as `refund` or the current `version`. */
  members?: Record<string, unknown>
  headers?: Record<string, string>
  /** The transaction is committed although the request is refused: the refusal is recorded. */
  commit?: boolean
}

type Given = {
  [S in ProblemStatus]: [status: S, code: ProblemCode<S>, detail: string, details?: RefusalDetails]
}[ProblemStatus]

/** `code` is one of those that rules/problems.ts lists under `status`. */
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

export const notFound = (noun = 'resource'): Refusal => new Refusal(404, 'not_found', `There is no such ${noun}.`)

export const conflict = (code: ProblemCode<409>, detail: string, details: RefusalDetails = {}): Refusal =>
  new Refusal(409, code, detail, details)

/** A 422 with one error. */
export const invalid = (pointer: string, code: ProblemCode<422>, detail: string): Refusal =>
  new Refusal(422, code, detail, { faults: [{ pointer, code, detail }] })

export const unavailable = (code: ProblemCode<503>, detail: string, members = {}): Refusal =>
  new Refusal(503, code, detail, { members, headers: { 'Retry-After': '2' } })

/**
 * Number of errors that a refusal lists at most: without a limit, a body of 1 MiB could produce an answer of 10 MiB.
 */
export const faultsMax = 100

/**
 * Adds an error, as long as a refusal lists it, or one more that says that there are others: a body may have half a
 * million errors, and making one costs more than finding it. Returns whether the list is full.
 */
export function note(faults: Fault[], make: () => Fault): boolean {
  if (faults.length <= faultsMax) faults.push(make())
  return faults.length > faultsMax
}

/** The detail of a refusal with these errors. */
export function summaryOf([first, ...others]: readonly Fault[]): string {
  if (others.length === 0) return `${first?.pointer || 'The body'}: ${first?.detail}`
  return others.length < faultsMax
    ? `The input has ${others.length + 1} errors.`
    : `The input has more than ${faultsMax} errors.`
}

/** A 422 `invalid_input` that lists up to a hundred errors. */
export const invalidInput = (faults: readonly Fault[]): Refusal =>
  new Refusal(422, 'invalid_input', summaryOf(faults), {
    faults: faults.slice(0, faultsMax),
  })
